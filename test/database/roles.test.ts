/**
 * The database enforces the rights of each role: every forbidden statement is tried. Advisory locks
 * of a login that may only read are in test/whole/deploy/reader.test.ts.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type Sql } from '../../src/database/client.ts';
import type { Role } from '../../src/database/session.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';

const FORBIDDEN: Record<Exclude<Role, 'airseries_owner'>, string[]> = {
  airseries_reader: [
    'select * from raw.readings',
    'select * from raw.quarantine',
    'select * from raw.token',
    'select * from rollup.station_hourly',
    'select * from rollup.digest',
    'select * from logic.flag',
    'select * from logic.placement',
    'delete from api.freshness',
    'create table api.mine (id int)',
    'create table public.mine (id int)',
    "call rollup.refresh('2026-01-01')",
    'set role airseries_owner',
  ],
  airseries_ingest: [
    'delete from raw.readings',
    'truncate raw.readings',
    'drop table raw.readings',
    'alter table raw.readings add column mine int',
    'update raw.sensor set kind = null',
    'delete from raw.quarantine',
    "update raw.quarantine set reason = 'mine'",
    'alter table raw.quarantine add column mine int',
    'insert into raw.token select * from raw.token',
    'update raw.token set revoked_at = null',
    'delete from raw.token',
    'delete from raw.correction',
    "update raw.installation set ingest_cutoff = '-infinity'",
    "select logic.screen('2026-01-01', '2026-01-02')",
    "call logic.raise_ingest_cutoff('2026-01-01')",
    'call logic.delete_expired_readings()',
    'select * from rollup.station_hourly',
    'select * from api.station',
    "call rollup.refresh('2026-01-01')",
    'select logic.replace_network(null)',
    'select logic.apply_periods()',
    'insert into raw.placement select * from raw.placement',
    'set role airseries_owner',
  ],
};

const MODES = [
  'access share',
  'row share',
  'row exclusive',
  'share update exclusive',
  'share',
  'exclusive',
];

onEveryEngineInAll('roles', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
    // a login as an operator would create it, so that `set role` is really tried
    for (const role of Object.keys(FORBIDDEN)) {
      await database
        .superuser()
        .unsafe(`create role ${login(database, role)} login in role ${role}`);
    }
  });
  afterAll(async () => {
    for (const role of Object.keys(FORBIDDEN))
      await database.superuser().unsafe(`drop role ${login(database, role)}`);
    await database.drop();
  });

  it.each(
    Object.entries(FORBIDDEN).flatMap(([role, statements]) =>
      statements.map((statement) => [role, statement]),
    ),
  )('role %s is refused: %s', async (role, statement) => {
    const superuser = database.superuser();
    const attempt = `set session authorization ${login(database, role as string)}; set search_path = rollup, public; ${statement}`;
    await expect(superuser.unsafe(attempt).simple()).rejects.toMatchObject({ code: '42501' });
    await superuser.end();
  });

  it('a login that may only read cannot take another role, lock a table that the service writes, or end a session', async () => {
    const superuser = database.superuser();
    const name = login(database, 'airseries_reader');
    const reader = connect({ ...database.target, user: name }, {});
    await reader`select set_config('lock_timeout', '100ms', false)`;
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
    const roles = await superuser<{ name: string }[]>`
      select rolname as name from pg_roles where rolname not in ('airseries_reader', ${name})`;
    const tables = await superuser<{ name: string }[]>`
      select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('raw', 'rollup') and c.relkind = 'r'`;
    const sessions = await superuser<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and usename <> ${name}`;
    for (const all of [roles, tables, sessions]) expect(all.length).toBeGreaterThan(0);
    const forbidden = [
      ...roles.flatMap(({ name }) => [`set role "${name}"`, `set session authorization "${name}"`]),
      ...tables.flatMap(({ name }) => MODES.map((mode) => `lock table ${name} in ${mode} mode`)),
      `call raw.acquire_lock('rollup.refresh')`,
      ...sessions.map(({ pid }) => `select pg_terminate_backend(${pid})`),
    ];
    for (const statement of forbidden) expect(await refusal(statement), statement).toBe('42501');
    await reader.end();
  });

  it('the ingest role may call only the writing functions that store readings, and the reader none', async () => {
    const rows = await database.superuser()`
      select role, array_agg(p.proname::text order by p.proname) as functions
      from pg_proc p cross join unnest(array['airseries_reader', 'airseries_ingest']) role
      where p.pronamespace::regnamespace::text in ('logic', 'rollup') and p.provolatile = 'v'
        and has_function_privilege(role, p.oid, 'execute')
      group by 1 order by 1`;
    const functions = [
      'delete_empty_readings',
      'derive_rain',
      'lock_gauges',
      'lock_imports',
      'note_for_undo',
      'open_stage',
      'put_together',
      'quarantine_staged',
      'stage_undo',
      'store_new',
      'store_period',
      'store_readings',
      'store_staged',
      'withdraw_values',
    ];
    expect(rows).toEqual([{ role: 'airseries_ingest', functions }]);
  });

  it('the reader may read api, and the ingest role may write readings', async () => {
    const reader: Sql = database.as('airseries_reader');
    expect(await reader`select * from api.station`).toEqual([]);
    expect(await reader`select * from api.station_current('2026-11-20')`).toEqual([]);
    const ingest = database.as('airseries_ingest');
    await ingest`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-11-20', 1, 5)`;
    expect(await ingest`select pm25 from raw.readings`).toEqual([{ pm25: 5 }]);
  });
});

function login(database: TestDatabase, role: string): string {
  return `${role}_of_${database.target.database}`;
}
