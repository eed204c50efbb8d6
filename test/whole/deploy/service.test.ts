/**
 * sql/service.sql, run by psql as in docker-compose.yml: the service works as a login that is no
 * superuser.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { audit } from '../../../src/aggregate/audit.ts';
import { makeDigest } from '../../../src/aggregate/digest.ts';
import { maintain, refresh } from '../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../src/base/log.ts';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import { connect, type Sql } from '../../../src/database/client.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { NOW } from '../../support/clock.ts';
import { emptyDatabase, engines, testDatabase } from '../../support/database.ts';
import { addressVariables, runProgram } from '../../support/program.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { findPsql, needs } from '../../support/tools.ts';
import { compose, ROOT } from './composeFile.ts';

type Server = Exclude<DatabaseAddress, string>;

const psql = findPsql();
const PASSWORD = String.raw`it's "a" \$password ; 'x`;
const timeZone = 'Asia/Yerevan';
const log = makeLog('silent');

const engine = engines.at(-1) as (typeof engines)[number];

describe('the login of the service', needs('psql'), () => {
  const make = (target: DatabaseAddress, SERVICE_PASSWORD: string) => {
    const [, ...words] = compose.services.service?.command ?? [];
    const here = words.map((word) =>
      word === '/service.sql' ? join(ROOT, 'sql/service.sql') : word,
    );
    return runProgram([psql ?? '', ...here], {
      environment: { ...addressVariables(target), SERVICE_PASSWORD },
    }).finished;
  };
  const asService = (target: DatabaseAddress) =>
    ({ ...(target as Server), user: 'airseries_service', password: PASSWORD }) as Server;

  async function works(target: DatabaseAddress): Promise<void> {
    const installation = await migrate(target, { timeZone, now: NOW, log });
    expect(installation.engine).toBe(engine);
    const sql = connect(target, { role: 'airseries_owner', timeZone });
    await bringIn(sql, smallNetwork());
    await sql`insert into raw.readings (sensor_id, measured_at, pm25) values (1, ${new Date(NOW.getTime() - 60_000)}, 5)`;
    await refresh(target, () => NOW);
    await makeDigest(target, NOW);
    await maintain(target, NOW);
    expect((await audit(target, { clock: () => NOW, timeZone })).found).toEqual([]);
    expect(await sql`select from rollup.station_hourly`).toHaveLength(1);
    expect(await isSuperuser(sql)).toBe(false);
    await sql.end();
  }
  const isSuperuser = async (sql: Sql) =>
    (await sql`select rolsuper as is from pg_roles where rolname = session_user`)[0]?.is;

  // the roles belong to the server, and another file's database may be making them just now
  beforeAll(async () => await (await testDatabase(engine, timeZone)).drop());

  it('the login of the service is refused without a password', async () => {
    const database = await emptyDatabase(engine);
    const { code, stderr } = await make(database.target, '');
    expect([code, stderr]).toEqual([3, expect.stringContaining('SERVICE_PASSWORD is empty')]);
    await database.drop();
  });

  it('the login of the service migrates an empty database, and does all the work in it', async () => {
    const database = await emptyDatabase(engine);
    expect(await make(database.target, PASSWORD)).toEqual({ code: 0, stdout: '', stderr: '' });
    await works(asService(database.target));
    await database.drop();
  });

  it('the login of the service takes over a migrated database, and may be made again', async () => {
    const database = await testDatabase(engine, timeZone);
    for (const _ of [1, 2])
      expect(await make(database.target, PASSWORD)).toEqual({ code: 0, stdout: '', stderr: '' });
    await works(asService(database.target));
    await database.drop();
  });
});
