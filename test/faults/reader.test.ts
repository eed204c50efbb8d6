/** A login that may only read cannot gain rights, and its locks cannot block the service. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type DatabaseAddress, type Sql } from '../../src/database/client.ts';
import { removeDemo } from '../../src/demo/lifecycle.ts';
import { makeLog } from '../../src/log.ts';
import { refresh } from '../../src/rollups/refresh.ts';
import { deleteExpired } from '../../src/rollups/retention.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { becomeLeader } from '../../src/worker/leader.ts';
import { bringIn, NOW, smallNetwork } from '../ingest/support.ts';
import { openPushing, type Pushing, send } from '../push/pushing.ts';
import { onEveryEngine } from '../support/database.ts';

/** Names of our advisory locks, present and past. */
const NAMES = [
  'airseries.demo',
  'airseries.migrate',
  'airseries.worker',
  'raw.ingest_cutoff',
  'raw.network',
  'raw.screen',
  'rollup.refresh',
];
const MODES = ['access share', 'row share', 'row exclusive', 'share update exclusive', 'share', 'exclusive'];

onEveryEngine('a login that may only read', (engine) => {
  let pushing: Pushing;
  let login: string;
  let reader: Sql;
  let superuser: Sql;
  beforeAll(async () => {
    pushing = await openPushing(engine);
    const { database } = pushing.database.target as Exclude<DatabaseAddress, string>;
    login = `reader_of_${database}`;
    superuser = pushing.database.superuser();
    await superuser.unsafe(`create role ${login} login password 'secret' in role airseries_reader`);
    reader = connect({ ...(pushing.database.target as object), user: login, password: 'secret' } as never, {});
    await reader`select set_config('lock_timeout', '100ms', false)`;
  });
  afterAll(async () => {
    await reader.end({ timeout: 1 });
    await superuser.unsafe(`drop role ${login}`);
    await pushing.close();
  });
  const refusal = (statement: string) =>
    reader
      .unsafe(`begin; ${statement}; rollback`)
      .simple()
      .then(
        () => 'done',
        async ({ code }) => {
          await reader`rollback`;
          return code as string;
        },
      );

  it('cannot take another role', async () => {
    const roles = await superuser<{ name: string }[]>`
      select rolname as name from pg_roles where rolname not in ('airseries_reader', ${login})`;
    expect(roles.length).toBeGreaterThan(3);
    for (const { name } of roles) {
      expect(await refusal(`set role "${name}"`), name).toBe('42501');
      expect(await refusal(`set session authorization "${name}"`), name).toBe('42501');
    }
  });

  it('cannot lock a table that the service writes, nor end a session', async () => {
    const tables = await superuser<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('raw', 'rollup') and c.relkind = 'r'`;
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['raw.ingest_lock', 'raw.session_lock']));
    for (const { name } of tables) {
      for (const mode of MODES) expect(await refusal(`lock table ${name} in ${mode} mode`), name).toBe('42501');
    }
    for (const call of ["raw.try_lock('rollup.refresh')", "raw.lock_holders('rollup.refresh')"]) {
      expect(await refusal(`select ${call}`)).toBe('42501');
    }
    const sessions = await superuser<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and usename <> ${login}`;
    for (const { pid } of sessions) expect(await refusal(`select pg_terminate_backend(${pid})`)).toBe('42501');
    expect(sessions.length).toBeGreaterThan(0);
  });

  it('blocks nothing by holding advisory locks with the keys of our names', async ({ annotate }) => {
    for (const name of NAMES) {
      await reader`select pg_advisory_lock(hashtext(${name})), pg_advisory_lock(hashtext(${name}), n) from generate_series(0, 99) n`;
    }
    const { database, owner } = pushing;
    const began = performance.now();
    const readings = JSON.stringify([{ sensor_id: 1, time: '2026-11-20T11:00:00Z', pm25: 1 }]);
    expect((await send(pushing.app, pushing.token, readings)).status).toBe(200);
    await bringIn(owner, smallNetwork());
    await owner`select logic.screen(${NOW}::timestamptz - interval '8 days', ${NOW})`;
    await owner`call logic.raise_ingest_cutoff('2020-01-01')`;
    await refresh(database.target, NOW);
    await deleteExpired(database.target, NOW, '60 days', { log: makeLog('silent') });
    await removeDemo(database.target);
    await superuser`update raw.installation set repeatable = 'of another version'`;
    await migrate(database.target, { now: NOW, log: makeLog('silent') });
    let working = false;
    const worker = await becomeLeader(database.target, makeLog('silent'), async (confirm) => {
      await confirm();
      working = true;
      return async () => undefined;
    });
    expect(working).toBe(true);
    await worker.stop();
    const [held] =
      await reader`select count(*)::int as n from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'`;
    expect(held?.n).toBe(101 * NAMES.length);
    await annotate(
      `row 14: with every lock key held by a reader (${engine}), everything took ${Math.round(performance.now() - began)} ms; before: it never ended`,
    );
  });
});

onEveryEngine('a session lock', (engine) => {
  let pushing: Pushing;
  beforeAll(async () => {
    pushing = await openPushing(engine);
  });
  afterAll(() => pushing.close());
  const session = () => connect(pushing.database.target, { role: 'airseries_owner' });
  const take = async (sql: Sql) => (await sql`select raw.try_lock('a') as got`)[0]?.got;

  it('is reentrant: held by one session until it is released as often as it was taken', async () => {
    const [one, two] = [session(), session()];
    expect([await take(one), await take(one), await take(two)]).toEqual([true, true, false]);
    await one`select raw.release_lock('a')`;
    expect(await take(two)).toBe(false);
    await one`select raw.release_lock('a')`;
    expect([await take(two), await take(one)]).toEqual([true, false]);
    expect(await one`select raw.try_lock('b') as got`).toEqual([{ got: true }]);
    await Promise.all([one.end(), two.end()]);
  });

  it('is tried and taken by one session at a time', async () => {
    const [one, two] = [session(), session()];
    await one`begin`;
    expect(await take(one)).toBe(true);
    await two`select set_config('lock_timeout', '50ms', false)`;
    await expect(take(two)).rejects.toMatchObject({ code: '55P03' });
    await one`commit`;
    expect(await take(two)).toBe(false);
    await Promise.all([one.end(), two.end()]);
  });

  it('is released with its session, and each of many waiting sessions gets it once', async () => {
    const sessions = Array.from({ length: 8 }, session);
    let holding = 0;
    let most = 0;
    await Promise.all(
      sessions.map(async (sql) => {
        await sql`call raw.acquire_lock('a')`;
        most = Math.max(most, ++holding);
        await sql`select`;
        holding--;
        await sql.end();
      }),
    );
    expect(most).toBe(1);
  });
});
