/** sql/reader.sql, run by psql as in docker-compose.yml. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import { connect, type Sql } from '../../../src/database/client.ts';
import { openReaderPool } from '../../../src/database/pools.ts';
import { explainConnection } from '../../../src/database/remedies.ts';
import { checkInstalled } from '../../../src/schema/installed.ts';
import { throughPooler as openPooler } from '../../database/pooler.ts';
import { engines, type TestDatabase, testDatabase } from '../../support/database.ts';
import { addressVariables, runProgram } from '../../support/program.ts';
import { findPsql, needs } from '../../support/tools.ts';
import { compose, ROOT } from './composeFile.ts';

const psql = findPsql();
const PASSWORD = 'secret';
const engine = engines.at(-1) as (typeof engines)[number];
const isTimescale = engine === 'timescale';
const AWKWARD = String.raw`it's "a" \$password ; 'x`;

describe('the login of Grafana', needs('psql'), () => {
  let database: TestDatabase;
  let superuser: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    superuser = database.superuser();
    // roles are shared by all databases of a server
    await superuser`drop role if exists grafana, airseries_api`;
  });
  afterAll(async () => {
    const server = connect({ ...(database.target as object), database: 'postgres' } as never, {});
    await database.drop(); // its privileges keep the roles
    await server`drop role if exists grafana, airseries_api`;
    await server.end();
  });

  const make = (READER_PASSWORD: string, API_PASSWORD = '', user = {}, then: string[] = []) => {
    const [, ...words] = compose.services.reader?.command ?? [];
    const environment = {
      ...addressVariables(database.target),
      READER_PASSWORD,
      API_PASSWORD,
      ...user,
    };
    const here = words.map((word) =>
      word === '/reader.sql' ? join(ROOT, 'sql/reader.sql') : word,
    );
    return runProgram([psql ?? '', ...here, ...then], { environment }).finished;
  };
  const as = (user: string) => ({ ...database.target, user, password: AWKWARD }) as DatabaseAddress;
  const kept = async () =>
    (await superuser`select rolpassword as kept from pg_authid where rolname = 'grafana'`)[0]?.kept;

  it('the login of Grafana is refused without a password, made silently with one, or gets the new one', async () => {
    expect(await make('')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('READER_PASSWORD is empty'),
    });
    const passwords = [await kept()];
    for (const password of ['first', AWKWARD]) {
      expect(await make(password)).toEqual({ code: 0, stdout: '', stderr: '' });
      passwords.push(await kept());
    }
    const [none, first, second] = passwords;
    expect(none).toBeUndefined();
    for (const one of [first, second]) expect(one).toMatch(/^SCRAM-SHA-256\$/);
    expect(first).not.toBe(second);
  });

  it('the server logs no statement with a password, not even one that fails', async () => {
    const asked = ['statement', 'min_duration_statement', 'min_error_statement', 'error_verbosity'];
    const then = ['-At', ...asked.flatMap((name) => ['-c', `show log_${name}`])];
    expect((await make(AWKWARD, '', {}, then)).stdout).toBe('none\n-1\npanic\nterse\n');
  });

  it('the login of Grafana reads schema api and nothing else', async () => {
    const login = connect(as('grafana'), {});
    expect(await login`select * from api.station`).toEqual([]);
    expect((await login`show statement_timeout`)[0]).toEqual({ statement_timeout: '30s' });
    const [role] =
      // this connection has its own jit
      await login`select rolconfig as settings from pg_roles where rolname = current_user`;
    expect(role?.settings).toContain('jit=off');
    for (const statement of [
      'select * from raw.readings',
      'select * from rollup.station_hourly',
      'set role airseries_owner',
    ]) {
      await expect(login.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
    }
    await expect(login.unsafe('create temporary table mine (id int)')).rejects.toMatchObject({
      code: '25006',
    });
    await login.end();
  });

  /**
   * Every login may do these in a new database. The read-only setting of the login is its own to
   * change.
   */
  it.each([
    'create temporary table mine (id int)',
    'create table public.mine (id int)',
    'create schema mine',
    'select lo_create(0)',
    "select lo_from_bytea(0, 'kept')",
    'select pg_advisory_lock(n) from generate_series(1, 100000) n',
    'select pg_try_advisory_xact_lock_shared(1, 2)',
    "select pg_logical_emit_message(false, 'written', 'by a reader')",
    "select pg_read_file('postgresql.conf')",
    "copy (select 1) to program 'true'",
    'select rolpassword from pg_authid',
    'set temp_file_limit = -1',
    'grant airseries_reader to airseries_ingest',
    ...(isTimescale ? ["select add_job('pg_catalog.pg_sleep', '1h')"] : []),
  ])('the login of Grafana may not: %s', async (statement) => {
    const login = connect(as('grafana'), {});
    await login`set default_transaction_read_only = off`;
    await expect(login.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
    await login.end();
  });

  it('another login of the server is refused, and the login of Grafana has at most 30 connections', async () => {
    await superuser`drop role if exists stranger`;
    await superuser`create role stranger login in role airseries_reader`;
    await superuser.unsafe(`alter role stranger password '${PASSWORD}'`);
    const stranger = connect(
      { ...(database.target as object), user: 'stranger', password: PASSWORD } as never,
      {},
    );
    await expect(stranger`select 1`).rejects.toMatchObject({ code: '42501' });
    await superuser`drop role stranger`;
    const [limit] =
      await superuser`select rolconnlimit as most from pg_roles where rolname = 'grafana'`;
    expect(limit?.most).toBe(30);
  });

  it('the login of Grafana leaves the service the rights that it needs', async () => {
    for (const role of ['airseries_owner', 'airseries_ingest'] as const) {
      const service = connect(database.target, { role });
      await service`create temporary table ours (id int)`;
      await service`select pg_try_advisory_lock(1, 2), pg_advisory_unlock(1, 2)`;
      await service.end();
    }
  });

  it('the login of Grafana may be made by a login that is not a superuser, with a warning', async () => {
    const name = (await superuser`select current_database() as name`)[0]?.name as string;
    await superuser`drop owned by grafana`;
    await superuser`drop role grafana`;
    await superuser`create role reader_maker login createrole`;
    await superuser`grant airseries_owner, airseries_ingest, airseries_reader to reader_maker with admin option`;
    await superuser`alter database ${superuser(name)} owner to reader_maker`;
    const made = await make('first', '', { PGUSER: 'reader_maker' });
    await superuser`alter database ${superuser(name)} owner to current_user`;
    await superuser`drop owned by reader_maker, grafana`;
    await superuser`drop role reader_maker, grafana`;
    expect(made).toMatchObject({ code: 0, stdout: '' });
    expect(made.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/WARNING: .*reader_maker is no superuser/),
    ]);
    await make(AWKWARD);
  });

  it('the login of the API is made if it has a password, with the same rights', async () => {
    expect(await superuser`select from pg_roles where rolname = 'airseries_api'`).toEqual([]);
    expect(await make('first', AWKWARD)).toEqual({ code: 0, stdout: '', stderr: '' });
    const login = connect(as('airseries_api'), { role: 'airseries_reader' });
    expect(await login`select * from api.station`).toEqual([]);
    await expect(login`select * from raw.readings`).rejects.toMatchObject({ code: '42501' });
    await expect(login`set role airseries_owner`).rejects.toMatchObject({ code: '42501' });
    await login.end();
  });

  describe('through PgBouncer, with two connections for all clients', needs('pgbouncer'), () => {
    beforeAll(async () => expect(await make('first', AWKWARD)).toMatchObject({ code: 0 }));

    const throughPooler = (work: (url: string) => Promise<void>) =>
      openPooler(database.target, { user: 'airseries_api', password: AWKWARD }, work);
    const refusal = (of: string) =>
      checkInstalled(of, {}).catch((error) => explainConnection(error, 'X', of));

    it('the login of the API reads the same through PgBouncer as without it', () =>
      throughPooler(async (url) => {
        const target = `${url}?pooler=transaction`;
        const { timeZone } = await checkInstalled(target, {});
        const [pooled, direct] = [target, as('airseries_api')].map((each) =>
          openReaderPool(each, { timeZone }),
        );
        const read = (db = pooled) => db?.selectFrom('api.freshness').selectAll().execute();
        const rows = await Promise.all(Array.from({ length: 100 }, () => read()));
        expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
          new Set([JSON.stringify(await read(direct))]),
        );
        await Promise.all([pooled?.destroy(), direct?.destroy()]);
        const session = connect(target, {});
        expect(await session`select name from pg_prepared_statements`).toEqual([]);
        await session.end();
      }));

    it('PgBouncer is refused with the remedy where the address does not name it', () =>
      throughPooler(async (url) => {
        expect(await refusal(url)).toMatchObject({
          message: expect.stringContaining('add ?pooler=transaction'),
        });
      }));

    it('PgBouncer is refused with the remedy where the login lacks its settings', async () => {
      await superuser`alter role airseries_api reset statement_timeout`;
      await throughPooler(async (url) => {
        expect(await refusal(`${url}?pooler=transaction`)).toMatchObject({
          message: expect.stringMatching(
            /statement_timeout is 0 instead of 20s\. Run sql\/reader\.sql again/,
          ),
        });
      });
    });
  });
});
