/** Stations that are offline, show a flat line or are outliers are found, and no others. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { bringIn, type Json, NOW } from '../ingest/support.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';

const HOUR = 3_600_000;
const hoursAgo = (n: number) => new Date(NOW.getTime() - n * HOUR);
const iso = (at: Date) => at.toISOString().replace('.000Z', '+00:00');

/**
 * Stations 1 to 5 are about a kilometre apart, 6 some 11 km from the nearest, 7 hidden beside the
 * first. Sensors have the ids of their stations.
 */
function network(others: Json = {}) {
  const station = (id: number, more: Json = {}) => ({
    id,
    provider: 'us',
    title: { en: `Number ${id}` },
    latitude: 40 + 0.01 * id,
    longitude: 44,
    regions: ['town'],
    sensors: [{ id }],
    ...more,
  });
  return {
    time_zone: 'Asia/Yerevan',
    providers: [
      { id: 'us', title: 'Us', stale_after: '3 hours' },
      { id: 'hasty', title: 'Without stations', stale_after: '30 minutes' },
    ],
    regions: [{ slug: 'town', kind: 'city', title: { en: 'Town' } }],
    stations: [
      ...[1, 2, 3, 4, 5].map((id) => station(id, id === 1 ? others : {})),
      station(6, { latitude: 40.15 }),
      station(7, { hidden: true }),
    ],
  };
}

