/**
 * A login that may only read: the check of a database that it cannot migrate, and a service that
 * has no other login.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import type { Sql } from '../../src/database/client.ts';
import { checkInstalled } from '../../src/schema/installed.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { MigrationRefused } from '../../src/schema/migrations.ts';
import { NOW } from '../support/clock.ts';
import { emptyDatabase, engines, onEveryEngineInAll } from '../support/database.ts';
import { httpGet } from '../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../support/installation.ts';
import { address, launch } from '../support/launch.ts';
import { addressVariables, runAirseries } from '../support/program.ts';

onEveryEngineInAll('a login that may only read', (engine) => {
  let here: Installation;
  let superuser: Sql;
  let login: string;
  let target: DatabaseAddress;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town']));
    await here.refresh(NOW);
    superuser = here.database.superuser();
    const server = here.database.target;
    login = `api_of_${server.database}`;
    await superuser.unsafe(`create role ${login} login password 'secret' in role airseries_reader`);
    target = { ...server, user: login, password: 'secret' } as DatabaseAddress;
  });
  afterAll(async () => {
    await superuser.unsafe(`drop role ${login}`);
    await here.close();
  });

  const refusal = async (wanted: Parameters<typeof checkInstalled>[1] = {}, of = target) => {
    const error = await checkInstalled(of, wanted).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MigrationRefused);
    return (error as Error).message;
  };

  it('a login that may only read learns the same about the database as a migration', async () => {
    const now = NOW;
    const migrated = await migrate(here.database.target, { now, log: makeLog('silent') });
    expect(await checkInstalled(target, { timeZone: 'Asia/Yerevan' })).toEqual(migrated);
  });

  it.each(['rollups', 'repeatable'])(
    'a database with other %s is refused with the remedy',
    async (column) => {
      await superuser.unsafe(`update raw.installation set ${column} = 'x' || ${column}`);
      expect(await refusal()).toMatch(
        new RegExp(`another version \\(${column}\\).*with DATABASE_URL`),
      );
      await superuser.unsafe(`update raw.installation set ${column} = substr(${column}, 2)`);
    },
  );

  it('a database with other migrations, with another zone or without any migration is refused', async () => {
    await superuser`insert into raw.migration values (99, 'of_tomorrow', 'x', ${NOW})`;
    expect(await refusal()).toContain('(migrations)');
    await superuser`delete from raw.migration where number = 99`;
    expect(await refusal({ timeZone: 'UTC' })).toContain('TIME_ZONE is UTC');
    const empty = await emptyDatabase(engine);
    const never = { ...(target as object), database: empty.target.database } as DatabaseAddress;
    expect(await refusal({}, never)).toContain('is not migrated');
    await empty.drop();
  });

  if (engine !== engines[0]) return; // the tests below do not depend on the engine

  it('a process with ROLE=api needs and uses only a login that may only read', async () => {
    const { port, stop } = await launch(here, {
      role: 'api',
      databaseUrl: undefined,
      readerDatabaseUrl: address(target),
    });
    const { status } = await httpGet(port.public, '/en/air-quality-app/v1/stations.json');
    expect(status).toBe(200);
    const users = await superuser`
      select distinct usename as name from pg_stat_activity
      where datname = current_database() and application_name in ('airseries read', 'airseries read all')`;
    expect(users).toEqual([{ name: login }]);
    await stop();
  });

  it('a worker and a command refuse to run with a login that may only read', async () => {
    const environment = {
      ...addressVariables(here.database.target),
      ...{ PGUSER: login, PGPASSWORD: 'secret', READER_DATABASE_URL: 'postgres://' },
    };
    const all = await runAirseries(['start'], environment).finished;
    expect([all.code, all.stderr]).toEqual([
      1,
      expect.stringContaining('alone is enough for ROLE=api'),
    ]);
    const command = await runAirseries(['migrate'], { ...environment, ROLE: 'api' }).finished;
    expect([command.code, command.stderr]).toEqual([
      1,
      expect.stringContaining('Commands need DATABASE_URL'),
    ]);
  });
});
