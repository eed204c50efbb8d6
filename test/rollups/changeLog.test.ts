/**
 * What a refresh recomputes of what the log of changes names: those concerned, or all where that is faster (S4, A10). What is noted, and that
 * nothing of it is lost, is in test/engines.test.ts.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { maintain, refresh } from '../../src/rollups/refresh.ts';
import { bringIn, differences, NOW, smallNetwork } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

onEveryEngine('the change log', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  let superuser: Sql;
  /** Buckets of a level whose value was not overwritten behind the engine's back since: those that a refresh has recomputed. */
  const recomputed = async (level: string, id: string, change: () => Promise<unknown>) => {
    const [row] = await owner`select logic.storage_of(${level})::text as storage`;
    await owner.unsafe(`update ${row?.storage} set pm25 = -9`);
    await change();
    await refresh(database.target, NOW);
    const rows = await owner.unsafe(`select bucket, ${id} as id from rollup.${level} where pm25 <> -9 order by 1, 2`);
    return rows.map(({ bucket, id: subject }) => [bucket, subject]);
  };
  const settle = async () => {
    await owner`insert into rollup.stale_period (since, until, from_level) values ('-infinity', 'infinity', 'sensor_hourly')`;
    await refresh(database.target, NOW);
  };

  beforeAll(async () => {
    database = await testDatabase(engine, 'Asia/Kolkata'); // hours begin at half past
    owner = database.as('airseries_owner', 'UTC');
    superuser = database.superuser();
    await bringIn(owner, smallNetwork({ timeZone: 'Asia/Kolkata' }));
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, sensor, 10 from generate_series(timestamptz '2026-07-01 00:00+00', '2026-08-15 00:00+00', '1 hour') at, generate_series(1, 3) sensor`;
    await refresh(database.target, NOW);
    await maintain(database.target, NOW); // compresses on an engine that can
  });
  afterAll(() => database.drop());
  beforeEach(() => refresh(database.target, NOW));

  const at = (text: string) => `2026-${text}:30:00+00:00`;

  it('is written to with the rights of its owner, not of the sender', async () => {
    const ingest = database.as('airseries_ingest');
    await ingest`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-08-01 12:07+00', 1, 5)`;
    await expect(ingest`insert into rollup.changed_hour values ('2026-08-01', 1)`).rejects.toThrow('permission denied');
  });

  it('recomputes only the hours of those concerned, at every level', async () => {
    await settle();
    const change = () =>
      owner`update raw.readings set pm25 = pm25 + 1 where sensor_id = 3 and measured_at = '2026-07-11 10:00+00'`;
    expect(await recomputed('sensor_hourly', 'sensor_id', change)).toEqual([[at('07-11T09'), 3]]);
    await settle();
    expect(await recomputed('station_hourly', 'station_id', change)).toEqual([[at('07-11T09'), 2]]);
    await settle();
    expect(await recomputed('region_hourly', 'region_slug', change)).toEqual([[at('07-11T09'), 'town']]);
    await settle();
    expect(await recomputed('station_daily', 'station_id', change)).toEqual([[at('07-10T18'), 2]]);
    await settle();
    expect(await recomputed('region_monthly', 'region_slug', change)).toEqual([[at('06-30T18'), 'town']]);
    await settle();
  });

  it('recomputes hours for all where more sensors changed than a crowd, joined where they are close', async () => {
    await superuser.unsafe(
      `create or replace function logic.crowd() returns int language sql stable as $$ select 1 $$`,
    );
    const change = () =>
      owner`update raw.readings set pm25 = pm25 + 1 where sensor_id < 3 and measured_at in ('2026-07-12 10:00+00', '2026-07-12 12:00+00')`;
    const rows = await recomputed('sensor_hourly', 'sensor_id', change);
    expect(rows).toEqual(['09', '10', '11'].flatMap((of) => [1, 2, 3].map((sensor) => [at(`07-12T${of}`), sensor])));
    await settle();
    expect(await differences(database)).toEqual([]);
  });

  it('follows a sensor to where it stood, and a station to where it belonged, in each hour of a longer change', async () => {
    const [half, then] = ['2026-07-15T00:00', '2026-07-16T00:00'];
    const moved = smallNetwork({
      timeZone: 'Asia/Kolkata',
      one: { regions: [{ slug: 'town' }, { slug: 'quarter', since: then }] },
      two: {
        sensors: [
          {
            id: 3,
            stations: [
              { id: 2, until: half },
              { id: 1, since: half },
            ],
          },
        ],
      },
    });
    await bringIn(owner, moved);
    expect(await differences(database)).toEqual([]);
    await owner`update raw.readings set pm25 = pm25 + 7 where sensor_id = 3 and measured_at >= '2026-07-13' and measured_at < '2026-07-18'`;
    expect(await differences(database)).toEqual([]);
    await bringIn(owner, smallNetwork({ timeZone: 'Asia/Kolkata' }));
    await settle();
  });

  it('recomputes whole days where very many different hours changed', async () => {
    await superuser.unsafe(
      `create or replace function logic.crowd() returns int language sql stable as $$ select 100 $$`,
    );
    const rows = await recomputed(
      'sensor_hourly',
      'sensor_id',
      () =>
        owner`update raw.readings set pm25 = pm25 + 1 where sensor_id = 2 and extract(hour from measured_at) in (1, 9, 15)
        and measured_at >= '2026-07-02' and measured_at < '2026-07-30'`,
    );
    expect(rows.length).toBeGreaterThan(27 * 24 - 10);
    expect(new Set(rows.map(([, sensor]) => sensor))).toEqual(new Set([2]));
    await settle();
  });
});
