/** sql/reader.sql, run by psql as in docker-compose.yml. Skipped without psql 15 or newer. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type DatabaseAddress, type Sql } from '../../src/database/client.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { addressVariables, launch } from '../support/program.ts';
import { compose, findPsql, ROOT } from './composeFile.ts';

const psql = findPsql();
const AWKWARD = String.raw`it's "a" \$password ; 'x`;

describe.runIf(psql !== undefined)('the login of Grafana', () => {
  let database: TestDatabase;
  let superuser: Sql;
  beforeAll(async () => {
    database = await testDatabase(engines.at(-1) as (typeof engines)[number]);
    superuser = database.superuser();
    await superuser`drop role if exists grafana, airseries_api`; // roles are shared by all databases of a server
  });
  afterAll(async () => {
    await superuser`drop role if exists grafana, airseries_api`;
    await database.drop();
  });

  const make = (READER_PASSWORD: string, API_PASSWORD = '') => {
    const [, ...words] = compose.services.reader?.command ?? [];
    const environment = { ...addressVariables(database.target), READER_PASSWORD, API_PASSWORD };
    const here = words.map((word) => (word === '/reader.sql' ? join(ROOT, 'sql/reader.sql') : word));
    return launch([psql ?? '', ...here], { environment }).finished;
  };
  const as = (user: string) => ({ ...database.target, user, password: AWKWARD }) as DatabaseAddress;
  const kept = async () =>
    (await superuser`select rolpassword as kept from pg_authid where rolname = 'grafana'`)[0]?.kept;

  it('is refused without a password', async () => {
    const { code, stderr } = await make('');
    expect([code, stderr]).toEqual([3, expect.stringContaining('READER_PASSWORD is empty')]);
    expect(await kept()).toBeUndefined();
  });

  it('is created, or gets the new password if it exists, silently', async () => {
    const passwords = [];
    for (const password of ['first', AWKWARD]) {
      expect(await make(password)).toEqual({ code: 0, stdout: '', stderr: '' });
      passwords.push(await kept());
    }
    expect(passwords).toEqual([expect.stringMatching(/^SCRAM-SHA-256\$/), expect.stringMatching(/^SCRAM-SHA-256\$/)]);
    expect(passwords[0]).not.toBe(passwords[1]);
  });

  it('reads schema api and nothing else', async () => {
    const login = connect(as('grafana'), {});
    expect(await login`select * from api.station`).toEqual([]);
    expect((await login`show statement_timeout`)[0]).toEqual({ statement_timeout: '30s' });
    const [role] = await login`select rolconfig as settings from pg_roles where rolname = current_user`; // this connection has its own jit
    expect(role?.settings).toContain('jit=off');
    for (const statement of [
      'select * from raw.readings',
      'select * from rollup.station_hourly',
      'set role airseries_owner',
    ]) {
      await expect(login.unsafe(statement)).rejects.toMatchObject({ code: '42501' });
    }
    await expect(login.unsafe('create temporary table mine (id int)')).rejects.toMatchObject({ code: '25006' });
    await login.end();
  });

  it('comes with one for the API if that has a password, with the same rights', async () => {
    expect(await superuser`select from pg_roles where rolname = 'airseries_api'`).toEqual([]);
    expect(await make('first', AWKWARD)).toEqual({ code: 0, stdout: '', stderr: '' });
    const login = connect(as('airseries_api'), {
      role: 'airseries_reader',
    });
    expect(await login`select * from api.station`).toEqual([]);
    await expect(login`select * from raw.readings`).rejects.toMatchObject({ code: '42501' });
    await expect(login`set role airseries_owner`).rejects.toMatchObject({ code: '42501' });
    await login.end();
  });
});
