/** A process that uses the server until the test writes to its stdin: `node process.mjs <directory>`. */
import { once } from 'node:events';
import { makeLog } from '../../../dist/base/log.js';
import { openEmbeddedServer } from '../../../dist/extras/embedded/server.js';

const [dataDirectory = ''] = process.argv.slice(2);
const server = await openEmbeddedServer({ dataDirectory, log: makeLog('error') });
process.stdout.write(`${JSON.stringify(server)}\n`);
await once(process.stdin, 'data');
await server.close();
process.exit();
