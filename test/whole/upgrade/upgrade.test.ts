/**
 * A database, part of whose readings are gone, is upgraded to a later version with one more
 * parameter, another bound and one more window: every number stays, the new things arrive, and the
 * schema equals a new database's.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { audit } from '../../../src/aggregate/audit.ts';
import { refresh } from '../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../src/base/log.ts';
import { PARAMETERS } from '../../../src/contract/parameters.ts';
import { WINDOWS } from '../../../src/contract/windows.ts';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import { connect, type Sql } from '../../../src/database/client.ts';
import type { Engine } from '../../../src/schema/aggregates.ts';
import { migrate } from '../../../src/schema/migrate.ts';
import { DEFINITIONS, type Definitions } from '../../../src/schema/template.ts';
import { compareBuckets } from '../../lab/sim/compare.ts';
import { allBuckets } from '../../lab/sim/run.ts';
import { describeBodies, describeSchema } from '../../schema/describeSchema.ts';
import { emptyDatabase, onEveryEngineInAll } from '../../support/database.ts';
import { changedDefinitions } from '../../support/definitions.ts';

const now = new Date('2026-11-20T07:00:00Z');
const timeZone = 'Asia/Kathmandu';
const log = makeLog('silent');

/**
 * One more parameter, a wider bound, one more window: a migration, and the tables of the contract.
 * No version will use their names, so this test stands whatever is added.
 */
function nextVersion(copy: string): Definitions {
  const { folder } = changedDefinitions(copy);
  writeFileSync(
    new URL(`migrations/${nextNumber()}_later.sql`, folder),
    `alter table raw.readings add column later real check (later between 0 and 40000);
     alter table raw.readings drop constraint readings_bounds_check;
     alter table raw.readings add constraint readings_bounds_check check (no2 between 0 and 6000);
     alter table rollup.digest add column later float8;
     alter table rollup.current add column later_at timestamptz, add column later float8;`,
  );
  const later = {
    name: 'later',
    unit: 'ppb',
    meaning: 'what a later version measures',
    kind: 'mean',
    low: 0,
    high: 40_000,
    digits: 0,
  } as const;
  return {
    folder,
    parameters: [
      ...PARAMETERS.map((known) => (known.name === 'no2' ? { ...known, high: 6_000 } : known)),
      later,
    ],
    extras: DEFINITIONS.extras,
    windows: [...WINDOWS, { key: '100d', unit: 'day', count: 100, running: false }],
  };
}

function nextNumber(): string {
  const numbers = readdirSync(new URL('migrations/', DEFINITIONS.folder)).map((name) =>
    Number(name.slice(0, 4)),
  );
  return String(1 + Math.max(...numbers)).padStart(4, '0');
}

/** A database of this version with the rows of rows.sql. */
async function filled(engine: Engine) {
  const { target, drop } = await emptyDatabase(engine);
  await migrate(target, { timeZone, now, log });
  const sql = connect(target, { role: 'airseries_owner', max: 1 });
  const rows = readFileSync(new URL('rows.sql', import.meta.url), 'utf8').replace(/^--.*$/gm, '');
  for (const statement of rows.split(';\n').filter((text) => text.trim() !== ''))
    await sql.unsafe(statement);
  await sql.end();
  return { target, sql: connect(target, {}), drop };
}

// in npm test on the other engine: rebuild.test.ts
onEveryEngineInAll('an upgrade to the next version', (engine) => {
  let target: DatabaseAddress;
  let sql: Sql;
  let drop: () => Promise<void>;
  let next: Definitions;
  let before: Awaited<ReturnType<typeof allBuckets>>;
  const folder = mkdtempSync(join(tmpdir(), 'airseries-upgrade-'));

  beforeAll(async () => {
    ({ target, sql, drop } = await filled(engine));
    before = await allBuckets(sql);
    next = nextVersion(folder);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await sql.end();
    await drop();
  });

  it('an upgrade keeps every number, also where readings are gone', async () => {
    expect(before.size).toBeGreaterThan(15_000);
    const [row] =
      await sql`select (select min(bucket) from rollup.sensor_hourly) as hours, retained_from from raw.installation`;
    expect(row).toEqual({
      hours: '2025-09-19T18:15:00+00:00',
      retained_from: '2026-05-31T18:15:00+00:00',
    });
    expect(await migrate(target, { now, log, definitions: next })).toMatchObject({
      timeZone,
      engine,
    });
    await refresh(target, () => now);
    expect(compareBuckets(before, await allBuckets(sql))).toEqual([]);
    const { found } = await audit(target, { clock: () => now, timeZone });
    expect(found).toEqual([]);
  });

  it('an upgraded database has the schema of a new one', async () => {
    const fresh = await emptyDatabase(engine);
    await migrate(fresh.target, { timeZone, now, log, definitions: next });
    const other = connect(fresh.target, {});
    expect(await describeSchema(sql)).toEqual(await describeSchema(other));
    expect(await describeBodies(sql)).toEqual(await describeBodies(other));
    await other.end();
    await fresh.drop();
  });

  it('an upgraded database accepts the new parameter, and values up to the new bound', async () => {
    await sql`insert into raw.readings (measured_at, sensor_id, later, no2) values ('2026-11-20 05:50+00', 12, 612.4, 5500)`;
    await refresh(target, () => now);
    expect(
      await sql`select avg_later, avg_no2 from api.station_hourly where avg_later is not null`,
    ).toEqual([{ avg_later: 612, avg_no2: 5500 }]);
    expect(
      await sql`select avg_later from api.region_monthly where region_slug = 'north' and avg_later is not null`,
    ).toEqual([{ avg_later: 612 }]);
  });

  it('an upgraded database has the new history window', async () => {
    const rows =
      await sql`select series, count(*)::int as points from api.station_history(${now}, 1) group by 1 order by 1`;
    const months = 15; // with data
    expect(Object.fromEntries(rows.map(({ series, points }) => [series, points]))).toEqual(
      Object.fromEntries(
        next.windows.map(({ key, unit, count }) => [
          key,
          unit === 'month' ? Math.min(count, months) : count,
        ]),
      ),
    );
  });

  it('a change of the network reaches the years whose readings are gone, after an upgrade too (P4)', async () => {
    const october = () =>
      sql`select avg_temperature, avg_pm25 from api.region_monthly where region_slug = 'north' and timestamp = '2025-09-30 18:15+00'`;
    const [was] = await october();
    await sql`insert into raw.flag_period (station_id, since, until) values (1, '2025-09-25', '2026-02-01')`;
    await sql`delete from raw.sensor_station where sensor_id = 21 and station_id = 1`;
    await sql`update raw.sensor_station set since = '-infinity' where sensor_id = 21`;
    await sql`select logic.apply_periods()`;
    await refresh(target, () => now);
    const [is] = await october();
    expect(was?.avg_temperature).not.toBeNull();
    expect(is?.avg_temperature).toBeNull();
    expect(is?.avg_pm25).not.toBe(was?.avg_pm25);
    const { found } = await audit(target, { clock: () => now, timeZone });
    expect(found).toEqual([]);
  });
});
