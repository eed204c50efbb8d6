/**
 * A refresh recomputes the buckets of the noted hours, and no others (S4, A10). That each change is
 * noted, and no note lost, is in test/aggregate/engines.test.ts.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { maintain } from '../../src/aggregate/refresh.ts';
import type { Sql } from '../../src/database/client.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';
import { differences } from './differences.ts';
import { storageOf } from './storage.ts';

onEveryEngine('the change log', (engine) => {
  let database: TestDatabase;
  let owner: Sql;
  /**
   * The buckets of a level that a refresh recomputes after a change: every value is overwritten
   * behind the engine's back before it, and only recomputed buckets have another one afterwards.
   */
  const recomputed = async (level: string, change: () => Promise<unknown>) => {
    await owner.unsafe(`update ${await storageOf(owner, level)} set pm25 = -9`);
    await change();
    await database.refresh(NOW);
    const rows = await owner.unsafe(`select * from rollup.${level} where pm25 <> -9 order by 1, 2`);
    await settle();
    return rows.map(({ bucket, sensor_id, station_id, region_slug }) => [
      bucket,
      sensor_id ?? station_id ?? region_slug,
    ]);
  };
  const settle = async () => {
    await owner`insert into rollup.stale (from_level, since, until) values ('sensor_hourly', '-infinity', 'infinity')`;
    await database.refresh(NOW);
  };

  beforeAll(async () => {
    database = await testDatabase(engine, 'Asia/Kolkata'); // hours begin at half past
    owner = database.as('airseries_owner', 'UTC');
    await bringIn(owner, smallNetwork({ timeZone: 'Asia/Kolkata' }));
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select at, sensor, 10 from generate_series(timestamptz '2026-07-01 00:00+00', '2026-08-15 00:00+00', '1 hour') at, generate_series(1, 3) sensor`;
    await database.refresh(NOW);
    await maintain(database.target, NOW); // compresses on an engine that can
  });
  afterAll(() => database.drop());
  beforeEach(() => database.refresh(NOW));

  const at = (text: string) => `2026-${text}:30:00+00:00`;

  it('the change log is written with the rights of its owner: a sender has none on it', async () => {
    const ingest = database.as('airseries_ingest');
    await ingest`insert into raw.readings (measured_at, sensor_id, pm25) values ('2026-08-01 12:07+00', 1, 5)`;
    await expect(
      ingest`insert into rollup.changed (since, until) values ('2026-08-01', '2026-08-01 01:00')`,
    ).rejects.toThrow('permission denied');
  });

  it('a refresh recomputes the changed hour, day and month for every sensor, station and region, and no other bucket', async () => {
    const change = () =>
      owner`update raw.readings set pm25 = pm25 + 1 where sensor_id = 3 and measured_at = '2026-07-11 10:00+00'`;
    const of = (bucket: string, ...subjects: unknown[]) =>
      subjects.map((subject) => [bucket, subject]);
    expect(await recomputed('sensor_hourly', change)).toEqual(of(at('07-11T09'), 1, 2, 3));
    expect(await recomputed('station_hourly', change)).toEqual(of(at('07-11T09'), 1, 2));
    expect(await recomputed('region_hourly', change)).toEqual(
      of(at('07-11T09'), 'quarter', 'town'),
    );
    expect(await recomputed('station_daily', change)).toEqual(of(at('07-10T18'), 1, 2));
    expect(await recomputed('region_daily', change)).toEqual(of(at('07-10T18'), 'quarter', 'town'));
    expect(await recomputed('station_monthly', change)).toEqual(of(at('06-30T18'), 1, 2));
    expect(await recomputed('region_monthly', change)).toEqual(
      of(at('06-30T18'), 'quarter', 'town'),
    );
  });

  it('changed hours close to each other are recomputed together, and the hours between distant ones are left alone', async () => {
    const rows = await recomputed(
      'sensor_hourly',
      () =>
        owner`update raw.readings set pm25 = pm25 + 1
        where sensor_id < 3 and measured_at in ('2026-07-12 10:00+00', '2026-07-12 12:00+00', '2026-08-13 10:00+00')`,
    );
    expect([...new Set(rows.map(([bucket]) => bucket))]).toEqual(
      ['07-12T09', '07-12T10', '07-12T11', '08-13T09'].map(at),
    );
    expect(await differences(database)).toEqual([]);
  });

  it('very many separate hours of a month are recomputed as one period in a small network', async () => {
    const rows = await recomputed(
      'sensor_hourly',
      () =>
        owner`update raw.readings set pm25 = pm25 + 1 where sensor_id = 2 and extract(hour from measured_at) = 10 and measured_at < '2026-07-25'`,
    );
    expect(rows).toHaveLength((23 * 24 + 1) * 3);
    expect(await differences(database)).toEqual([]);
  });

  it('a change of several days is recomputed for the station and region that each hour belonged to', async () => {
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
});
