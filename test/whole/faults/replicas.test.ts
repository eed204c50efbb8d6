/**
 * The API over an address that leads to one replica and then to another, which may lack something:
 * no client sees an older state after a newer one.
 */
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { refresh } from '../../../src/aggregate/refresh.ts';
import { onConnection, type Sql } from '../../../src/database/client.ts';
import { openReaderPool } from '../../../src/database/pools.ts';
import { importNetwork } from '../../../src/network/importNetwork.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { makeApp } from '../../../src/serve/app.ts';
import { watchDataVersion } from '../../../src/serve/dataVersion.ts';
import { onEveryEngine } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { until } from '../../support/patience.ts';
import { seeded } from '../../support/random.ts';
import { openWire } from '../../support/wire.ts';
import { type Cluster, canReplicate, type Member, openCluster } from './replicaServers.ts';

const BASE = '/en/air-quality-app/v1';
const SLUGS = ['alpha', 'beta', 'gamma'];
const PATHS = [
  ...SLUGS.map((_, index) => `${BASE}/station/${index + 1}.json`),
  `${BASE}/stations.json`,
];
const ROUNDS = 3;
const CLIENTS = 4;
const READS = 25;
const log = keepingLog();

/** Publishes the state of this number: every station is called by it. */
async function publish(sql: Sql, state: number): Promise<void> {
  const network = citiesOfOneStation(SLUGS);
  const stations = network.stations.map((one) => ({ ...one, title: { en: `state ${state}` } }));
  await importNetwork(sql, JSON.stringify({ ...network, stations }), { log });
}

/** The states that a body shows, for one station or for all. */
const statesOf = (body: string) =>
  [...body.matchAll(/"title":"state (\d+)"/g)].map(([, state]) => Number(state));

const addressOf = ({ host }: Member) => ({ host: '127.0.0.1', port: Number(host.split(':')[1]) });

/**
 * Two processes over an address that leads to `member` at first: one keeps documents, the other
 * renders each for its request.
 */
async function serve(member: Member) {
  const wire = await openWire({ ...addressOf(member), user: 'airseries', database: 'airseries' });
  const db = openReaderPool(wire.target, { timeZone: 'UTC', max: 4 });
  const clock = () => new Date();
  const versions = watchDataVersion({ db, clock, log, pollMs: 10 });
  const servers = [1e7, 0].map((maxBytes) =>
    createServer(
      makeApp({ db, clock, siteBaseUrl: '', log, cache: { maxBytes, versions } }),
    ).listen(0),
  );
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    versions.close();
    await db.destroy();
    await wire.close();
  });
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  const get = async (process: number, path: string) => {
    const { status, headers, body } = await httpGet(ports[process % ports.length] ?? 0, path);
    expect([200, 503]).toContain(status);
    return { status, states: statesOf(body), age: headers.age };
  };
  return { wire, versions, get };
}

onEveryEngine('the API over replicas', (engine) => {
  let cluster: Cluster;
  let isPossible: boolean;
  beforeAll(async () => {
    isPossible = await canReplicate(engine);
    if (!isPossible) return;
    cluster = await openCluster(engine, async (url) => {
      const now = new Date();
      await migrate(url, { now, log });
      await onConnection(url, { role: 'airseries_owner' }, (sql) => publish(sql, 0));
      await refresh(url, () => now);
    });
  });
  afterAll(() => cluster?.close());

  it('no client sees an older state after a newer one, and nothing stale is kept, over lagging replicas', async ({
    annotate,
    skip,
  }) => {
    if (!isPossible) skip('the server with TimescaleDB is not installed here');
    const { primary, replicas, caughtUp } = cluster;
    const [first, second] = replicas as [Member, Member];
    const { wire, versions, get } = await serve(first);
    const random = seeded(7);
    const counts = { reads: 0, aged: 0, unavailable: 0 };
    const newestSeen = Array.from({ length: CLIENTS }, () => 0);
    const stepsBack: string[] = [];
    const read = async (client: number) => {
      for (let n = 0; n < READS; n++) {
        const path = random.pick(PATHS);
        const { status, states, age } = await get(client, path);
        counts.reads += 1;
        if (status === 503) counts.unavailable += 1;
        if (age !== undefined) counts.aged += 1;
        const newest = newestSeen[client] ?? 0;
        // a document with its age is known to be old
        if (age === undefined && states.some((state) => state < newest))
          stepsBack.push(`${path} shows ${states} after ${newest}`);
        newestSeen[client] = Math.max(newest, ...states);
      }
    };
    const readAll = () => Promise.all(newestSeen.map((_, client) => read(client)));
    const isNewest = async () => {
      const [row] = await primary.sql()`select data_version as version from rollup.freshness`;
      return versions.current()?.version === row?.version;
    };
    const [present, other] = [first, second];
    for (let round = 1; round <= ROUNDS; round++) {
      await other.pause();
      await Promise.all([readAll(), publish(primary.sql(), round)]);
      await caughtUp([present]);
      await until(isNewest, 'the process knows the newest version');
      wire.leadTo(addressOf(other)); // which lacks it
      await readAll();
      await Promise.all([readAll(), other.resume()]);
      await caughtUp();
      await until(isNewest, 'the process knows the newest version again');
      for (const process of [0, 1]) {
        for (const path of PATHS) {
          const { states, age } = await get(process, path);
          expect([new Set(states), age], path).toEqual([new Set([round]), undefined]);
        }
      }
      wire.leadTo(addressOf(present));
    }
    expect(stepsBack).toEqual([]);
    expect(counts.aged).toBeGreaterThan(0);
    expect(counts.unavailable).toBeGreaterThan(0);
    await annotate(`over two replicas (${engine}): ${JSON.stringify(counts)}, 0 steps back`);
  });

  it('a replica without its primary is served, and nothing kept from before a promotion is', async ({
    skip,
  }) => {
    if (!isPossible) skip('the server with TimescaleDB is not installed here');
    const { primary, replicas, caughtUp } = cluster;
    const [first, second] = replicas as [Member, Member];
    const { versions, get, wire } = await serve(second);
    await caughtUp();
    await publish(primary.sql(), 100);
    await caughtUp();

    const shows = (state: number) => ({ status: 200, states: [state], age: undefined });
    const [path = '', other = ''] = PATHS;
    await expect.poll(() => get(0, path)).toEqual(shows(100));
    await primary.stop();
    expect(await get(0, path)).toEqual(shows(100)); // there may be nothing newer

    await second.stop();
    await expect.poll(() => versions.current()).toBeUndefined();
    expect(await get(0, path)).toMatchObject({
      status: 200,
      states: [100],
      age: expect.any(String),
    });
    expect(await get(0, other)).toMatchObject({ status: 503 }); // it was not asked for before
    await first.sql()`select pg_promote()`;
    wire.leadTo(addressOf(first));
    await expect.poll(() => versions.current()?.history).toBe(2);
    await publish(first.sql(), 101);
    await expect.poll(() => get(0, path)).toEqual(shows(101));
  });
});
