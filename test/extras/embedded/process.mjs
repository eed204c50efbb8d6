/** A process that uses the server until the test writes to its stdin: `node process.mjs <directory> <kind>`. */
import { once } from 'node:events';
import { openEmbeddedServer } from '../../../dist/embedded/server.js';
import { makeLog } from '../../../dist/log.js';

const [dataDirectory = '', kind = 'bundled'] = process.argv.slice(2);
const server = await openEmbeddedServer({ dataDirectory, kind, log: makeLog('error') });
process.stdout.write(`${JSON.stringify(server)}\n`);
await once(process.stdin, 'data');
await server.close();
process.exit();
