/** Particles that cannot be true are found, explained and left out of their regions (C9); the rule word for word is in suspectLiteral.ts. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeDigest } from '../../src/aggregate/digest.ts';
import { refresh } from '../../src/aggregate/refresh.ts';
import type { Sql } from '../../src/database/client.ts';
import { screen, screenedPeriods } from '../../src/network/screening.ts';
import { bringIn, differences, type Json, NOW } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { seeded } from '../support/random.ts';
import { type Hour, type Suspect, suspectPeriods } from './suspectLiteral.ts';

const HOUR = 3_600_000;
const hoursAgo = (n: number) => new Date(NOW.getTime() - n * HOUR);

const LATITUDE = 40.078;
/** Stations 1 to 5 are within 10 km of one another, station 6 is 11 km from the next of them; station 1 has sensors 11 and 12, the others one each. */
const PLACES = [1, 2, 3, 4, 5, 6].map((id) => ({
  id,
  latitude: id === 6 ? 40.25 : LATITUDE + (id - 1) * 0.018,
  longitude: 44,
}));
const SENSORS = [11, 12, 21, 31, 41, 51, 61];
const network = (stations: Readonly<Record<number, Json>> = {}) => ({
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: 'Us' }],
  regions: [{ slug: 'town', kind: 'city', title: { en: 'Town' } }],
  stations: PLACES.map((place) => ({
    ...{ ...place, provider: 'us', title: { en: `No. ${place.id}` }, regions: ['town'] },
    sensors: SENSORS.filter((id) => Math.floor(id / 10) === place.id).map((id) => ({ id })),
    ...stations[place.id],
  })),
});

/** What a sensor gives in the hour that begins so many hours ago; null: nothing. */
type Air = (sensor: number, ago: number) => { pm25: number; pm10?: number } | null;
const clean: Air = (sensor, ago) => ({
  pm25: 8 + ((ago * 7 + sensor) % 5),
  pm10: 15 + ((ago + sensor) % 7),
});

