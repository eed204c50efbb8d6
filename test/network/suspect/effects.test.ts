/**
 * Suspect particles change the numbers of their region, the explanations beside them, and the
 * exported network (C9).
 */
import { expect, it, onTestFinished } from 'vitest';
import { makeDigest } from '../../../src/aggregate/digest.ts';
import { refresh } from '../../../src/aggregate/refresh.ts';
import type { Sql } from '../../../src/database/client.ts';
import { exportNetwork } from '../../../src/network/exportNetwork.ts';
import { screen } from '../../../src/network/screening.ts';
import { differences } from '../../aggregate/differences.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll, testDatabase } from '../../support/database.ts';
import { bringIn } from '../../support/smallNetwork.ts';
import {
  type Air,
  clean,
  during,
  failing,
  hoursAgo,
  LATITUDE,
  network,
  trusting,
  useTown,
  varying,
} from './town.ts';

onEveryEngineInAll('suspect particles', (engine) => {
  const town = useTown(engine);

  it('a flagged station does not count in PM and the index of its region, and the digest counts it as left out', async () => {
    await town.measure((sensor, ago) => ({
      pm25: sensor === 31 && ago <= 30 ? 900 : 10,
      pm10: 20 + (ago % 5),
    }));
    await town.owner`update raw.screened_period set until = 'infinity'`;
    await bringIn(
      town.owner,
      network({ 3: { is_bad_pm: [{ since: hoursAgo(30).toISOString() }] } }),
    );
    expect(await differences(town.db)).toEqual([]);
    const highest =
      await town.owner`select max(pm25) as pm25, max(aqi)::int as aqi, max(station_count) as stations from rollup.region_hourly`;
    expect(highest).toEqual([{ pm25: 10, aqi: 53, stations: 6 }]);
    expect(await town.owner`select max(max_pm25) as pm25 from rollup.region_daily`).toEqual([
      { pm25: 10 },
    ]);
    expect(await town.owner`select max(pm25) as pm25 from rollup.station_hourly`).toEqual([
      { pm25: 900 },
    ]);
    await town.measure((sensor) => ({ pm25: sensor === 31 ? 900 : 10 }), 0, 0);
    await makeDigest(town.db.target, NOW);
    expect(await town.owner`select pm25, station_count, pm_left_out from rollup.digest`).toEqual([
      { pm25: 10, station_count: 6, pm_left_out: 1 },
    ]);
  });

  it('the API explains a suspect station, and says how many stations a region has PM from', async () => {
    await town.screened((sensor, ago) => ({
      pm25: sensor === 31 && ago <= 30 ? 90 + ago : varying(ago),
    }));
    const [row] = await town.owner`select flags from api.station_flags_json(${NOW}, 3)`;
    expect(JSON.parse(row?.flags)).toEqual([
      {
        kind: 'pm',
        test: 'outlier',
        sensor_id: null,
        since: hoursAgo(30).toISOString().replace('.000Z', '+00:00'),
        until: null,
        is_left_out: true,
        'pm2.5': 120,
        median: 10,
        compared_with: [1, 2, 4, 5].map((id) => ({ id, 'pm2.5': 10 })),
      },
    ]);
    expect(
      await town.owner`select id from api.station_current(${NOW}) where is_bad_pm and not is_bad_thp`,
    ).toEqual([{ id: 3 }]);
    await town.measure(clean, 0, 0);
    await makeDigest(town.db.target, NOW);
    expect(
      await town.owner`select stations, left_out from api.region_particles(${NOW}, 'town')`,
    ).toEqual([{ stations: 5, left_out: 1 }]);
    expect(
      await town.owner`select stations, left_out from api.region_particles(${hoursAgo(-1)}, 'town')`,
    ).toEqual([{ stations: null, left_out: null }]);
  });

  it('sensors at one station or within 150 m are compared by days, with a trusted one as the reference', async () => {
    const near = { latitude: LATITUDE + 0.0013, longitude: 44 }; // 145 m
    const beside = {
      2: { ...near, trusted: true },
      4: { latitude: LATITUDE - 0.0014 },
      5: { latitude: LATITUDE },
    };
    await bringIn(town.owner, network(beside));
    const base = (ago: number) => 10 + (Math.floor(ago / 24) % 7);
    await town.measure((sensor, ago) => {
      if (sensor === 21) return { pm25: 2 * base(ago) - 1 };
      if (sensor === 51 && ago % 24 > 16) return null;
      return { pm25: base(ago) + (sensor === 12 ? 3 : 0) };
    }, 35 * 24);
    const pairs = (station: number | null) =>
      town.owner`select x_sensor_id as x, y_sensor_id as y, days, slope, intercept, r2, meets_targets from api.sensor_pair(${NOW}, ${station}) order by 1, 2`;
    const all = [
      { x: 11, y: 12, days: 30, slope: 1, intercept: 3, r2: 1, meets_targets: true },
      { x: 21, y: 11, days: 30, slope: 0.5, intercept: 0.5, r2: 1, meets_targets: false },
      { x: 21, y: 12, days: 30, slope: 0.5, intercept: 3.5, r2: 1, meets_targets: false },
    ];
    expect(await pairs(null)).toEqual(all);
    expect(await pairs(1)).toEqual(all);
    expect(await pairs(2)).toEqual(all.slice(1));
    expect(await pairs(3)).toEqual([]);
    expect(
      await town.owner`select rmse from api.sensor_pair(${NOW}) where x_sensor_id = 11`,
    ).toEqual([{ rmse: 3 }]);
    // of a sensor that has moved, the days there alone
    const moved = hoursAgo(12 * 24);
    const stations = [
      { id: 3, until: moved },
      { id: 1, since: moved },
    ];
    const sensors = [{ id: 11 }, { id: 12, stations }];
    await bringIn(town.owner, network({ ...beside, 1: { sensors } }));
    expect((await pairs(1)).map(({ y, days }) => [y, days])).toEqual([
      [12, 11],
      [11, 30],
      [12, 11],
    ]);
    await bringIn(town.owner, network(beside));
    // a single day tells no slope, so that the targets are missed or unknown (C9)
    await town.owner`delete from raw.readings where measured_at >= ${hoursAgo(28 * 24)}`;
    await town.owner`delete from raw.readings where measured_at < ${hoursAgo(30 * 24 - 6)}`;
    await town.db.refresh(NOW);
    const targets = async () =>
      (await pairs(null)).map(({ x, y, days, meets_targets }) => [x, y, days, meets_targets]);
    expect(await targets()).toEqual([
      [11, 12, 1, null],
      [21, 11, 1, expect.toBeOneOf([null, false])],
      [21, 12, 1, expect.toBeOneOf([null, false])],
    ]);
    await town.owner`update raw.readings set pm25 = pm25 + 20 where sensor_id = 12`;
    await town.db.refresh(NOW);
    expect((await targets())[0]).toEqual([11, 12, 1, false]);
    await bringIn(town.owner, network());
  });

  it('a trusted station is never suspect, and counts as a neighbour of others', async () => {
    const air = failing((ago) => ago <= 30);
    expect(await town.screened(air)).toHaveLength(1);
    await bringIn(town.owner, trusting(3));
    expect(await town.flags()).toEqual([]);
    expect(await town.screened(air)).toEqual([]);
    expect(await screen(town.db.target, NOW)).toEqual({ raised: 0, lifted: 0 });
    const cityHours = () => town.owner`select bucket, pm25 from rollup.region_hourly order by 1`;
    const counted = await cityHours();
    expect(await town.owner`select from raw.membership where is_pm_suspect`).toEqual([]);
    // without trust, the earlier finding counts again
    await bringIn(town.owner, network());
    expect(await town.flags()).toHaveLength(1);
    expect(await differences(town.db)).toEqual([]);
    expect(await cityHours()).not.toEqual(counted);
    await bringIn(town.owner, trusting(3));
    expect(await differences(town.db)).toEqual([]);
    expect(await cityHours()).toEqual(counted);
    await bringIn(town.owner, trusting(1, 2, 4, 5));
    expect(await town.screened(air)).toHaveLength(1);
    await bringIn(town.owner, network());
  });

  it('a new database with the exported network and the readings has the same history (P4)', async () => {
    const isBad = (sensor: number, ago: number) =>
      (sensor === 31 && during(ago, 20 * 24, 12 * 24)) ||
      (sensor === 41 && ago <= 15 * 24) ||
      (sensor === 21 && during(ago, 23 * 24, 23 * 24 - 10));
    const air: Air = (sensor, ago) => ({ pm25: (isBad(sensor, ago) ? 80 : 0) + varying(ago) });
    await town.measure(air, 25 * 24, 1);
    await screen(town.db.target, NOW, hoursAgo(25 * 24));
    await town.db.refresh(NOW);
    const found = [
      { station: 4, reason: 'outlier', since: 15 * 24, until: null },
      { station: 3, reason: 'outlier', since: 20 * 24, until: 12 * 24 },
      // of ten hours, with which its city counts it
      { station: 2, reason: 'outlier', since: 23 * 24, until: 23 * 24 - 10 },
    ];
    expect(await town.flags()).toEqual(found);
    const file = await exportNetwork(town.owner);
    const other = await testDatabase(engine);
    onTestFinished(() => other.drop());
    const there = other.as('airseries_owner', 'UTC');
    await bringIn(there, file);
    // a screening before there are readings lifts nothing
    expect(await screen(other.target, NOW)).toEqual({ raised: 0, lifted: 0 });
    const readings = await town.owner`select measured_at, sensor_id, pm25, pm10 from raw.readings`;
    await there`insert into raw.readings ${there(readings)}`;
    await refresh(other.target, () => NOW);
    const history = async (sql: Sql) => [
      await sql`select * from logic.screened_period order by 1, 2, 3, 4`,
      await sql`select bucket, round(pm25::numeric, 9)::float8, station_count from rollup.region_hourly order by 1`,
      await sql`select bucket, round(pm25::numeric, 9)::float8, max_pm25 from rollup.region_daily order by 1`,
      await sql`select bucket, round(pm25::numeric, 9)::float8, max_pm25 from rollup.region_monthly order by 1`,
    ];
    expect(await history(there)).toEqual(await history(town.owner));
    expect(await screen(other.target, NOW)).toEqual({ raised: 0, lifted: 0 });
    await refresh(other.target, () => NOW);
    expect(await history(there)).toEqual(await history(town.owner));
    expect(await exportNetwork(there)).toEqual(file);
    // later findings of screening stay: the file is older
    await town.measure(clean, 3 * 24, 1);
    expect(await screen(town.db.target, NOW)).toEqual({ raised: 0, lifted: 1 });
    const since = await town.flags();
    expect(since).toEqual([{ ...found[0], until: 3 * 24 }, ...found.slice(1)]);
    expect(await bringIn(town.owner, file)).toMatchObject({ stations: { changed: 0 } });
    expect(await town.flags()).toEqual(since);
    await town.owner`delete from raw.screened_period where station_id = 3`;
    expect(await bringIn(town.owner, file)).toMatchObject({ stations: { changed: 1 } });
    expect(await town.flags()).toEqual(since);
    expect(await differences(town.db)).toEqual([]);
  });
});
