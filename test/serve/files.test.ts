/**
 * Files of hours, which take long: two are made at a time, the others wait in line, and a client
 * that has left before its turn gets none.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import type { ApiDb } from '../../src/database/apiDb.ts';
import type { Sql } from '../../src/database/client.ts';
import { openWholeNetworkPool } from '../../src/database/pools.ts';
import { type Listening, listen } from '../../src/http/listen.ts';
import { makeApp } from '../../src/serve/app.ts';
import { closed, send } from '../http/raw.ts';
import { httpGet } from '../support/http.ts';
import { lockWaits } from '../support/lockWaits.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { until } from '../support/patience.ts';
import { NOW } from './network.ts';
import { observerOf, type Served, serve } from './serve.ts';

const PATH = '/en/explore/v1/station/1/hours/2026-11-18/2026-11-20.csv';
const rawRequest = (station: number) =>
  `GET ${PATH.replace('station/1', `station/${station}`)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

let served: Served;
let wholeNetwork: ApiDb;
let here: Listening;
let owner: Sql;
let superuser: Sql;
const statements: string[] = [];
beforeAll(async () => {
  served = await serve('plain');
  const { target, timeZone } = served.database;
  owner = served.database.as();
  superuser = served.database.superuser();
  wholeNetwork = openWholeNetworkPool(target, { timeZone, observer: observerOf(statements) });
  const { db, log } = served;
  const app = makeApp({ db, wholeNetwork, clock: makeClock(NOW), siteBaseUrl: '', log });
  here = await listen(app, { port: 0, variable: 'PORT' });
});
afterAll(async () => {
  await here.close({ drainMs: 0, deadlineMs: 0 });
  await wholeNetwork.destroy();
  await served.close();
});

/** Lets the statements that wait for the hours go on. */
let go: () => Promise<void>;
beforeEach(async () => {
  const end = await openTransaction(owner, 'lock table rollup.station_hourly');
  go = () => end('rollback');
  return () => go().catch(() => undefined);
});

/** When each statement that waits for the hours began. */
async function waiting(): Promise<string[]> {
  const rows = await lockWaits(superuser, { of: 'airseries read all' });
  return rows.map(({ pid, began }) => `${pid} ${began}`);
}
const warnings = () => served.log.lines.filter(({ level }) => level !== 'debug');
const untilTwoWait = () =>
  until(async () => (await waiting()).length === 2, 'two statements wait for the hours');

it('files are made two at a time, a hundred wait for their turn, and more are refused', async () => {
  const all = Array.from({ length: 103 }, () => httpGet(here.port, PATH));
  const refused = await Promise.race(all);
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
  expect(refused.body).toContain('Too many files are asked for');
  await untilTwoWait();
  await go();
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(102);
  expect(warnings()).toEqual([]); // the database could answer
});

it('a file is made for a client that has ended its sending side, and not for one that has left', async () => {
  const others = [httpGet(here.port, PATH), httpGet(here.port, PATH)];
  await untilTwoWait();
  const made = () => statements.filter((name) => name === 'api.station_hours_csv').length;
  const before = made();
  const first = send(here.port, rawRequest(2));
  const halfOpen = { port: here.port, host: '127.0.0.1', allowHalfOpen: true };
  const second = connect(halfOpen, () => second.write(rawRequest(3)));
  const received = closed(second);
  const third = connect(halfOpen, () => third.end(rawRequest(4).replace('HTTP/1.1', 'HTTP/1.0')));
  const older = closed(third);
  // by now they wait
  expect((await httpGet(here.port, '/en/air-quality-app/v1/stations.json')).status).toBe(200);
  first.destroy();
  second.end();
  await until(
    async () => served.log.lines.some(({ fields }) => JSON.stringify(fields).includes('station/2')),
    'the first client is known to have left',
  );
  await go();
  const whole = /^HTTP\/1\.1 200 OK\r\n(\S+: .*\r\n)+\r\nstation_id,timestamp,/;
  expect((await received).replace(/^(HTTP\/1\.1 102 Processing\r\n\r\n)+/, '')).toMatch(whole);
  expect(await older).toMatch(whole);
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await httpGet(here.port, PATH)).status).toBe(200);
  expect(made() - before).toBe(5);
  expect(warnings()).toEqual([]);
});
