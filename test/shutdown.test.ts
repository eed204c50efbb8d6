/** Shutdown of the service: requests and jobs under way are finished in order, and the exit code tells whether they were. */
import { beforeEach, expect, it } from 'vitest';
import type { Sql } from '../src/database/client.ts';
import { engines } from './support/database.ts';
import { citiesOfOneStation, type Installation, install, reading } from './support/installation.ts';
import { beginBatch, httpGet, SERVICE_NOW, type Service, startService, until } from './support/service.ts';

const STATION = '/en/air-quality-app/v1/station/1.json';
const time = SERVICE_NOW.toISOString();

let here: Installation;
let service: Service;
let superuser: Sql;
beforeEach(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town', 'village']));
  superuser = here.database.superuser();
  await here.accept([reading(1, SERVICE_NOW, { pm25: 10 })]);
  service = await startService(here, { DEMO: 'off', DRAIN_SECONDS: '0' });
  return async () => {
    service.kill('SIGKILL');
    await service.finished;
    await here.close();
  };
});

const isRefused = async (server: keyof Service['port']) => (await httpGet(service.port[server], '/')).status === 0;

/** Blocks every request that reads stations until it is released. */
async function holdStations(): Promise<() => Promise<void>> {
  await superuser`select`; // the driver reserves only connections that are already open
  const held = await superuser.reserve();
  await held`begin`;
  await held`lock table api.station in access exclusive mode`;
  return async () => {
    await held`rollback`;
    held.release();
  };
}
const isWaiting = async () => {
  const waiting = await superuser`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'airseries read' and wait_event_type = 'Lock'`;
  return waiting.length > 0;
};

it('SIGTERM: for DRAIN_SECONDS /readyz answers 503 and requests are still served, with Connection: close', async () => {
  const there = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  const draining = await startService(there, { DEMO: 'off', DRAIN_SECONDS: '60' });
  expect((await httpGet(draining.port.admin, '/readyz')).status).toBe(200);
  expect((await httpGet(draining.port.public, STATION)).headers.connection).toBe('keep-alive');
  draining.kill('SIGTERM');
  await draining.logged('stopping');
  expect((await httpGet(draining.port.admin, '/readyz')).status).toBe(503);
  const answer = await httpGet(draining.port.public, STATION);
  expect([answer.status, answer.headers.connection]).toEqual([200, 'close']);
  expect((await httpGet(draining.port.ingest, '/')).headers.connection).toBe('close');
  draining.kill('SIGTERM'); // a second signal ends it at once
  expect((await draining.finished).code).toBe(1);
  await there.close();
});

it('SIGTERM: requests under way are finished, the public port closes first and the admin port last, and it exits with 0', async () => {
  const batch = beginBatch(service, [{ sensor_id: 2, time, pm25: 30 }]);
  const release = await holdStations();
  const get = httpGet(service.port.public, STATION);
  await until(isWaiting, 'the request waits for the database');

  service.kill('SIGTERM');
  await service.logged('stopping');
  await release();
  const answer = await get;
  expect([200, 503]).toContain(answer.status); // not cut; 503 if a statement took more than its 2 seconds on this machine
  expect(answer.headers.connection).toBe('close');

  // the batch is incomplete: its port waits for it, and the admin port and the database close after that
  await until(() => isRefused('public'), 'the public port is closed');
  await until(() => isRefused('ingest'), 'the ingest port takes no new requests');
  expect(batch.answered()).toBe(false);
  expect((await httpGet(service.port.admin, '/healthz')).status).toBe(200);
  const taken = await batch.finish(']');
  expect([taken.status, taken.headers.connection]).toEqual([200, 'close']);
  expect(JSON.parse(taken.body)).toEqual({ received: 1, accepted: 1, unchanged: 0, quarantined: [] });

  expect((await service.finished).code).toBe(0);
  expect(await isRefused('admin')).toBe(true);
  expect(await here.get('station/2.json', SERVICE_NOW)).toMatchObject({ 'pm2.5': 30 });
});

it('a second signal ends it at once, with exit code 1, and cuts requests under way', async () => {
  const batch = beginBatch(service, [{ sensor_id: 2, time, pm25: 30 }]);
  service.kill('SIGTERM');
  await service.logged('stopping');
  service.kill('SIGINT');
  expect((await service.finished).code).toBe(1);
  expect((await batch.finish(']')).status).toBe(0);
});