onEveryEngineInAll('watching stations', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let reader: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'UTC');
    reader = db.as('airseries_reader', 'UTC');
  });
  beforeEach(async () => {
    await owner`truncate raw.readings`;
    await bringIn(owner, network());
  });
  afterAll(() => db.drop());

  type Air = {
    pm25?: number;
    pm25_raw?: number;
    pm10?: number;
    temperature?: number;
    humidity?: number;
  };
  /**
   * A reading every half hour, `from` to `to` hours before now; `air` maps hours before now to
   * values.
   */
  const measure = async (sensor: number, from: number, to: number, air: (ago: number) => Air) => {
    for (let ago = from; ago >= to; ago -= 0.5) {
      const {
        pm25 = null,
        pm25_raw = null,
        pm10 = null,
        temperature = null,
        humidity = null,
      } = air(Math.ceil(ago));
      await owner`insert into raw.readings (measured_at, sensor_id, pm25, pm25_raw, pm10, temperature, humidity)
        values (${hoursAgo(ago)}, ${sensor}, ${pm25}, ${pm25_raw}, ${pm10}, ${temperature}, ${humidity})`;
    }
  };
  const lively = (pm25: number) => (ago: number) => ({ pm25: pm25 + (ago % 3) / 10 });
  const offline = async (at = NOW) => {
    await db.refresh(NOW);
    return await reader`select * from api.station_offline(${at}) order by 1`;
  };
  const flatLines = async (at = NOW) => {
    await db.refresh(NOW);
    return await reader`select * from api.station_flat_line(${at}) order by 1`;
  };
  const outliers = async (at = NOW) => {
    await db.refresh(NOW);
    return await reader`select * from api.station_outlier(${at}) order by 1`;
  };

  it('finds nothing where no station has ever measured', async () => {
    expect([await offline(), await flatLines(), await outliers()]).toEqual([[], [], []]);
  });

  it('a station that has long been silent is listed too', async () => {
    await measure(4, 40 * 24, 40 * 24, lively(10));
    expect(await offline()).toMatchObject([
      { station_id: 4, last_measurement_time: iso(hoursAgo(40 * 24)) },
    ]);
  });

  it('a station is listed from the moment it is offline until it measures again', async () => {
    await measure(1, 10, 4, lively(10));
    await measure(2, 3, 3, lively(10)); // exactly stale
    await measure(3, 2.5, 2.5, lively(10));
    await measure(7, 10, 8, lively(10)); // hidden
    expect(await offline()).toEqual([
      { station_id: 1, last_measurement_time: iso(hoursAgo(4)), offline_minutes: 240 },
      { station_id: 2, last_measurement_time: iso(hoursAgo(3)), offline_minutes: 180 },
    ]);
    expect(await offline(hoursAgo(2))).toEqual([]);
    await measure(1, 0, 0, lively(10));
    expect((await offline()).map((row) => row.station_id)).toEqual([2]);
    const stations =
      await reader`select id from api.station_current(${NOW}) where status = 'offline' and is_listed order by 1`;
    // those that never measured are offline, but not listed
    expect(stations.map((row) => row.id)).toEqual([2, 4, 5, 6]);
  });

  it('a station is offline once its newest reading is stale to the microsecond, whatever comes from a clock that is ahead', async () => {
    await measure(1, 5, 3, lively(20));
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${new Date(NOW.getTime() + 240_000)}, 1, 20)`;
    expect(await offline(new Date(NOW.getTime() - 1))).toEqual([]);
    expect(await offline()).toMatchObject([{ station_id: 1, offline_minutes: 180 }]);
  });

  it('a station whose sensor is suspicious is offline since its last valid reading', async () => {
    await measure(1, 9, 0, lively(10));
    await bringIn(
      owner,
      network({ sensors: [{ id: 1, suspicious: [{ since: iso(hoursAgo(4.75)) }] }] }),
    );
    expect(await offline()).toMatchObject([
      { station_id: 1, last_measurement_time: iso(hoursAgo(5)) },
    ]);
  });

  it('a sensor that moved on leaves its station offline', async () => {
    const moved = [
      {
        id: 1,
        stations: [
          { id: 1, until: iso(hoursAgo(5)) },
          { id: 2, since: iso(hoursAgo(5)) },
        ],
      },
      { id: 11 },
    ];
    await measure(1, 9, 5.5, lively(10));
    await bringIn(owner, network({ sensors: moved }));
    await owner`insert into raw.readings (measured_at, sensor_id, pm25) values (${hoursAgo(1)}, 1, 5)`;
    expect(await offline()).toMatchObject([{ station_id: 1, offline_minutes: 330 }]);
  });

  it('a flat line is six closed hours of one value, with its parameters and start', async () => {
    await measure(1, 20, 0, (ago) => ({ pm25: ago > 6 ? 10 + ago : 7.1, pm10: 20 + ago }));
    await measure(2, 20, 0, (ago) => ({ pm25: ago > 5 ? 10 + ago : 7.1 })); // one hour short
    await measure(3, 20, 0, (ago) => ({
      pm25: 5 + ago,
      temperature: ago > 9 ? ago : 21.3,
      humidity: ago > 8 ? ago : 40,
    }));
    await measure(7, 20, 0, () => ({ pm25: 7 }));
    expect(await flatLines()).toEqual([
      { station_id: 1, parameters: 'pm25', since: iso(hoursAgo(6)), hours: 6 },
      { station_id: 3, parameters: 'humidity, temperature', since: iso(hoursAgo(9)), hours: 9 },
    ]);
    expect(await flatLines(hoursAgo(1))).toMatchObject([{ station_id: 3, hours: 8 }]);
  });

  it('a flat line is found in uncorrected values, sensor by sensor, and not across gaps', async () => {
    await measure(1, 20, 0, (ago) => ({ pm25: 0, pm25_raw: 1 + ago })); // corrected to 0
    await measure(2, 20, 0, (ago) => ({ pm25: 5 + ago, pm25_raw: 3 }));
    // fog, and the other value in five of its first six hours
    await measure(3, 20, 0, (ago) => ({
      humidity: 100,
      ...(ago <= 6 && ago !== 3 ? { pm25: 9 } : {}),
    }));
    await measure(4, 20, 12, () => ({ pm25: 9 })); // offline since then
    await measure(5, 12, 6.5, () => ({ pm25: 9 }));
    await measure(5, 2, 0, () => ({ pm25: 9 })); // three closed hours only
    await owner`insert into raw.sensor (id) values (61)`;
    await owner`insert into raw.sensor_station values (61, 6, '-infinity', 'infinity')`;
    await owner`select logic.apply_periods()`;
    await measure(6, 8, 0, lively(10)); // the mean of the two is never the same
    await owner`insert into raw.readings (measured_at, sensor_id, pm25)
      select measured_at, 61, 4 from raw.readings where sensor_id = 6`;
    expect(
      (await flatLines()).map(({ station_id, parameters, hours }) => [
        station_id,
        parameters,
        hours,
      ]),
    ).toEqual([
      [2, 'pm25', 20],
      [6, 'pm25', 8],
    ]);
  });

  it('a flat line is followed back seven days at most', async () => {
    await measure(1, 200, 0, () => ({ pm10: 3 }));
    expect(await flatLines()).toMatchObject([
      { station_id: 1, hours: 7 * 24, since: iso(hoursAgo(7 * 24)) },
    ]);
  });

  it('a station is an outlier if it is far above or far below its neighbours', async () => {
    await measure(1, 3, 0, lively(120));
    for (const id of [2, 3, 4, 5]) await measure(id, 3, 0, lively(10 + id));
    await measure(6, 3, 0, lively(400)); // no neighbour near enough
    await measure(7, 3, 0, lively(400)); // hidden
    expect(await outliers()).toEqual([
      {
        station_id: 1,
        timestamp: iso(hoursAgo(1)),
        avg_pm25: expect.closeTo(120.1, 5),
        neighbour_count: 4,
        neighbour_median: expect.closeTo(13.6, 5),
        difference: expect.closeTo(106.5, 5),
        ratio: expect.closeTo(8.8, 5),
      },
    ]);
    await owner`update raw.readings set pm25 = case when sensor_id = 1 then 4 else pm25 + 30 end where sensor_id <= 5`;
    expect(await outliers()).toMatchObject([
      { station_id: 1, avg_pm25: 4, ratio: expect.closeTo(0.1, 5) },
    ]);
  });

  it('a station is no outlier at twice the concentration, in clean air, or with few neighbours', async () => {
    await measure(1, 3, 0, lively(45)); // seven times as much, but not 50 more
    for (const id of [2, 3, 4]) await measure(id, 3, 0, lively(6));
    expect(await outliers()).toEqual([]);
    await owner`update raw.readings set pm25 = 140 where sensor_id = 1`;
    expect((await outliers()).map((row) => row.station_id)).toEqual([1]);
    await owner`update raw.readings set pm25 = 30 where sensor_id <> 1`; // less than five times
    expect(await outliers()).toEqual([]);
    await owner`update raw.readings set pm25 = 24 where sensor_id <> 1`;
    await owner`update raw.readings set pm25 = 0 where sensor_id = 1`; // zero among low values
    expect(await outliers()).toEqual([]);
    await owner`update raw.readings set pm25 = 140 where sensor_id = 1`;
    await owner`delete from raw.readings where sensor_id = 4`;
    expect(await outliers()).toEqual([]);
  });

  it('outliers are judged by the newest closed hour of each station that is not stale', async () => {
    await measure(1, 4, 2.5, lively(300));
    for (const id of [2, 3, 4, 5]) await measure(id, 4, 0, lively(10));
    expect(await outliers()).toMatchObject([{ station_id: 1, timestamp: iso(hoursAgo(3)) }]);
    expect(await outliers(new Date(NOW.getTime() + HOUR))).toEqual([]);
  });

  it('distances are measured on the globe', async () => {
    const [row] =
      await owner`select logic.distance_km(40.1772, 44.5035, 41.7151, 44.8271) as yerevan_tbilisi,
      logic.distance_km(0, 179.95, 0, -179.95) as date_line, logic.distance_km(10, 20, 10, 20) as nothing`;
    expect(row?.yerevan_tbilisi).toBeCloseTo(173.2, 0);
    expect(row?.date_line).toBeCloseTo(11.12, 2);
    expect(row?.nothing).toBe(0);
  });
});
