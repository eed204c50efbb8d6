/** The API over streaming replicas: one lags, stands still, loses its primary or is promoted, and no reader gets a wrong answer. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readHosts } from '../../src/commands/status.ts';
import { readConfig } from '../../src/config.ts';
import type { Sql } from '../../src/database/client.ts';
import { makeHosts, partsOf } from '../../src/database/hosts.ts';
import { type Api, openReaderPool } from '../../src/database/pools.ts';
import { watchDataVersion } from '../../src/documents/dataVersion.ts';
import { checkHosts } from '../../src/schema/installed.ts';
import { type Service, start } from '../../src/service.ts';
import { keepingLog } from '../ingest/support.ts';
import { onEveryEngine, testDatabase } from '../support/database.ts';
import { freePort } from '../support/program.ts';
import { type Cluster, canReplicate, type Member, openCluster } from '../support/replicas.ts';
import { httpGet, until } from '../support/service.ts';
import { BASE, PATHS, prepare, publish, readOverReplicas, statesOf } from './replicaReads.ts';

const STATION = `${BASE}/station/1.json`;

let ahead = 0;
const clock = () => new Date(Date.now() + ahead);

type Running = { service: Service; port: number; adminPort: number; log: ReturnType<typeof keepingLog> };

async function serve(members: readonly Pick<Member, 'host'>[]): Promise<Running> {
  const [port, adminPort] = [Number(await freePort()), Number(await freePort())];
  const log = keepingLog();
  const config = readConfig({
    ROLE: 'api',
    READER_DATABASE_URL: `postgres://airseries@${members.map(({ host }) => host).join(',')}/airseries`,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
  });
  const service = start(config, { clock, log, pollMs: 50 });
  onTestFinished(() => service.stop(0));
  return { service, port, adminPort, log };
}

/** Resolves when a replica has received more than it has replayed. */
async function isReplaying({ sql }: Member): Promise<void> {
  const received = () => sql()`select 1 from api.server where received > replayed`;
  await until(async () => (await received()).length > 0, 'a part of a record has arrived');
}

async function historyOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ history: string }[]>`select history from api.freshness`;
  return row?.history ?? '';
}

