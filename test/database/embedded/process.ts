/** A process that uses the server until the test writes to its stdin: `node --import tsx process.ts <directory> <kind>`. */
import { once } from 'node:events';
import { type EmbeddedKind, openEmbeddedServer } from '../../../src/database/embedded/server.ts';
import { makeLog } from '../../../src/log.ts';

const [dataDirectory = '', kind = 'bundled'] = process.argv.slice(2);
const server = await openEmbeddedServer({ dataDirectory, kind: kind as EmbeddedKind, log: makeLog('error') });
process.stdout.write(`${JSON.stringify(server)}\n`);
await once(process.stdin, 'data');
await server.release();
process.exit();
