/**
 * The settings of sessions: the server has them for each kind of connection, and a check names the
 * missing ones. They are written out here, and not taken from the code that sends them.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import { checkSession } from '../../src/database/checkSession.ts';
import { connect, onConnection, type Sql } from '../../src/database/client.ts';
import { openIngestPool, openReaderPool, openWholeNetworkPool } from '../../src/database/pools.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { NOW } from '../support/clock.ts';
import { whereComplete } from '../support/complete.ts';
import {
  onEveryEngineInAll,
  onOneEngine,
  type TestDatabase,
  testDatabase,
} from '../support/database.ts';
import { httpGet } from '../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { launch } from '../support/launch.ts';

/** Times without a unit are in milliseconds; keepalives are in seconds. */
const OF_ALL = {
  DateStyle: 'ISO, YMD',
  TimeZone: 'Asia/Yerevan',
  search_path: 'rollup, public',
  jit: 'off',
  client_encoding: 'UTF8',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
  client_connection_check_interval: '2000',
  'timescaledb.max_tuples_decompressed_per_dml_transaction': '0',
  'timescaledb.enable_merge_on_cagg_refresh': 'off',
};
const OF_OWNER = { ...OF_ALL, role: 'airseries_owner' };
const OF_READER = { ...OF_ALL, role: 'airseries_reader', plan_cache_mode: 'force_custom_plan' };
const OF_PUBLIC_API = { ...OF_READER, statement_timeout: '2000' };
const OF_WHOLE_NETWORK = { ...OF_READER, statement_timeout: '20000' };
const OF_INGEST = { ...OF_ALL, role: 'airseries_ingest', statement_timeout: '20000' };

/**
 * The settings that the client of this session has set, as the server has them. The view leaves out
 * the role, and the settings of an extension that is not installed.
 */
const SETTINGS = `
  select jsonb_object_agg(name, reset_val) - 'application_name' || jsonb_build_object(
    'role', current_setting('role'),
    'timescaledb.max_tuples_decompressed_per_dml_transaction',
      current_setting('timescaledb.max_tuples_decompressed_per_dml_transaction', true),
    'timescaledb.enable_merge_on_cagg_refresh',
      current_setting('timescaledb.enable_merge_on_cagg_refresh', true)) as settings
  from pg_settings where source = 'client'`;

const timeZone = 'Asia/Yerevan';

onEveryEngineInAll('the settings of a session', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine, timeZone);
  });
  afterAll(() => database.drop());

  it.each([
    ['the public API', openReaderPool, OF_PUBLIC_API],
    ['the whole network', openWholeNetworkPool, OF_WHOLE_NETWORK],
    ['ingestion', openIngestPool, OF_INGEST],
  ] as const)(
    'the settings of a session reach the server on a connection for %s',
    async (_, open, expected) => {
      const pool = open(database.target, { timeZone });
      const [row] = (await pool.query(SETTINGS, [])) as { settings: object }[];
      expect(row?.settings).toEqual(expected);
      await ('close' in pool ? pool.close() : pool.destroy());
    },
  );

  it.each([
    ['an idle session', 'select'],
    ['a session that is idle in a transaction', 'begin'],
  ])('%s is ended by the server, which releases its locks', async (name, first) => {
    // at load, a shorter time ends before the first statement
    const idle = onConnection(database.target, { idleTimeoutMs: 1_000 }, async (sql) => {
      await sql.unsafe(first);
      await sql`select pg_advisory_lock(hashtext(${name}))`;
      // once the session has ended
      return await database
        .superuser()
        .unsafe(`set lock_timeout = '30s'; select pg_advisory_lock(hashtext('${name}'))`);
    });
    await expect(idle).resolves.toBeDefined();
  });

  it.each([
    ['TimeZone', 'Asia/Yerevan', 'UTC'],
    ['timescaledb.max_tuples_decompressed_per_dml_transaction', '100000', '0'],
    ['timescaledb.enable_merge_on_cagg_refresh', 'on', 'off'],
  ])('a wrong setting of a session is named in the error: %s %s', async (name, found, expected) => {
    const check = onConnection(database.target, {}, async (sql) => {
      await sql`select set_config(${name}, ${found}, false)`;
      await checkSession(sql, database.target, {});
    });
    await expect(check).rejects.toThrow(`${name} is ${found} instead of ${expected}`);
  });

  it('a login that may not take one of the roles is refused at the start', async () => {
    const user = `two_roles_${database.target.database}`;
    const roles = 'airseries_owner, airseries_reader';
    await database.superuser().unsafe(`create role ${user} login in role ${roles}`);
    await expect(
      migrate({ ...database.target, user }, { now: NOW, log: makeLog('warn') }),
    ).rejects.toThrow('permission denied to set role "airseries_ingest"');
    await database.superuser().unsafe(`drop role ${user}`);
  });
});

