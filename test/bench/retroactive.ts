/**
 * How long a change of the network's past takes, and what the API suffers meanwhile, on TimescaleDB:
 *
 *   npx tsx test/bench/retroactive.ts [--rate 40] [--only CHANGE] [--stations 200] [--days 730]
 *     [--home FOLDER] [--plans FILE]
 *
 * Two years of hourly readings; then, of one station each, a sensor's placement, a formula, a flag and a membership become others for
 * one whole year, by `import network`, while the API is read. Ends with an audit of everything; exit 1 if it finds anything or a change
 * fails. One run, one machine: the load average stands beside the figures.
 *
 * --rate       requests to the API a second
 * --only       one of placement, formula, flag, membership
 * --home       the data stay in this folder, and the next run begins with them
 * --plans      the plans of all statements over a second, in a file
 */
import { copyFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DatabaseAddress, onConnection } from '../../src/database/client.ts';
import { openEmbeddedServer } from '../../src/embedded/server.ts';
import { makeLog } from '../../src/log.ts';
import { maintain } from '../../src/rollups/refresh.ts';
import { freePort, ready, start } from '../support/program.ts';
import { watchBackends } from './retroactive/backends.ts';
import { CHANGES, type Change } from './retroactive/changes.ts';
import { putUnderLoad } from './retroactive/load.ts';
import { makeNetwork, NOW, TIME_ZONE } from './retroactive/network.ts';
import { firstReading } from './retroactive/readings.ts';
import { printHead, printRow } from './retroactive/report.ts';
import { askForPlans, load, openHome, seconds, tell } from './retroactive/setUp.ts';
import { watchMonths } from './retroactive/watch.ts';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '40' },
    only: { type: 'string' },
    stations: { type: 'string', default: '200' },
    days: { type: 'string', default: '730' },
    home: { type: 'string' },
    plans: { type: 'string' },
  },
});
const extent = { stations: Number(values.stations), days: Number(values.days) };
const QUIET_MS = 20_000;

const { folder, dataDirectory, remove } = openHome(values.home);
const [PORT, ADMIN_PORT] = [await freePort(), await freePort()];
const common = { DATA_DIR: dataDirectory, EMBEDDED_PG: 'local', TIME_ZONE, FIXED_NOW: NOW.toISOString() };
const environment = { ...common, LOG_LEVEL: 'warn', DEMO: 'off' };
const root = `http://127.0.0.1:${PORT}/en/air-quality-app/v1`;
const network = makeNetwork(extent.stations);
const networkFile = join(folder, 'network.json');

const read = () => putUnderLoad(root, network, Number(values.rate));
const machineLoad = () => loadavg()[0] as number;

async function cli(...words: string[]) {
  const { code, stdout, stderr } = await start('cli', words, environment).finished;
  if (code !== 0) throw new Error(`cli ${words.join(' ')}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

function importNetwork() {
  writeFileSync(networkFile, JSON.stringify(network));
  return cli('import', 'network', networkFile);
}

async function change({ name, change: edit, marks }: Change, target: DatabaseAddress): Promise<void> {
  edit(network);
  const begun = machineLoad();
  const reading = read();
  const busy = watchBackends(target);
  const watching = await watchMonths(root, marks);
  let failed: string | undefined;
  const command = await seconds(() => importNetwork().catch((error: Error) => (failed = error.message.trim())));
  if (failed !== undefined) process.exitCode = 1;
  const made = { visible: await watching.end(), commands: [command], failed, busy: await busy.end() };
  const seen = await reading.end();
  const machine: [number, number] = [begun, machineLoad()];
  // the next change finds everything compressed again
  const compressing = await seconds(() => maintain(target, NOW));
  printRow({ name, machine, seen, made: { ...made, maintain: compressing } });
}

async function noChange(): Promise<void> {
  const begun = machineLoad();
  const reading = read();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  printRow({ name: 'no change', seen: await reading.end(), machine: [begun, machineLoad()] });
}

const server = await openEmbeddedServer({ dataDirectory, kind: 'local', log: makeLog('warn') });
try {
  const target = { host: server.socketDirectory, port: server.port, user: server.user, database: server.database };
  console.log(`PostgreSQL ${server.version} with TimescaleDB; ${extent.stations} stations, ${extent.days} days`);
  await load({ target, folder, extent, importNetwork, cli });
  if (values.plans !== undefined) await onConnection(target, {}, askForPlans);
  const service = start('main', [], { ...environment, ROLE: 'api', PORT, ADMIN_PORT });
  try {
    await ready(ADMIN_PORT, service);
    printHead();
    await noChange();
    for (const one of CHANGES) {
      if ((values.only ?? one.name) === one.name) await change(one, target);
    }
  } finally {
    service.kill('SIGTERM');
    await service.finished;
  }
  await tell('audit of everything: nothing differs', () => cli('audit', '--from', firstReading(extent).toISOString()));
} finally {
  await server.release();
  if (values.plans !== undefined) copyFileSync(join(server.socketDirectory, '../server.log'), values.plans);
  remove();
}
