/**
 * The database becomes unreachable in every possible way: 503 while it is away, no hanging
 * requests, and recovery when it is back. How long recovery takes is measured by
 * test/whole/faults/long/silence.test.ts. It depends on connections, not on the engine.
 */
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { openReaderPool, openWholeNetworkPool } from '../../src/database/pools.ts';
import { makeApp } from '../../src/serve/app.ts';
import { engines, type TestDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { until } from '../support/patience.ts';
import { request } from '../support/request.ts';
import { needs } from '../support/tools.ts';
import { openMute, openWire } from '../support/wire.ts';
import { DOCUMENTS, NOW } from './network.ts';
import { NOWHERE, type Served, serve, versionsOf } from './serve.ts';

async function get(app: RequestListener, path = 'station/1.json') {
  return await request(app).get(`/en/air-quality-app/v1/${path}`);
}

async function expectUnavailable(app: RequestListener, path?: string) {
  const res = await get(app, path);
  expect(res.status).toBe(503);
  expect(res.headers['retry-after']).toBe('5');
  expect(res.headers['cache-control']).toBe('no-store');
  expect(res.headers['access-control-allow-origin']).toBe('*');
  expect(res.body).toEqual({
    status: 503,
    title: 'Service Unavailable',
    detail: expect.stringMatching(/again in 5 seconds/),
  });
}

function appOver(target: DatabaseAddress, cache?: Parameters<typeof makeApp>[0]['cache']) {
  const db = openReaderPool(target, { timeZone: 'Asia/Yerevan', max: 4 });
  const wholeNetwork = openWholeNetworkPool(target, { timeZone: 'Asia/Yerevan' });
  const log = keepingLog();
  const options = { db, wholeNetwork, clock: makeClock(NOW), siteBaseUrl: '', log };
  const app = makeApp({ ...options, ...(cache && { cache }) });
  return { app, db: { destroy: () => Promise.all([db.destroy(), wholeNetwork.destroy()]) }, log };
}

describe('an API whose database goes away', () => {
  let served: Served;
  let target: TestDatabase['target'];
  let administrator: Sql;
  beforeAll(async () => {
    served = await serve(engines[0] ?? 'plain');
    target = served.database.target;
    administrator = connect({ ...target, database: 'postgres' }, {});
  });
  afterAll(async () => {
    await administrator.end();
    await served.close();
  });

  const terminate = () => administrator`select pg_terminate_backend(pid) from (${backends()}) b`;
  const backends = () => administrator<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = ${target.database} and application_name = 'airseries read' order by pid`;

  it(
    'nine of ten requests are answered, and the others are 503, while backends are terminated under load',
    needs('all'),
    async () => {
      const statuses: number[] = [];
      await Promise.all(
        Array.from({ length: 8 }, async (_, client) => {
          for (let n = 0; n < 15; n++) {
            const { status } = await get(served.app, DOCUMENTS[(client + n) % DOCUMENTS.length]);
            statuses.push(status);
            // while the others' requests are under way
            if (statuses.length % 12 === 0) await terminate();
          }
        }),
      );
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      // a query is retried once only, and may be hit both times
      expect(statuses.filter((status) => status === 503).length).toBeLessThan(statuses.length / 10);
      expect((await get(served.app)).status).toBe(200);
    },
  );

  it('a document whose statement takes too long is 503, and 200 again afterwards', async () => {
    const lock = 'lock table raw.station, raw.region in access exclusive mode';
    const end = await openTransaction(served.database.as(), lock);
    await Promise.all(DOCUMENTS.map((path) => expectUnavailable(served.app, path)));
    await end('rollback');
    for (const path of DOCUMENTS) expect((await get(served.app, path)).status).toBe(200);
  });

  it.concurrent('a query is retried on a new connection when all open ones were cut silently', async () => {
    const wire = await openWire(target);
    const { app, db } = appOver(wire.target);
    for (const path of DOCUMENTS) expect((await get(app, path)).status).toBe(200);
    wire.cut(false);
    const answers = await Promise.all(
      DOCUMENTS.filter((path) => path !== 'stations.json').map((path) => get(app, path)),
    );
    for (const { status } of answers) expect(status).toBe(200);
    expect((await get(app)).status).toBe(200);
    await db.destroy();
    await wire.close();
  });

  it.concurrent('every document is 503 while the network is cut, and 200 when it is back; both are logged once', async () => {
    const wire = await openWire(target);
    const { app, db, log } = appOver(wire.target);
    expect((await get(app)).status).toBe(200);
    wire.cut(true);
    await Promise.all(DOCUMENTS.map((path) => expectUnavailable(app, path)));
    await Promise.all(Array.from({ length: 20 }, () => expectUnavailable(app)));
    wire.join();
    await until(async () => (await get(app)).status === 200, 'an answer after the cut');
    const notes = log.lines.filter(({ level }) => level !== 'debug');
    expect(notes.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: database unavailable; returning 503',
      'info: the database answers again',
    ]);
    await db.destroy();
    await wire.close();
  });

  it.concurrent('a kept document that bridges an outage does not end it in the log', async () => {
    const wire = await openWire(target);
    let isInContact = true;
    const known = await versionsOf(served.db);
    const versions = { ...known, current: () => (isInContact ? known.current() : undefined) };
    const { app, db, log } = appOver(wire.target, { maxBytes: 1e6, versions });
    expect((await get(app)).status).toBe(200);
    wire.cut(true);
    isInContact = false;
    await expectUnavailable(app, 'station/2.json');
    const { status, headers } = await get(app);
    expect([status, headers.age]).toEqual([200, '0']);
    const notes = log.lines.filter(({ level }) => level !== 'debug');
    expect(notes.map(({ message }) => message)).toEqual(['database unavailable; returning 503']);
    await db.destroy();
    await wire.close();
  });

  it('every document is 200 as soon as the database accepts connections again', async () => {
    await administrator.unsafe(`alter database ${target.database} allow_connections false`);
    await terminate();
    for (const path of DOCUMENTS) await expectUnavailable(served.app, path);
    await administrator.unsafe(`alter database ${target.database} allow_connections true`);
    for (const path of DOCUMENTS) expect((await get(served.app, path)).status).toBe(200);
  });
});

it.concurrent.each<[string, DatabaseAddress]>([
  ['a socket that leads nowhere', NOWHERE],
  ['a port without a listener', 'postgres://x@127.0.0.1:1/x'],
  ['a host without a name', 'postgres://x@nowhere.invalid/x'],
])('every document is 503 if the address is %s', async (_, target) => {
  const { app, db } = appOver(target);
  for (const path of DOCUMENTS) await expectUnavailable(app, path);
  await db.destroy();
});

it.concurrent.each<[string, (socket: Socket) => unknown]>([
  ['never answers', () => undefined],
  ['closes them', (socket) => socket.end()],
])('every document is 503 if the server accepts connections and %s', async (_, answer) => {
  const mute = await openMute(answer);
  const { app, db } = appOver(mute.target);
  const paths = [...DOCUMENTS, ...DOCUMENTS, ...DOCUMENTS];
  await Promise.all(paths.map((path) => expectUnavailable(app, path)));
  expect(mute.connections()).toBeLessThan(100);
  await db.destroy();
  mute.close();
});
