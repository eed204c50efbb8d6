/**
 * A login that may only read cannot gain rights or lock tables that the service writes. Its
 * advisory locks are in test/whole/deploy/reader.test.ts.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { openPushing, type Pushing } from '../ingest/http/pushing.ts';
import { onOneEngine } from '../support/database.ts';

const MODES = [
  'access share',
  'row share',
  'row exclusive',
  'share update exclusive',
  'share',
  'exclusive',
];

onOneEngine('a login that may only read', (engine) => {
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
    reader = connect(
      { ...(pushing.database.target as object), user: login, password: 'secret' } as never,
      {},
    );
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

  it('a login that may only read cannot take another role', async () => {
    const roles = await superuser<{ name: string }[]>`
      select rolname as name from pg_roles where rolname not in ('airseries_reader', ${login})`;
    expect(roles.length).toBeGreaterThan(3);
    for (const { name } of roles) {
      expect(await refusal(`set role "${name}"`), name).toBe('42501');
      expect(await refusal(`set session authorization "${name}"`), name).toBe('42501');
    }
  });

  it('a login that may only read cannot lock a table that the service writes, or end a session', async () => {
    const tables = await superuser<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('raw', 'rollup') and c.relkind = 'r'`;
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['raw.ingest_lock', 'rollup.freshness']),
    );
    for (const { name } of tables) {
      for (const mode of MODES)
        expect(await refusal(`lock table ${name} in ${mode} mode`), name).toBe('42501');
    }
    expect(await refusal(`call raw.acquire_lock('rollup.refresh')`)).toBe('42501');
    const sessions = await superuser<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and usename <> ${login}`;
    for (const { pid } of sessions)
      expect(await refusal(`select pg_terminate_backend(${pid})`)).toBe('42501');
    expect(sessions.length).toBeGreaterThan(0);
  });
});

onOneEngine('a session lock', (engine) => {
  let pushing: Pushing;
  beforeAll(async () => {
    pushing = await openPushing(engine);
  });
  afterAll(() => pushing.close());
  const session = () => connect(pushing.database.target, { role: 'airseries_owner' });
  const take = async (sql: Sql) =>
    (await sql`select pg_try_advisory_lock(hashtext('airseries'), hashtext('a')) as got`)[0]?.got;

  it('a session lock is held by one session until it is released as often as it was taken', async () => {
    const [one, two] = [session(), session()];
    expect([await take(one), await take(one), await take(two)]).toEqual([true, true, false]);
    await one`select raw.release_lock('a')`;
    expect(await take(two)).toBe(false);
    await one`select raw.release_lock('a')`;
    expect([await take(two), await take(one)]).toEqual([true, false]);
    await one`call raw.acquire_lock('b')`; // another lock is free
    await Promise.all([one.end(), two.end()]);
  });

  it('a session lock is released with its session, and each waiting session gets it in turn', async () => {
    const sessions = Array.from({ length: 8 }, session);
    let holding = 0;
    let most = 0;
    await Promise.all(
      sessions.map(async (sql) => {
        await sql`call raw.acquire_lock('a')`;
        holding += 1;
        most = Math.max(most, holding);
        await sql`select`;
        holding -= 1;
        await sql.end();
      }),
    );
    expect(most).toBe(1);
  });
});
