/** What a database refuses, and that each refusal says what to do. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type Sql, type Target } from '../../src/database/connect.ts';
import { migrate } from '../../src/database/migrate.ts';
import { MigrationRefused, pendingMigrations, readMigrations } from '../../src/database/migrations.ts';
import { refresh } from '../../src/database/refresh.ts';
import { rebuildRollups } from '../../src/database/rollups.ts';
import { makeLog } from '../../src/log.ts';
import { emptyDatabase, engines, onEveryEngine } from '../support/database.ts';

const now = new Date('2026-11-20T00:00:00Z');
const log = makeLog('silent');

onEveryEngine('migrate', (engine) => {
  let target: Target;
  let sql: Sql;
  let drop: () => Promise<void>;

  beforeEach(async () => {
    ({ target, drop } = await emptyDatabase(engine));
    sql = connect(target, {});
  });
  afterEach(async () => {
    await sql.end();
    await drop();
  });

  const bring = (timeZone?: string) => migrate(target, { timeZone, now, log });
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MigrationRefused);
    return (error as Error).message;
  };

  it('records the default zone and the engine, and is idempotent', async () => {
    const first = await bring();
    expect(first).toMatchObject({ timeZone: 'Asia/Yerevan', engine });
    expect(await bring()).toEqual(first);
    expect(await bring('Asia/Yerevan')).toEqual(first);
  });

  it('runs once when many start at the same time', async () => {
    const all = await Promise.all([bring(), bring(), bring(), bring()]);
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
    const [row] = await sql`select count(*)::int as rows from raw.migration`;
    expect(row?.rows).toBe(all[0]?.applied);
  });

  it('refuses another zone than the recorded one (Z1)', async () => {
    await bring('Europe/Berlin');
    const message = await refusal(bring('Asia/Yerevan'));
    expect(message).toContain('TIME_ZONE is Asia/Yerevan');
    expect(message).toContain('made for Europe/Berlin');
    expect((await bring()).timeZone).toBe('Europe/Berlin');
  });

  it.each([
    ['Asia/Kolkata', 'not whole hours'],
    ['Australia/Lord_Howe', 'not whole hours'],
    ['America/Havana', 'occurred twice'],
    ['Asia/Yerewan', 'no such zone'],
  ])('refuses the zone %s (Z1): %s', async (zone, reason) => {
    expect(await refusal(bring(zone))).toContain(reason);
    expect(await sql`select from pg_namespace where nspname = 'raw'`).toHaveLength(0);
  });

  it('refuses a changed migration', async () => {
    await bring();
    await sql`update raw.migration set checksum = 'x' where number = 2`;
    expect(await refusal(bring())).toMatch(/Migration 2 \(network\) was changed.*Put the file back/);
  });

  it('refuses a gap in the record', async () => {
    await bring();
    await sql`delete from raw.migration where number = 2`;
    expect(await refusal(bring())).toMatch(/gap.*Restore/);
  });

  it('refuses a database newer than the program', async () => {
    const { applied } = await bring();
    await sql`insert into raw.migration values (${applied + 1}, 'of_tomorrow', 'x', ${now})`;
    expect(await refusal(bring())).toMatch(/newer than this program.*of_tomorrow.*Install the newer version/);
  });

  it('refuses aggregates that were built from other definitions', async () => {
    await bring();
    await sql`update raw.installation set rollups = 'x'`;
    expect(await refusal(bring())).toMatch(/not those that this database was built with/);
  });

  it('builds the aggregates anew over readings that are there, and is not ready before', async () => {
    await bring();
    await sql`insert into raw.readings (measured_at, sensor_id, station_id, pm25) values ('2026-11-19', 1, 1, 5)`;
    await refresh(target, now);
    await sql
      .unsafe(`begin; set local role airseries_owner; ${rebuildRollups(engine, 'Asia/Yerevan')} commit;`)
      .simple();
    await bring();
    expect(await sql`select * from rollup.freshness where refreshed_at is not null`).toEqual([]);
    expect(await sql`select * from rollup.sensor_hourly`).toEqual([]);
    await refresh(target, now);
    expect(await sql`select pm25 from rollup.station_monthly`).toEqual([{ pm25: 5 }]);
    expect(await sql`select * from logic.differences('-infinity', 'infinity')`).toEqual([]);
  });

  it('rebuilds schema api when any of it changed, and only then', async () => {
    await bring();
    const oid = async () => (await sql`select 'api.station_daily'::regclass::oid as oid`)[0]?.oid;
    const before = await oid();
    await bring();
    expect(await oid()).toBe(before);
    await sql`update raw.installation set repeatable = 'x'`;
    await bring();
    expect(await oid()).not.toBe(before);
  });
});

describe('an engine', () => {
  it.runIf(engines.includes('timescale'))('that the server no longer has is refused', async () => {
    const { target, drop } = await emptyDatabase('plain');
    await migrate(target, { timeZone: undefined, now, log });
    const sql = connect(target, {});
    await sql`update raw.installation set engine = 'timescale'`;
    await sql.end();
    await expect(migrate(target, { timeZone: undefined, now, log })).rejects.toThrow(/shared_preload_libraries/);
    await drop();
  });
});

describe('the files', () => {
  const file = (path: string) => `-- ${path}`;

  it('must be numbered without a gap', () => {
    const paths = ['migrations/0001_a.sql', 'migrations/0003_c.sql'];
    expect(() => readMigrations('plain', 'UTC', paths, file)).toThrow(/0003_c.sql: migrations are numbered/);
  });

  it('that are pending come in order', () => {
    const migrations = readMigrations('plain', 'UTC', ['migrations/0001_a.sql', 'migrations/0002_b.sql'], file);
    expect(pendingMigrations(migrations, migrations.slice(0, 1)).map(({ name }) => name)).toEqual(['b']);
  });
});
