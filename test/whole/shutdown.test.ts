/**
 * Shutdown of the service: requests and jobs under way are finished in order, and the exit code
 * tells whether they were.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { engines } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { lockWaits } from '../support/lockWaits.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { addressVariables, freePort, launch, start } from '../support/program.ts';
import {
  beginBatch,
  httpGet,
  SERVICE_NOW,
  type Service,
  startService,
  until,
} from '../support/service.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const STATION = '/en/air-quality-app/v1/station/1.json';
const time = SERVICE_NOW.toISOString();

let here: Installation;
let service: Service;
let superuser: Sql;
beforeEach(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town', 'village']));
  superuser = here.database.superuser();
  await here.accept([reading(1, SERVICE_NOW, { pm25: 10 })]);
  return async () => {
    service.kill('SIGKILL');
    await service.finished;
    await here.close();
  };
});

async function startDraining(DRAIN_SECONDS = '0'): Promise<void> {
  service = await startService(here, { DEMO: 'off', DRAIN_SECONDS });
}
const isRefused = async (server: keyof Service['port']) =>
  (await httpGet(service.port[server], '/')).status === 0;

const isWaiting = async () => (await lockWaits(superuser, { of: 'airseries read' })).length > 0;

it('SIGTERM: for DRAIN_SECONDS /readyz answers 503 and requests are still served, with Connection: close', async () => {
  await startDraining('60');
  expect((await httpGet(service.port.admin, '/readyz')).status).toBe(200);
  expect((await httpGet(service.port.public, STATION)).headers.connection).toBe('keep-alive');
  service.kill('SIGTERM');
  await service.logged('stopping');
  // without the variable its ports would be closed by then
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await httpGet(service.port.admin, '/readyz')).status).toBe(503);
  const answer = await httpGet(service.port.public, STATION);
  expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
  expect((await httpGet(service.port.ingest, '/')).headers.connection).toBe('close');
  service.kill('SIGTERM'); // a second signal ends it at once
  expect((await service.finished).code).toBe(1);
});

it('SIGTERM: requests under way are finished, the public port closes first and the admin port last, and it exits with 0', async () => {
  await startDraining();
  const batch = beginBatch(service, [{ sensor_id: 2, time, pm25: 30 }]);
  const end = await openTransaction(superuser, 'lock table api.station in access exclusive mode');
  const get = httpGet(service.port.public, STATION);
  await until(isWaiting, 'the request waits for the database');

  service.kill('SIGTERM');
  await service.logged('stopping');
  await end('rollback');
  const answer = await get;
  // not cut; 503 if a statement took more than its 2 seconds on this machine
  expect([200, 503]).toContain(answer.status);
  expect(answer.headers.connection).toBe('close');

  // the batch is incomplete: its port waits for it, and the admin port and the database close after
  // that
  await until(() => isRefused('public'), 'the public port is closed');
  await until(() => isRefused('ingest'), 'the ingest port takes no new requests');
  expect(batch.answered()).toBe(false);
  expect((await httpGet(service.port.admin, '/healthz')).status).toBe(200);
  const taken = await batch.finish(']');
  expect([taken.status, taken.headers.connection]).toEqual([200, 'close']);
  expect(JSON.parse(taken.body)).toEqual({
    received: 1,
    accepted: 1,
    unchanged: 0,
    quarantined: [],
    format: 'airseries',
  });

  expect((await service.finished).code).toBe(0);
  expect(await isRefused('admin')).toBe(true);
  expect(await here.get('station/2.json', SERVICE_NOW)).toMatchObject({ 'pm2.5': 30 });
});

it('a second signal ends it at once, with exit code 1, and cuts requests under way', async () => {
  await startDraining();
  const batch = beginBatch(service, [{ sensor_id: 2, time, pm25: 30 }]);
  service.kill('SIGTERM');
  await service.logged('stopping');
  service.kill('SIGINT');
  expect((await service.finished).code).toBe(1);
  expect((await batch.finish(']')).status).toBe(0);
});

describe('an error that nothing catches', () => {
  /** Makes a process throw at SIGUSR2. */
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(
    'process.on("SIGUSR2", () => setImmediate(() => { throw new TypeError("of a fault in a library"); }))',
  )}`;

  it('ends the service with exit code 1, and the log says which', async () => {
    service = await startService(here, { DEMO: 'off', NODE_OPTIONS });
    service.kill('SIGUSR2');
    expect((await service.finished).code).toBe(1);
    expect(service.log()).toMatch(
      /"level":"error","time":"\d{4}-[^"]+Z".*"msg":"of a fault in a library"/,
    );
  });

  it('ends a command with exit code 1, and its message', async () => {
    const file = join(temporaryFolder('uncaught'), 'network.json');
    writeFileSync(file, JSON.stringify(citiesOfOneStation(['town'])));
    const end = await openTransaction(superuser, 'lock table raw.station in access exclusive mode');
    const environment = {
      ...addressVariables(here.database.target),
      DATABASE_URL: 'postgres://',
      NODE_OPTIONS,
    };
    service = { ...service, ...start(['import', 'network', file], environment) };
    const blocked = async () =>
      (
        await superuser`
          select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`
      ).length > 0; // other tests wait on this server too
    await until(blocked, 'the command waits');
    service.kill('SIGUSR2');
    const { code, stderr } = await service.finished;
    await end('rollback');
    expect([code, stderr]).toEqual([1, 'error: of a fault in a library\n']);
  });

  it('the driver throws one where a connection is lost between two statements of a transaction; it says so', async () => {
    const program = `
      import { connect } from './dist/database/client.js';
      import { describeUncaughtError } from './dist/database/remedies.js';
      process.on('uncaughtException', (error) => process.exit(console.log(describeUncaughtError(error)) ?? 3));
      const sql = connect('postgres://', { timeZone: 'UTC', max: 2 });
      await sql.begin(async (transaction) => {
        const [{ pid }] = await transaction\`select pg_backend_pid() as pid\`;
        await sql\`select pg_terminate_backend(\${pid}, 5000)\`;
        for (;;) {
          transaction\`select\`.catch(() => undefined);
          await new Promise(setImmediate);
        }
      });`;
    const words = [process.execPath, '--input-type=module', '--eval', program];
    const running = launch(words, {
      environment: addressVariables(here.database.target),
      folder: process.cwd(),
    });
    service = { ...service, ...running };
    const { code, stdout } = await running.finished;
    expect(stdout).toMatch(
      /^the connection to the database was lost within a transaction, which is rolled back \(/,
    );
    expect(code).toBe(3);
  });
});

it('SIGINT while the embedded database is made: ends with exit code 0 and no error', async () => {
  const folder = join(temporaryFolder('interrupted'), 'data');
  const [PORT, ADMIN_PORT] = [await freePort(), await freePort()];
  const running = start(['start'], { DATA_DIR: folder, DEMO: 'off', PORT, ADMIN_PORT });
  service = { ...service, ...running };
  await until(() => running.log().includes('"migrated"'), 'it migrates');
  running.kill('SIGINT');
  const { code } = await running.finished;
  expect([code, running.log()]).toEqual([0, expect.not.stringMatching(/"level":"(error|fatal)"/)]);
});
