/**
 * The connections of a pool, and how long it lets a caller wait. Its behaviour without a database
 * is in test/serve/away.test.ts.
 */
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { Unavailable } from '../../src/base/unavailable.ts';
import { arrayLiteral } from '../../src/database/arrays.ts';
import { connect, onConnection } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { openQueryPool, type QueryPool } from '../../src/database/queryPool.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { openMute } from '../support/wire.ts';

onOneEngine('a pool', (engine) => {
  let database: TestDatabase;
  let pool: QueryPool;
  const open = (options: Partial<Parameters<typeof openQueryPool>[1]> = {}) =>
    openQueryPool(database.target, {
      role: 'airseries_reader',
      name: 'airseries read',
      timeZone: 'UTC',
      max: 3,
      statementTimeoutMs: 20_000,
      totalTimeoutMs: 30_000,
      maxWaiting: 10,
      ...options,
    });
  beforeAll(async () => {
    database = await testDatabase(engine);
    pool = open();
  });
  afterAll(async () => {
    await pool.close();
    await database.drop();
  });

  const backend = async (of = pool) => {
    const [row] = (await of.query('select pg_backend_pid() as pid from pg_sleep(0.05)', [])) as {
      pid: number;
    }[];
    return row?.pid;
  };

  it('a pool opens a connection only if it has no idle one, up to its size', async () => {
    const first = await backend();
    expect(await backend()).toBe(first);
    const all = await Promise.all(Array.from({ length: 6 }, () => backend()));
    expect(new Set(all).size).toBe(3);
    expect(all).toContain(first);
  });

  it('a pool closes idle connections, and opens new ones when needed', async () => {
    const other = open({ closeIdleAfterSeconds: 1 });
    const backends = await Promise.all(Array.from({ length: 3 }, () => backend(other)));
    const left = () =>
      database.superuser()`select from pg_stat_activity where pid = any (${arrayLiteral(backends as number[])}::int[])`;
    await expect.poll(left, { timeout: 10_000 }).toHaveLength(0);
    expect(backends).not.toContain(await backend(other));
    await other.close();
  });

  it('a pool tells which statement took how many seconds, and how many it waited', async () => {
    const seen = { waited: [] as number[], took: [] as [string, number][] };
    const onAcquired = (seconds: number) => void seen.waited.push(seconds);
    const onQuery = (name: string, seconds: number) => void seen.took.push([name, seconds]);
    const other = open({ observer: () => ({ onAcquired, onQuery }) });
    await backend(other);
    const statement = 'select pg_sleep(0.05) from api.freshness';
    await Promise.all(Array.from({ length: 4 }, () => other.query(statement, [])));
    await other.close();
    const someTime = expect.toSatisfy((seconds) => seconds >= 0.05 && seconds < 30);
    expect(seen.took).toEqual([['other', someTime], ...Array(4).fill(['api.freshness', someTime])]);
    expect(seen.waited.toSorted((a, b) => a - b)).toEqual([
      ...Array(4).fill(expect.any(Number)),
      someTime,
    ]);
  });

  it('a closed pool has no session left, not even that of its probes', async () => {
    const name = 'airseries probed';
    const other = open({ name, probe: { intervalMs: 20, timeoutMs: 10_000 } });
    const sessions = () =>
      database.superuser()`select from pg_stat_activity where application_name = ${name}`;
    const lock = 'select pg_advisory_xact_lock(1)';
    const end = await openTransaction(database.as(), lock);
    const working = other.query(lock, []);
    await expect.poll(sessions).toHaveLength(2);
    await end('rollback');
    await working;
    await other.close();
    await expect.poll(sessions, { timeout: 10_000 }).toHaveLength(0);
  });

  it('a server without a free connection is waited for', async () => {
    const login = `one_${database.target.database}`;
    const superuser = database.superuser();
    await superuser.unsafe(`create role ${login} login connection limit 1`);
    const target = { ...database.target, user: login };
    const only = connect(target, {});
    await only`select`;
    const waiting = onConnection(target, {}, (sql) => sql`select 1 as answer`);
    await new Promise((resolve) => setTimeout(resolve, 500)); // it is refused at least once
    await only.end();
    expect(await waiting).toEqual([{ answer: 1 }]);
    await superuser.unsafe(`drop role ${login}`);
  });
});

/** A server's answer to a client that may log in without a password. */
const LOGGED_IN = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1');

/** Messages of a server: a type, the length, and what is in it. */
const message = (type: string, content: string) => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content, 'latin1')]);
};
/** One row with the text 7 in its column n, of a result that is said to have `count` rows. */
const oneRowOf = (count: number) =>
  Buffer.concat([
    message('1', ''),
    message('t', '\0\0'),
    message('T', `\0\x01n\0${'\0'.repeat(9)}\x19\xff\xff\xff\xff\xff\xff\0\0`),
    message('2', ''),
    message('D', '\0\x01\0\0\0\x017'),
    message('C', `SELECT ${count}\0`),
    message('Z', 'I'),
  ]);

it.each([
  [1, [{ n: '7' }]],
  [2, expect.any(Unavailable)],
])('one row of a result that has %i is answered, or refused', async (count, expected) => {
  const server = await openMute((socket) => {
    socket.once('data', () => {
      socket.on('data', () => socket.write(oneRowOf(count)));
      socket.write(LOGGED_IN);
    });
  });
  onTestFinished(server.close);
  const pool = openReaderPool(server.target, { timeZone: 'UTC' });
  const answer = await pool.query('select n', []).catch((error: unknown) => error);
  await pool.destroy();
  expect(answer).toEqual(expected);
});

it('a request is Unavailable after three seconds if the server lets it log in, and then says nothing', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  let hasStatement = () => {};
  const sent = new Promise<void>((resolve) => {
    hasStatement = resolve;
  });
  const mute = await openMute((socket) => {
    socket.once('data', () => socket.write(LOGGED_IN, () => socket.once('data', hasStatement)));
  });
  onTestFinished(mute.close);
  const pool = openReaderPool(mute.target, { timeZone: 'UTC' });
  const answer = pool.query('select', []).catch((error: unknown) => error);
  await sent;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await Promise.race([answer, 'still waiting'])).toBeInstanceOf(Unavailable);
  vi.useRealTimers();
  await pool.destroy();
});
