/** Stations that are offline or in a flag period are found, and no others. */
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, type Json } from '../support/smallNetwork.ts';

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
    return () => db.drop();
  });
  beforeEach(async () => {
    await owner`truncate raw.readings`;
    await bringIn(owner, network());
  });

  /** A reading every half hour, `from` to `to` hours before now, about this value. */
  const measure = async (sensor: number, from: number, to = from, pm25 = 10) => {
    await owner`
      insert into raw.readings (measured_at, sensor_id, pm25)
      select ${NOW}::timestamptz - ago * interval '1 hour', ${sensor}, ${pm25} + ceil(ago) % 3 / 10
      from generate_series(${to}::numeric, ${from}, 0.5) ago`;
  };
  const offline = async (at = NOW) => {
    await db.refresh(NOW);
    return await reader`select * from api.station_offline(${at}) order by 1`;
  };
  const suspect = async (at = NOW) =>
    await reader`select * from api.station_suspect(${at}) order by 1, 2`;

  it('no station is offline or suspect before any has measured', async () => {
    expect([await offline(), await suspect()]).toEqual([[], []]);
  });

  it('a station that has long been silent is listed as offline', async () => {
    await measure(4, 40 * 24);
    expect(await offline()).toMatchObject([
      { station_id: 4, last_measurement_time: iso(hoursAgo(40 * 24)) },
    ]);
  });

  it('a station is listed as offline from the instant it is until it measures again', async () => {
    await measure(1, 10, 4);
    await measure(2, 3); // exactly stale
    await measure(3, 2.5);
    await measure(7, 10, 8); // hidden
    expect(await offline()).toEqual([
      { station_id: 1, last_measurement_time: iso(hoursAgo(4)), offline_minutes: 240 },
      { station_id: 2, last_measurement_time: iso(hoursAgo(3)), offline_minutes: 180 },
    ]);
    expect(await offline(hoursAgo(2))).toEqual([]);
    await measure(1, 0);
    expect((await offline()).map((row) => row.station_id)).toEqual([2]);
    const stations =
      await reader`select id from api.station_current(${NOW}) where status = 'offline' and is_listed order by 1`;
    // stations that never measured are offline, but not listed
    expect(stations.map((row) => row.id)).toEqual([2, 4, 5, 6]);
  });

  it('a station is offline from the instant its newest reading is stale, despite a reading from the future', async () => {
    await measure(1, 5, 3);
    await measure(1, -0.07);
    expect(await offline(new Date(NOW.getTime() - 1))).toEqual([]);
    expect(await offline()).toMatchObject([{ station_id: 1, offline_minutes: 180 }]);
  });

  it('a station with a suspicious sensor is offline since its last valid reading', async () => {
    await measure(1, 9, 0);
    await bringIn(
      owner,
      network({ sensors: [{ id: 1, suspicious: [{ since: iso(hoursAgo(4.75)) }] }] }),
    );
    expect(await offline()).toMatchObject([
      { station_id: 1, last_measurement_time: iso(hoursAgo(5)) },
    ]);
  });

  it('a sensor that moved on leaves its station offline', async () => {
    const at = iso(hoursAgo(5));
    const stations = [
      { id: 1, until: at },
      { id: 2, since: at },
    ];
    const moved = [{ id: 1, stations }, { id: 11 }];
    await measure(1, 9, 5.5);
    await bringIn(owner, network({ sensors: moved }));
    await measure(1, 1);
    expect(await offline()).toMatchObject([{ station_id: 1, offline_minutes: 330 }]);
  });

  it('a station has one row for each kind of flag, with all current periods, the operator’s too (C5)', async () => {
    await owner`delete from raw.screened_period`;
    type Period = { sensor?: number; from?: number; to?: Date; kind?: string; evidence?: object };
    const period = async (
      station: number,
      reason: string,
      { sensor, from = 9, to, kind = 'pm', evidence }: Period = {},
    ) => {
      await owner`insert into raw.screened_period (station_id, sensor_id, reason, since, until, kind, evidence)
        values (${station}, ${sensor ?? null}, ${reason}, ${hoursAgo(from)}, ${to ?? 'infinity'}, ${kind},
          ${evidence === undefined ? null : JSON.stringify(evidence)}::text::jsonb)`;
    };
    const compared = [
      { id: 12, 'pm2.5': 3 },
      { id: 2, 'pm2.5': 117.5 },
    ];
    await period(2, 'sensors', { evidence: { 'pm2.5': 60.3, compared_with: compared } });
    await period(2, 'flat', { from: 30, evidence: { 'pm2.5': 7, pm10: 9 } });
    await period(2, 'outlier', { from: 60, to: NOW }); // has just ended
    await period(3, 'constant_humidity', { sensor: 3, kind: 'thp', from: 0 }); // has just begun
    await period(4, 'flat', { from: -1 }); // later
    await period(7, 'flat'); // hidden
    await owner`insert into raw.flag_period (station_id, kind, since, until) values (3, 'pm', '-infinity', 'infinity'), (2, 'pm', ${hoursAgo(50)}, 'infinity')`;
    const rows = (await suspect()).map(Object.values);
    const both = 'flat, 7 µg/m³; operator; sensors, 60.3 µg/m³, its sensors 2: 117.5, 12: 3';
    const humidity = 'constant humidity';
    expect(rows).toEqual([
      [2, 'pm', 'flat, operator, sensors', iso(hoursAgo(30)), true, both],
      [3, 'pm', 'operator', null, true, 'operator'],
      [3, 'thp', humidity, iso(NOW), true, `${humidity} of sensor 3`],
    ]);
    await owner`delete from raw.screened_period`;
    await owner`delete from raw.flag_period`;
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
