/**
 * A start names the sessions it waits for, and takes no lock that a pooler would keep; how locks of
 * sessions are held.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { needs } from '../support/tools.ts';
import { throughPooler } from './pooler.ts';

const log = makeLog('silent');
const WAITING = 'waiting for another session to release a lock';

onOneEngine('a start', (engine) => {
  let database: TestDatabase;
  let superuser: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    superuser = database.superuser();
  });
  afterAll(() => database.drop());

  it.each([
    ['airseries.migrate', ''],
    ['rollup.refresh', `update raw.installation set rollups = 'of another version'`],
  ])('a start names the session that holds lock %s after two seconds', async (name, before) => {
    if (before !== '') await superuser.unsafe(before);
    const holder = connect(database.target, { name: 'airseries import' });
    await holder`select pg_advisory_lock(hashtext('airseries'), hashtext(${name}))`;
    const lines = keepingLog();
    const migrated = migrate(database.target, { now: NOW, log: lines });
    const said = () => lines.lines.find(({ message }) => message === WAITING);
    await expect.poll(said, { timeout: 10_000 }).toMatchObject({
      level: 'warn',
      fields: {
        lock: name,
        held_by: [
          {
            pid: expect.any(Number),
            application: 'airseries import',
            user: database.target.user,
            since: expect.stringMatching(/^20/),
          },
        ],
        remedy: expect.stringMatching(/select pg_terminate_backend\(\d+\);$/),
      },
    });
    await holder.end();
    await migrated;
  });

  it('a start names the sessions that use the aggregates which it replaces', async () => {
    const end = await openTransaction(superuser, 'select from rollup.station_daily');
    await superuser`update raw.installation set rollups = 'of another version'`;
    const lines = keepingLog();
    const migrated = migrate(database.target, { now: NOW, log: lines });
    const said = () =>
      lines.lines.find(({ message }) => message === 'waiting for locks held by other sessions');
    await expect.poll(said, { timeout: 20_000 }).toMatchObject({
      fields: { sessions: [{ application: 'airseries', since: expect.stringMatching(/^20/) }] },
    });
    await end('rollback');
    await migrated;
  });

  it.each([
    ['drops its settings', false],
    ['lends its session', true],
  ])(
    'a start through a pooler that %s is refused, and leaves no lock there',
    needs('pgbouncer'),
    async (_, hasSettings) => {
      const login = `pooled_${database.target.database}`;
      await superuser.unsafe(`create role ${login} login superuser`);
      const ignored = [
        'search_path',
        'jit',
        'role',
        'tcp_keepalives_idle',
        'tcp_keepalives_interval',
        'tcp_keepalives_count',
        'client_connection_check_interval',
        'timescaledb.max_tuples_decompressed_per_dml_transaction',
        'timescaledb.enable_merge_on_cagg_refresh',
        'extra_float_digits',
      ];
      if (hasSettings)
        await superuser
          .unsafe(`
        alter role ${login} set search_path = rollup, public; alter role ${login} set jit = off;
        alter role ${login} set client_connection_check_interval = '2s';
        alter role ${login} set tcp_keepalives_idle = 5; alter role ${login} set tcp_keepalives_interval = 3;
        alter role ${login} set tcp_keepalives_count = 3;
        alter role ${login} set timescaledb.max_tuples_decompressed_per_dml_transaction = 0;
        alter role ${login} set timescaledb.enable_merge_on_cagg_refresh = off`)
          .simple();
      const settings = `ignore_startup_parameters = ${ignored.join(', ')}`;
      await throughPooler(database.target, { user: login, settings }, async (url) => {
        await expect(migrate(url, { now: NOW, log })).rejects.toThrow(
          hasSettings
            ? 'lends one session to several clients'
            : 'does not have the session settings',
        );
        const locks = superuser`select from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`;
        expect(await locks).toHaveLength(0);
        await migrate(database.target, { now: NOW, log });
      });
      await superuser.unsafe(`drop owned by ${login}; drop role ${login}`).simple();
    },
  );
});

onOneEngine('a session lock', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(engine);
  });
  afterAll(() => database.drop());
  const session = () => connect(database.target, { role: 'airseries_owner' });
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
