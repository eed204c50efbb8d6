/** Migrates a database to the version in another folder of SQL, as a process of its own, so that it can be killed: arguments are JSON. */

import { makeLog } from '../../../dist/base/log.js';
import { migrate } from '../../../dist/schema/migrate.js';
import { DEFINITIONS } from '../../../dist/schema/template.js';

const { target, folder, now } = JSON.parse(process.argv[2]);
const definitions = { ...DEFINITIONS, folder: new URL(folder) };
await migrate(target, { now: new Date(now), log: makeLog('silent'), definitions });