onEveryEngine('the API over two replicas', (engine) => {
  let cluster: Cluster;
  let isPossible: boolean;
  beforeAll(async () => {
    isPossible = await canReplicate(engine);
    if (isPossible) cluster = await openCluster(engine, prepare);
  });
  afterAll(() => cluster?.close());

  it('never takes a client back, and keeps nothing stale', async ({ annotate, skip }) => {
    if (!isPossible) skip();
    const { reads, moves, aged, unavailable, stepsBack, stale } = await readOverReplicas(cluster, 5, 200);
    expect({ stepsBack, stale, unavailable }).toEqual({ stepsBack: [], stale: [], unavailable: 0 });
    expect([reads, moves]).toEqual([1_020, 5]);
    await annotate(
      `${reads} reads over two replicas (${engine}): moved ${moves} times, ${aged} answers with their age`,
    );
  });

  it('goes where it is answered best: a paused replica, both, a lost primary, a promotion', async ({ skip }) => {
    if (!isPossible) skip();
    const { primary, replicas, caughtUp } = cluster;
    const [first, second] = replicas as [Member, Member];
    await second.stop();
    const { port, adminPort, log } = await serve([first, second]);
    await until(async () => (await httpGet(adminPort, '/readyz')).status === 200, 'the service is ready');
    await second.start(); // one was enough
    let state = 100;
    const change = async (sql: Sql) => {
      state += 1;
      await publish(sql, state);
      return state;
    };
    const get = async (path = STATION) => {
      const { status, headers, body } = await httpGet(port, path);
      const [cacheControl = ''] = (headers['cache-control'] ?? '').split(',');
      return { status, shows: statesOf(body), age: headers.age, cacheControl };
    };
    const current = (shown: number) => ({ status: 200, shows: [shown], age: undefined, cacheControl: 'max-age=60' });
    const showsSoon = (shown: number, path = STATION) =>
      expect.poll(() => get(path), { interval: 10, timeout: 10_000 }).toEqual(current(shown));
    const readiness = async () => {
      const { status, body } = await httpGet(adminPort, '/readyz');
      return [status, JSON.parse(body).checks.replay];
    };
    const metric = async (name: string, { host }: Member) => {
      const { body } = await httpGet(adminPort, '/metrics');
      const lines = body.split('\n').filter((line) => line.startsWith(`airseries_database_${name}{host="${host}"} `));
      return Number(lines[0]?.split(' ')[1]);
    };
    const used = () => Promise.all(replicas.map((member) => metric('host_used', member)));

    await showsSoon(await change(primary.sql()));
    expect([await readiness(), await used()]).toEqual([
      [200, true],
      [1, 0],
    ]);
    expect(await metric('lag_seconds', first)).toBeLessThan(30);

    // the one that is read from stands still: it is left as soon as it is too far behind
    await first.pause();
    await change(primary.sql());
    await caughtUp([second]);
    ahead += 60_000;
    await showsSoon(state);
    expect([await readiness(), await used()]).toEqual([
      [200, true],
      [0, 1],
    ]);
    expect(await metric('lag_seconds', first)).toBeGreaterThan(30);
    expect(log.lines).toContainEqual({
      level: 'warn',
      message: 'reading from another database host',
      fields: { host: second.host, left: first.host, reason: expect.stringMatching(/^it is \d+ s behind/) },
    });

    // both stand still: what they say is sent with its age
    await second.pause();
    await change(primary.sql());
    ahead += 60_000;
    await expect
      .poll(get, { interval: 10, timeout: 10_000 })
      .toEqual({ status: 200, shows: [state - 1], age: expect.stringMatching(/^\d\d+$/), cacheControl: 'max-age=0' });
    expect(Number((await get(`${BASE}/station/2.json`)).age)).toBeGreaterThanOrEqual(30); // not asked for before
    expect(await readiness()).toEqual([503, false]);
    expect(await metric('lag_seconds', second)).toBeGreaterThan(30);
    const nowhere = 'postgres://airseries@127.0.0.1:1/airseries';
    const hosts = await readHosts([first.url, second.url, primary.url, nowhere], primary.sql(), clock());
    expect(hosts).toEqual([
      { host: first.host, state: 'replaying', lag_seconds: expect.any(Number), versions_behind: 2 },
      { host: second.host, state: 'replaying', lag_seconds: expect.any(Number), versions_behind: 1 },
      { host: primary.host, state: 'primary', lag_seconds: 0, versions_behind: 0 },
      { host: '127.0.0.1:1', state: expect.stringContaining('ECONNREFUSED'), lag_seconds: null, versions_behind: null },
    ]);
    await Promise.all([first.resume(), second.resume()]);
    await showsSoon(state);
    await caughtUp();
    await expect.poll(readiness, { interval: 10, timeout: 10_000 }).toEqual([200, true]); // by its next question at the latest

    // without a primary there is nothing newer, not even if it broke off amid a record: answers go on and, once that has lasted, say how
    // old they are
    const long = primary.sql()`select pg_logical_emit_message(false, 'airseries test', repeat('x', 600000000))`;
    const [unsent] = await Promise.allSettled([long, isReplaying(second).then(() => primary.stop())]);
    expect(unsent?.status).toBe('rejected');
    for (const path of PATHS) expect(await get(path)).toMatchObject({ status: 200, shows: [state] });
    ahead += 60_000;
    await expect.poll(get, { interval: 10, timeout: 10_000 }).toMatchObject({ age: expect.stringMatching(/^\d\d+$/) });
    await expect.poll(readiness, { interval: 10, timeout: 10_000 }).toEqual([200, true]); // by its next question at the latest

    // one is promoted: it alone is read from, and nothing kept from before is served as current
    await second.sql()`select pg_promote()`;
    await showsSoon(await change(second.sql()));
    expect(await used()).toEqual([0, 1]);
    expect(log.lines.map(({ message }) => message)).toContain(
      'the database has another history; nothing kept from before is served',
    );
    await first.sql()`select`; // it is still there
    await second.stop();
    await expect.poll(get, { interval: 10, timeout: 10_000 }).toMatchObject({ status: 200, cacheControl: 'max-age=0' });
    expect(await get()).toMatchObject({ shows: [state] });
    expect(await get(`${BASE}/station/3-history.json`)).toMatchObject({ status: 503 }); // never asked for
    await second.start();
    await showsSoon(await change(second.sql()));
  });

  it('refuses a host of another database at the start, and leaves it alone later', async ({ skip }) => {
    if (!isPossible) skip();
    const [replica] = cluster.replicas as [Member];
    const other = await testDatabase(engine);
    onTestFinished(() => other.drop());
    const targets = [replica.url, other.target];
    await expect(checkHosts(makeHosts(targets), {})).rejects.toThrow(
      `READER_DATABASE_URL names two databases: ${replica.host} and `,
    );
    const hosts = makeHosts(targets);
    const db = openReaderPool<Api>(hosts, { timeZone: 'UTC', max: 1 });
    const log = keepingLog();
    const versions = watchDataVersion({ db, target: hosts, clock, log, pollMs: 10 });
    onTestFinished(async () => {
      await versions.close();
      await db.destroy();
    });
    hosts.system = partsOf(await historyOf(replica.sql())).system;
    await expect.poll(() => hosts.all[1]?.reason).toBe('it is another database, no replica of this one');
    await expect.poll(() => versions.current()).toBeGreaterThan(0);
    expect(hosts.chosen.name).toBe(replica.host);
  });
});