onEveryEngine('suspect particles', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'UTC');
  });
  beforeEach(async () => {
    await owner`truncate raw.readings, raw.screened_period, rollup.digest`;
    await bringIn(owner, network());
  });
  afterAll(() => db.drop());

  /** A reading an hour, of all sensors. */
  const measure = async (air: Air, from = 72, to = 1) => {
    const rows = SENSORS.flatMap((sensor) =>
      Array.from({ length: from - to + 1 }, (_, n) => from - n).flatMap((ago) => {
        const values = air(sensor, ago);
        return values === null
          ? []
          : [{ measured_at: hoursAgo(ago), sensor_id: sensor, pm10: null, ...values }];
      }),
    );
    await owner`insert into raw.readings ${owner(rows)} on conflict (sensor_id, measured_at) do update set pm25 = excluded.pm25, pm10 = excluded.pm10`;
    await refresh(db.target, NOW);
  };
  const flags = async () =>
    (await screenedPeriods(db.target, 'UTC')).map(({ station_id, reason, since, until }) => ({
      ...{
        station: station_id,
        reason,
        since: agoOf(since),
        until: until === null ? null : agoOf(until),
      },
    }));
  const agoOf = (time: string) => (NOW.getTime() - Date.parse(time)) / HOUR;
  const screened = async (air: Air, at = NOW) => {
    await measure(air);
    await screen(db.target, at);
    return await flags();
  };

  it('finds nothing in clean air, nor in a storm of dust over all stations', async () => {
    expect(await screened(clean)).toEqual([]);
    const storm: Air = (sensor, ago) => ({
      pm25: (ago < 30 ? 400 : 20) + sensor + (ago % 3),
      pm10: 900 + ago,
    });
    expect(await screened(storm)).toEqual([]);
  });

  it('finds a sensor that is stuck, channels that drift apart and a station far above the others, each only there', async () => {
    const stuck: Air = (sensor, ago) =>
      sensor === 61 && ago <= 24 ? { pm25: 9.5, pm10: 12 } : clean(sensor, ago);
    expect(await screened(stuck)).toEqual([{ station: 6, reason: 'flat', since: 13, until: null }]);
    await owner`truncate raw.screened_period`;
    // very clean air may be the same for long
    const clear: Air = (sensor, ago) =>
      sensor === 61 && ago <= 24 ? { pm25: 0.5, pm10: 1 } : clean(sensor, ago);
    expect(await screened(clear)).toEqual([]);
    // one channel loses 80 % of what it gives in the course of a day
    const drifting: Air = (sensor, ago) => ({
      pm25:
        (20 + (ago % 4)) *
        (sensor === 12 ? 1 - 0.8 * Math.min(1, Math.max(0, (48 - ago) / 24)) : 1),
    });
    await measure(drifting);
    await screen(db.target, hoursAgo(24));
    expect(await flags()).toEqual([{ station: 1, reason: 'sensors', since: 32, until: null }]);
    await owner`truncate raw.screened_period`;
    const sixfold: Air = (sensor, ago) => ({
      pm25: (12 + (ago % 4)) * (sensor === 31 && ago <= 60 && ago > 12 ? 6 : 1),
    });
    expect(await screened(sixfold)).toEqual([
      { station: 3, reason: 'outlier', since: 60, until: null },
    ]);
    expect(await owner`select evidence from raw.screened_period`).toEqual([
      {
        evidence: {
          ...{ 'pm2.5': 72, median: 12 },
          compared_with: [1, 2, 4, 5].map((id) => ({ id, 'pm2.5': 12 })),
        },
      },
    ]);
  });

  it.each<[string, Air, unknown[]]>([
    [
      'five hours: none',
      (s, ago) => ({ pm25: s === 31 && ago >= 40 && ago < 45 ? 90 : 10 + (ago % 5) }),
      [],
    ],
    [
      'six hours: one',
      (s, ago) => ({ pm25: s === 31 && ago >= 40 && ago < 46 ? 90 : 10 + (ago % 5) }),
      [[45, 39]],
    ],
    [
      'six hours, 24 between two of them: one',
      (s, ago) => ({
        pm25: s === 31 && ((ago > 62 && ago < 66) || (ago > 35 && ago < 39)) ? 90 : 10 + (ago % 5),
      }),
      [[65, 35]],
    ],
    [
      'six hours, 25 between two of them: none',
      (s, ago) => ({
        pm25: s === 31 && ((ago > 62 && ago < 66) || (ago > 34 && ago < 38)) ? 90 : 10 + (ago % 5),
      }),
      [],
    ],
    [
      'not more than five times the median',
      (s, ago) => ({ pm25: s === 31 ? 5 * (11 + (ago % 5)) : (s === 41 ? 9 : 11) + (ago % 5) }),
      [],
    ],
    [
      'not more than 50 µg/m³',
      (s, ago) => ({ pm25: s === 31 ? 50 - (ago % 3) : 5 + (ago % 3) }),
      [],
    ],
    ['far from all others', (s, ago) => ({ pm25: s === 61 ? 300 + ago : 10 + (ago % 5) }), []],
    [
      'with two neighbours that measure',
      (s, ago) => (s > 20 && s < 50 ? { pm25: s === 31 ? 300 + ago : 10 + (ago % 5) } : null),
      [],
    ],
  ])('an outlier of %s', async (_, air, expected) => {
    const periods = await screened(air);
    expect(periods.map(({ since, until }) => [since, until])).toEqual(expected);
  });

  it('is open until the last suspect hour is 24 hours old, and then ends after it', async () => {
    const air: Air = (sensor, ago) => ({
      pm25: sensor === 31 && ago > 20 && ago <= 30 ? 90 : 10 + (ago % 5),
    });
    await measure(air);
    expect(await screen(db.target, hoursAgo(6))).toEqual({ raised: 1, lifted: 0 });
    expect(await flags()).toEqual([{ station: 3, reason: 'outlier', since: 30, until: null }]);
    expect(await screen(db.target, hoursAgo(-4))).toEqual({ raised: 0, lifted: 1 });
    expect(await flags()).toEqual([{ station: 3, reason: 'outlier', since: 30, until: 20 }]);
  });

  it('keeps what it found, by what it was first found, and writes nothing twice', async () => {
    const air: Air = (sensor, ago) => ({
      pm25: sensor === 31 && ago <= 30 ? 90 + ago : 10 + (ago % 5),
    });
    await screened(air);
    const written = () =>
      owner`select xmin::text, ctid::text, * from raw.screened_period order by ctid`;
    const before = await written();
    expect(before).toMatchObject([
      { kind: 'pm', sensor_id: null, evidence: { 'pm2.5': 120, median: 10 } },
    ]);
    await measure((sensor, ago) => ({
      pm25: sensor === 41 ? 11 + (ago % 4) : (air(sensor, ago)?.pm25 ?? 0),
    }));
    expect(await screen(db.target, NOW)).toEqual({ raised: 0, lifted: 0 });
    expect(await written()).toEqual(before);
    // nine days later it still is the same period, though its beginning is not looked at any more
    await measure(
      (sensor, ago) => ({ pm25: sensor === 31 ? 400 + (ago % 3) : 20 + (ago % 5) }),
      0,
      -9 * 24,
    );
    expect(await screen(db.target, hoursAgo(-9 * 24))).toEqual({ raised: 0, lifted: 0 });
    expect(await written()).toEqual(before);
  });

  it('leaves PM and the index out of the region, in hours, days and digests, and says how many', async () => {
    await measure((sensor, ago) => ({
      pm25: sensor === 31 && ago <= 30 ? 900 : 10,
      pm10: 20 + (ago % 5),
    }));
    await owner`update raw.screened_period set until = 'infinity'`;
    await bringIn(owner, network({ 3: { is_bad_pm: [{ since: hoursAgo(30).toISOString() }] } }));
    expect(await differences(db)).toEqual([]);
    const highest =
      await owner`select max(pm25) as pm25, max(aqi)::int as aqi, max(station_count) as stations from rollup.region_hourly`;
    expect(highest).toEqual([{ pm25: 10, aqi: 53, stations: 6 }]);
    expect(await owner`select max(max_pm25) as pm25 from rollup.region_daily`).toEqual([
      { pm25: 10 },
    ]);
    expect(await owner`select max(pm25) as pm25 from rollup.station_hourly`).toEqual([
      { pm25: 900 },
    ]);
    await measure((sensor) => ({ pm25: sensor === 31 ? 900 : 10 }), 0, 0);
    await makeDigest(db.target, NOW);
    expect(await owner`select pm25, station_count, pm_left_out from rollup.digest`).toEqual([
      { pm25: 10, station_count: 6, pm_left_out: 1 },
    ]);
  });

  it('is explained where the number stands, and a region says of how many stations its PM is', async () => {
    await screened((sensor, ago) => ({
      pm25: sensor === 31 && ago <= 30 ? 90 + ago : 10 + (ago % 5),
    }));
    const [row] = await owner`select flags from api.station_flags_json(${NOW}, 3)`;
    expect(JSON.parse(row?.flags)).toEqual([
      {
        ...{
          kind: 'pm',
          test: 'outlier',
          sensor_id: null,
          since: hoursAgo(30).toISOString().replace('.000Z', '+00:00'),
          until: null,
        },
        ...{
          'pm2.5': 120,
          median: 10,
          compared_with: [1, 2, 4, 5].map((id) => ({ id, 'pm2.5': 10 })),
        },
      },
    ]);
    expect(
      await owner`select id from api.station_current(${NOW}) where is_bad_pm and not is_bad_thp`,
    ).toEqual([{ id: 3 }]);
    await measure(clean, 0, 0);
    await makeDigest(db.target, NOW);
    expect(
      await owner`select stations, left_out from api.region_particles(${NOW}, 'town')`,
    ).toEqual([{ stations: 5, left_out: 1 }]);
    expect(
      await owner`select stations, left_out from api.region_particles(${hoursAgo(-1)}, 'town')`,
    ).toEqual([{ stations: null, left_out: null }]);
  });

  it('says how sensors at one station or within 150 m agree, by days, with a trusted one as the reference', async () => {
    const near = { latitude: LATITUDE + 0.0013, longitude: 44 }; // 145 m
    await bringIn(
      owner,
      network({
        2: { ...near, trusted: true },
        4: { latitude: LATITUDE - 0.0014 },
        5: { latitude: LATITUDE },
      }),
    );
    const base = (ago: number) => 10 + (Math.floor(ago / 24) % 7);
    await measure((sensor, ago) => {
      if (sensor === 21) return { pm25: 2 * base(ago) - 1 };
      if (sensor === 51 && ago % 24 > 16) return null;
      return { pm25: base(ago) + (sensor === 12 ? 3 : 0) };
    }, 35 * 24);
    const pairs = (station: number | null) =>
      owner`select x_sensor_id as x, y_sensor_id as y, days, slope, intercept, r2, meets_targets from api.sensor_pair(${NOW}, ${station}) order by 1, 2`;
    const all = [
      { x: 11, y: 12, days: 30, slope: 1, intercept: 3, r2: 1, meets_targets: true },
      { x: 21, y: 11, days: 30, slope: 0.5, intercept: 0.5, r2: 1, meets_targets: false },
      { x: 21, y: 12, days: 30, slope: 0.5, intercept: 3.5, r2: 1, meets_targets: false },
    ];
    expect(await pairs(null)).toEqual(all);
    expect(await pairs(1)).toEqual(all);
    expect(await pairs(2)).toEqual(all.slice(1));
    expect(await pairs(3)).toEqual([]);
    expect(await owner`select rmse from api.sensor_pair(${NOW}) where x_sensor_id = 11`).toEqual([
      { rmse: 3 },
    ]);
    await bringIn(owner, network());
  });

  it('does not judge a trusted station, but by it', async () => {
    const air: Air = (sensor, ago) => ({
      pm25: sensor === 31 && ago <= 30 ? 90 + ago : 10 + (ago % 5),
    });
    expect(await screened(air)).toHaveLength(1);
    await bringIn(owner, network({ 3: { trusted: true } }));
    expect(await flags()).toEqual([]);
    expect(await screened(air)).toEqual([]);
    expect(await screen(db.target, NOW)).toEqual({ raised: 0, lifted: 0 });
    await bringIn(
      owner,
      network({
        1: { trusted: true },
        2: { trusted: true },
        4: { trusted: true },
        5: { trusted: true },
      }),
    );
    expect(await screened(air)).toHaveLength(1);
    await bringIn(owner, network());
  });

  it('finds by chance what the rule finds word for word, screening by screening', async () => {
    const random = seeded(43);
    const kinds = { 12: 'times', 21: 'flat', 31: 'times', 41: 'gap', 51: 'flat', 61: 'flat' };
    const fault = new Map(
      Object.entries(kinds).map(([sensor, kind]) => {
        const from = 60 + random.below(80);
        return [
          Number(sensor),
          { kind, from, to: from - 20 - random.below(60), value: random.pick([0.4, 7.3, 60]) },
        ];
      }),
    );
    const air: Air = (sensor, ago) => {
      const { kind, value } =
        [...fault].flatMap(([id, f]) =>
          id === sensor && ago <= f.from && ago > f.to ? [f] : [],
        )[0] ?? {};
      if (random.next() < 0.03 || (kind === 'gap' && random.next() < 0.6)) return null;
      if (kind === 'flat') return { pm25: value ?? 0, pm10: random.next() < 0.02 ? 5 : 4 };
      return {
        pm25:
          8 +
          Math.round(random.next() * 60) / 10 +
          (kind === 'times' && random.next() < 0.5 ? 70 : 0),
        pm10: 12,
      };
    };
    await measure(air, 290, 1);
    const hours = async (level: string, join: string) =>
      (
        await owner.unsafe(`select ${level === 'station' ? 'h.station_id' : 'p.station_id'} as station, extract(epoch from bucket)::float8 * 1000 as at, pm25,
          coalesce(pm25_raw, pm25) as measured, pm10 from rollup.${level}_hourly h ${join} where pm25 is not null`)
      ).map((row) => row as unknown as Hour);
    const stationHours = await hours('station', '');
    const sensorHours = await hours('sensor', 'join raw.placement p using (sensor_id)');
    let recorded: Suspect[] = [];
    const reasons = new Set<string>();
    for (let ago = 80; ago >= 0; ago -= 8) {
      const at = hoursAgo(ago);
      const since = hoursAgo(ago + 100).getTime();
      const found = suspectPeriods(
        { stationHours, sensorHours, places: PLACES, recorded },
        since,
        at.getTime(),
      );
      recorded = [...recorded.filter((p) => p.until <= since - 24 * HOUR), ...found];
      for (const { reason } of found) reasons.add(reason);
      await screen(db.target, at, new Date(since));
      const order = (a: Suspect, b: Suspect) =>
        a.station - b.station || a.reason.localeCompare(b.reason) || a.since - b.since;
      const stored =
        await owner`select station_id as station, reason, extract(epoch from since)::float8 * 1000 as since,
        extract(epoch from until)::float8 * 1000 as until from raw.screened_period where kind = 'pm'`;
      expect(stored.map((row) => row as unknown as Suspect).sort(order)).toEqual(
        recorded.sort(order),
      );
    }
    expect([...reasons].sort()).toEqual(['flat', 'outlier', 'sensors']);
    expect(await differences(db)).toEqual([]);
  });
});