/** The embedded PostgreSQL, from version 17 on, can note what each session begins with. */
onOneEngine('a started service', (engine) => {
  let here: Installation;
  let superuser: Sql;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town']), timeZone);
    superuser = here.database.superuser();
    await superuser
      .unsafe(`
        create table public.seen (application text, settings jsonb);
        create function public.note_session() returns event_trigger language plpgsql
        security definer as $$ begin
          insert into public.seen
          select current_setting('application_name'), s.settings from (${SETTINGS}) s;
        end $$;
        create event trigger note_session on login execute function public.note_session()`)
      .simple();
    return () => here.close();
  });

  /** The applications that have connected since the last call, with their settings. */
  async function seen() {
    const rows = await superuser<{ application: string; settings: object }[]>`
      with seen as (delete from public.seen returning application, settings)
      select distinct application, settings, settings ->> 'role' as role from seen
      where application like 'airseries%' order by application, role, settings`;
    return rows.map(({ application, settings }) => [application, settings]);
  }

  it(
    'a started service opens each of its connections with the settings of its kind',
    whereComplete,
    async () => {
      const { port, jobs, runJob, stop } = await launch(here);
      await httpGet(port.public, '/en/air-quality-app/v1/stations.json');
      await httpGet(port.admin, '/metrics');
      for (const job of jobs) await runJob(job);
      await stop();
      const inUtc = { ...OF_OWNER, TimeZone: 'UTC' };
      const withoutRole = { ...inUtc, role: 'none' };
      // a session that holds the lock of refreshes must not stay when its process is gone
      const idle = { idle_session_timeout: '10000', idle_in_transaction_session_timeout: '10000' };
      expect(await seen()).toEqual([
        ['airseries', OF_OWNER],
        ['airseries', OF_READER],
        ['airseries check', withoutRole],
        ['airseries claim', inUtc],
        ['airseries demo', inUtc],
        ['airseries digest', inUtc],
        ['airseries ingest', OF_INGEST],
        ['airseries migrate', withoutRole],
        ['airseries pull', inUtc],
        ['airseries quarantine', inUtc],
        ['airseries read', OF_PUBLIC_API],
        ['airseries read all', OF_WHOLE_NETWORK],
        ['airseries refresh', { ...OF_OWNER, ...idle }],
        ['airseries refresh', { ...inUtc, ...idle }],
        ['airseries screen', inUtc],
        ['airseries zone', OF_OWNER],
      ]);
    },
  );
});

it('a connection is not replaced after some time, because it may hold a lock', async () => {
  const database = await testDatabase('plain');
  const sql = connect(database.target, {});
  const backend = async () => (await sql`select pg_backend_pid() as pid`)[0]?.pid;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  const before = await backend();
  vi.advanceTimersByTime(2 * 3_600_000); // the driver's own limit is at most an hour
  vi.useRealTimers();
  expect(await backend()).toBe(before);
  await sql.end();
  await database.drop();
});
