/**
 * Current values of stations and regions at their bounds (C1, C2, C4): to the millisecond, and as
 * periods of the network change them.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import type { Sql } from '../../src/database/client.ts';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { differences } from '../aggregate/differences.ts';
import { reading } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading as measuredBy,
  type Values,
} from '../support/installation.ts';
import { bringIn, type Json, smallNetwork } from '../support/smallNetwork.ts';

/** A full hour, because memberships change only at full hours. */
const AT = NOW.getTime();
const AT_LOCAL = '2026-11-20T16:00:00+04:00';
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const STALE = 3 * HOUR;

type Measured = { before: number; values: Values; isSecond: boolean };
type Row = readonly [title: string, measured: readonly Measured[], expected: object];

const local = (before: number) =>
  `${new Date(AT + 4 * HOUR - before).toISOString().slice(0, 19)}+04:00`;
const NOTHING = { 'pm2.5': null, pm10: null, temperature: null, aqi: null, measurement_time: null };
const offline = { status: 'offline', ...NOTHING };

/** The values that a sensor of the station measured, that many milliseconds before now. */
const was = (before: number, values: Values, sensor?: 'second'): Measured => ({
  before,
  values,
  isSecond: sensor === 'second',
});

/** Every row is a separate station. */
const ROWS: readonly Row[] = [
  [
    'C1: a value 59 minutes and 59.999 seconds older than the newest counts; one of 60 does not; rain is summed over that hour',
    [
      was(0, { pm25: 10, rain: 1 }),
      was(60 * MINUTE - 1, { pm25: 50, rain: 2 }),
      was(60 * MINUTE, { pm25: 90, rain: 8 }),
    ],
    { 'pm2.5': 30, rain: 3 },
  ],
  [
    'C1: the hour is counted back from the newest value, not from now',
    [was(2 * HOUR, { pm25: 10 }), was(3 * HOUR - 1, { pm25: 50 })],
    { 'pm2.5': 30, measurement_time: local(2 * HOUR) },
  ],
  [
    'C1: the hour is counted back from the newest value of the same parameter, not of another',
    [
      was(0, { temperature: 5 }),
      was(30 * MINUTE, { pm25: 10 }),
      was(60 * MINUTE, { temperature: 25 }),
      was(80 * MINUTE, { pm25: 50 }),
    ],
    { 'pm2.5': 30, temperature: 5, measurement_time: local(0) },
  ],
  [
    'C1: the values of that hour count even where they are older than stale_after',
    [was(STALE - SECOND, { pm25: 10 }), was(STALE + 30 * MINUTE, { pm25: 50 })],
    { 'pm2.5': 30 },
  ],
  [
    'C1: a parameter whose newest value is exactly as old as stale_after is null, at a station that is online',
    [was(0, { temperature: 5 }), was(STALE, { pm25: 10 })],
    { status: 'online', 'pm2.5': null, aqi: null, temperature: 5 },
  ],
  [
    'C1: a parameter whose newest value is a millisecond younger than stale_after has a value',
    [was(0, { temperature: 5 }), was(STALE - 1, { pm25: 10 })],
    { 'pm2.5': 10, temperature: 5 },
  ],
  [
    'C1: every sensor has an hour of its own, and counts once',
    [
      was(0, { pm25: 10 }),
      was(2 * HOUR, { pm25: 20 }, 'second'),
      was(2 * HOUR + 50 * MINUTE, { pm25: 40 }, 'second'),
    ],
    { 'pm2.5': 20 },
  ],
  [
    'C1: a stale sensor does not count, and the station has the values of the other',
    [was(0, { pm25: 10 }), was(STALE, { pm25: 40 }, 'second')],
    { 'pm2.5': 10, measurement_time: local(0) },
  ],
  [
    'C1: a value measured a millisecond later does not count yet',
    [was(-1, { pm25: 50 }), was(HOUR, { pm25: 10 })],
    { 'pm2.5': 10, measurement_time: local(HOUR) },
  ],
  [
    'C2: a station whose newest reading is exactly as old as stale_after is offline',
    [was(STALE, { pm25: 10 })],
    offline,
  ],
  [
    'C2: a station whose newest reading is a millisecond younger than stale_after is online',
    [was(STALE - 1, { pm25: 10, pm10: 20 })],
    { status: 'online', measurement_time: local(STALE - 1), 'pm2.5': 10, pm10: 20 },
  ],
  [
    'C2: a station that will measure in a millisecond is offline until then',
    [was(-1, { pm25: 10 })],
    offline,
  ],
];

/** Stations of the city `crowd`: value, age of the reading, and settings. */
const [NOW_ISO, LATER] = [NOW.toISOString(), new Date(AT + HOUR).toISOString()];
const CROWD: readonly [pm25: number, before: number, more?: object][] = [
  [10, 0],
  [20, STALE - 1], // online for one more millisecond
  [400, STALE], // offline from this instant on
  [500, 0, { hidden: [{ since: NOW_ISO }] }],
  [30, 0, { hidden: [{ until: NOW_ISO }] }],
  [600, 0, { regions: [{ slug: 'crowd', until: NOW_ISO }] }],
  [700, 0, { regions: [{ slug: 'crowd', since: LATER }] }],
];
const [LONE, HASTY, HASTIER] = [200, 301, 302];
/** The second sensor of a station. */
const secondOf = (station: number) => station + 100;

function network() {
  const base = citiesOfOneStation(['rows', 'lone', 'crowd']);
  const station = (id: number, slug: string, sensors: number[], more?: object) => ({
    ...base.stations[0],
    ...{ id, regions: [slug], sensors: sensors.map((sensor) => ({ id: sensor })) },
    ...more,
  });
  return {
    ...base,
    providers: [...base.providers, { id: 'hasty', title: 'Hasty', stale_after: '90 minutes' }],
    stations: [
      ...ROWS.map((_, row) => station(row + 1, 'rows', [row + 1, secondOf(row + 1)])),
      station(LONE, 'lone', [LONE]),
      ...CROWD.map(([, , more], n) => station(210 + n, 'crowd', [210 + n], more)),
      ...[HASTY, HASTIER].map((id) => station(id, 'rows', [id], { provider: 'hasty' })),
    ],
  };
}

onEveryEngineInAll('current values', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, network());
    await here.accept([
      ...ROWS.flatMap(([, measured], row) =>
        measured.map(({ before, values, isSecond }) =>
          measuredBy(isSecond ? secondOf(row + 1) : row + 1, AT - before, values),
        ),
      ),
      measuredBy(HASTY, AT - 90 * MINUTE, { pm25: 10 }),
      measuredBy(HASTIER, AT - 90 * MINUTE + 1, { pm25: 10 }),
      measuredBy(LONE, AT, { pm25: 10, pm10: 20, temperature: 5 }),
      ...CROWD.map(([pm25, before], n) => measuredBy(210 + n, AT - before, { pm25 })),
    ]);
    await here.digest(NOW);
    return () => here.close();
  });

  describe('of a station', () => {
    it.each(ROWS.map(([title, , expected], row) => [title, row, expected] as const))(
      '%s',
      async (_, row, expected) => {
        expect(await here.get(`station/${row + 1}.json`, NOW)).toMatchObject(expected);
      },
    );

    it('C2: stale_after is set by the provider: exactly 90 minutes is stale, a millisecond less is not', async () => {
      const [hasty, hastier] = [`station/${HASTY}.json`, `station/${HASTIER}.json`];
      expect(await here.get(hasty, NOW)).toMatchObject(offline);
      expect(await here.get(hastier, NOW)).toMatchObject({ status: 'online', 'pm2.5': 10 });
    });
  });

  describe('of a region', () => {
    const lone = (at: number) => here.get('region/lone.json', new Date(at));
    const none = { ...NOTHING, station_count: null };

    it('C4: a digest is used from the instant it is made until it is exactly 30 minutes old', async () => {
      const made = { measurement_time: AT_LOCAL, 'pm2.5': 10, pm10: 20, station_count: 1 };
      expect(await lone(AT - 1)).toMatchObject(none);
      expect(await lone(AT)).toMatchObject(made);
      expect(await lone(AT + 30 * MINUTE)).toMatchObject(made);
      expect(await lone(AT + 30 * MINUTE + 1)).toMatchObject(none);
    });

    it('C4: a digest counts only stations that are online, members and listed at its instant', async () => {
      const counted = { station_count: 3, 'pm2.5': 20 };
      expect(await here.get('region/crowd.json', NOW)).toMatchObject(counted);
    });

    it('C4: the newest digest is used from its instant on', async () => {
      const later = AT + 5 * MINUTE;
      await here.accept([measuredBy(LONE, later, { pm25: 30 })]);
      await here.digest(new Date(later));
      const before = { measurement_time: AT_LOCAL, 'pm2.5': 10 };
      expect(await lone(later - 1)).toMatchObject(before);
      const after = { measurement_time: '2026-11-20T16:05:00+04:00', 'pm2.5': 20 };
      expect(await lone(later)).toMatchObject(after);
    });

    it('C4: a digest without stations gives nulls, even if an older one with stations is still valid', async () => {
      const silent = AT + 5 * MINUTE + STALE;
      await here.digest(new Date(silent - MINUTE));
      await here.digest(new Date(silent));
      expect(await lone(silent - 1)).toMatchObject({ 'pm2.5': 20, station_count: 1 });
      expect(await lone(silent)).toMatchObject(none);
    });

    it('C4: late readings do not change a digest', async () => {
      await here.accept([measuredBy(LONE, AT - MINUTE, { pm25: 900 })]);
      await here.digest(NOW);
      expect(await lone(AT)).toMatchObject({ measurement_time: AT_LOCAL, 'pm2.5': 10 });
    });
  });
});

/** That many minutes before now, which is a full hour. */
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const iso = (minutes: number) => ago(minutes).replace('.000Z', '+00:00');

onEveryEngineInAll('current values as periods change', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let reader: Sql;
  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
    reader = db.as('airseries_reader', 'UTC');
  });
  beforeEach(() => owner`truncate raw.readings`);
  afterAll(() => db.drop());

  const measured = (...readings: ReadingInput[]) =>
    acceptReadings(db.as('airseries_ingest'), readings, { now: NOW, source: 'test' });
  const bring = (sensor: Json = {}) => bringIn(owner, smallNetwork({ sensor }));
  const current = async (station: number, at = ago(0)) =>
    (
      await reader`select status, measurement_time, "pm2.5" as pm25, rain from api.station_current(${at}, ${station})`
    )[0];
  const OFFLINE = { status: 'offline', measurement_time: null, pm25: null, rain: null };
  const online = (minutes: number, pm25: number | null, rain: number | null = null) => ({
    status: 'online',
    measurement_time: iso(minutes),
    pm25,
    rain,
  });

  it('wind is from the direction of the last hour, and valid until its newest reading is stale (C1, C2)', async () => {
    await bring();
    await measured(
      reading(3, ago(115), { wind_direction: 90 }),
      reading(3, ago(50), { wind_direction: 0 }),
    );
    expect(
      await reader`select wind_direction, valid_until from api.station_current(${ago(0)}, 2)`,
    ).toEqual([{ wind_direction: 'N', valid_until: iso(50 - 180) }]);
  });

  it('a calm has no direction and does not replace an earlier one; a direction without a speed counts (A7, C1)', async () => {
    await bring();
    await measured(
      reading(3, ago(80), { wind_direction: 90, wind_speed: 2 }),
      ...[75, 70, 65].map((at) => reading(3, ago(at), { wind_direction: 270, wind_speed: 0 })),
      reading(3, ago(60), { wind_direction: 90 }),
      reading(3, ago(30), { wind_direction: 0, wind_speed: 0 }),
      reading(1, ago(30), { wind_direction: 0, wind_speed: 0 }),
    );
    const expected = [
      { id: 1, wind_direction: null, wind_speed: 0 },
      { id: 2, wind_direction: 'E', wind_speed: 0.4 },
    ];
    expect(
      await reader`select c.id, c.wind_direction, c.wind_speed
        from generate_series(1, 2) id cross join api.station_current(${ago(0)}, id) c order by 1`,
    ).toEqual(expected);
    await refresh(db.target, () => NOW);
    expect(
      await reader`select id, wind_direction, wind_speed from api.station_current(${ago(0)}) order by 1`,
    ).toEqual(expected);
    expect(
      await owner`select sensor_id, wind_direction_at = ${ago(60)} as of_wind from rollup.current order by 1`,
    ).toEqual([
      { sensor_id: 1, of_wind: null },
      { sensor_id: 3, of_wind: true },
    ]);
  });

  it('negative noise of gases counts in their mean, and a mean below 0 is published as 0, in hours too (S1)', async () => {
    await bring();
    await measured(
      reading(1, ago(70), { no2: '-6', so2: '-6', o3: '-10' }),
      reading(2, ago(70), { no2: '2', so2: '10' }),
    );
    expect(await differences(db)).toEqual([]);
    expect(await reader`select no2, so2, o3 from api.station_current(${ago(30)}, 1)`).toEqual([
      { no2: 0, so2: 2, o3: 0 },
    ]);
    expect(await owner`select no2, so2, o3 from rollup.station_hourly`).toEqual([
      { no2: -2, so2: 2, o3: -10 },
    ]);
    expect(await reader`select avg_no2, avg_so2, avg_o3 from api.station_hourly`).toEqual([
      { avg_no2: 0, avg_so2: 2, avg_o3: 0 },
    ]);
  });

  it('readings from before a correction began still count in current values (C1)', async () => {
    await bring({ correction: [{ formula: 'epa-2021', since: ago(60) }] });
    await measured(
      reading(1, ago(70), { pm10: 10 }),
      reading(1, ago(30), { pm10: 20, humidity: 50 }),
    );
    expect(await reader`select pm10 from api.station_current(${ago(20)}, 1)`).toEqual([
      { pm10: 15 },
    ]);
  });

  it('a stale_after of one day is 24 hours, though the clocks were set back, in any session (C2)', async () => {
    const zone = 'Europe/Berlin';
    const night = '2026-10-25T12:00:00Z'; // eleven hours after the clocks of Berlin went back
    const providers = [{ id: 'us', title: 'Us', stale_after: '1 day' }];
    await bringIn(owner, { ...smallNetwork(), providers });
    await measured(
      reading(3, '2026-10-24T12:00:00Z', { pm25: 10 }),
      reading(1, '2026-10-24T12:00:01Z', { pm25: 20 }),
    );
    for (const session of ['UTC', zone]) {
      const rows = await db.as('airseries_reader', session)`
        select id, status, "pm2.5" as pm25 from api.station_current(${night}) order by id`;
      expect(rows).toEqual([
        { id: 1, status: 'online', pm25: 20 },
        { id: 2, status: 'offline', pm25: null },
      ]);
    }
    await db.as('airseries_owner', zone)`call logic.make_digest(${night})`;
    const digests =
      await owner`select station_count, pm25 from rollup.digest where region_slug = 'town'`;
    expect(digests).toEqual([{ station_count: 1, pm25: 20 }]);
    await owner`delete from rollup.digest`;
    await bringIn(owner, smallNetwork());
  });

  it('a station has the city and district of the instant, hidden or not, the first listed of several (C8)', async () => {
    const place = async (at: string) =>
      (
        await reader`select city_slug, city, district_slug, district, valid_until <= ${ago(0)} as ends from api.station_current(${at}, 2)`
      )[0];
    const regions = [
      { slug: 'quarter', since: ago(50), until: ago(20) },
      { slug: 'ville', since: ago(30) },
      { slug: 'town', since: ago(10) },
    ];
    const base = smallNetwork({ two: { regions, hidden: true } });
    await bringIn(owner, {
      ...base,
      regions: [...base.regions, { slug: 'ville', kind: 'city', title: { en: 'Ville' } }],
    });
    const nowhere = { city_slug: null, city: null, district_slug: null, district: null };
    const town = { city_slug: 'town', city: 'Town' };
    const ville = { city_slug: 'ville', city: 'Ville' };
    const quarter = { district_slug: 'quarter', district: 'Quarter' };
    expect(await place(ago(51))).toEqual({ ...nowhere, ends: true });
    expect(await place(ago(50))).toEqual({ ...town, ...quarter, ends: true });
    // the city of a district comes last
    expect(await place(ago(30))).toEqual({ ...ville, ...quarter, ends: true });
    expect(await place(ago(20))).toEqual({ ...nowhere, ...ville, ends: true });
    expect(await place(ago(10))).toEqual({ ...nowhere, ...ville, ends: null });
    await bringIn(owner, { ...smallNetwork({ two: { regions: ['town', 'ville'] } }) });
    expect(await place(ago(0))).toMatchObject(town);
    const listed = async () =>
      (await reader`select city_slug from api.station where id = 2`)[0]?.city_slug;
    expect(await listed()).toBe('town');
    await bringIn(owner, {
      ...smallNetwork({ two: { regions: [{ slug: 'town', until: ago(60) }, 'ville'] } }),
    });
    expect(await listed()).toBe('ville');
    await bringIn(owner, {
      ...smallNetwork({ two: { regions: [{ slug: 'town', until: ago(60) }] } }),
    });
    expect(await listed()).toBe('town'); // where it was last
  });

  it('a moved sensor counts at its new station at once, by readings taken there; in history from its first whole hour (C1, P2)', async () => {
    const moved = {
      stations: [
        { id: 1, until: ago(85) },
        { id: 2, since: ago(85) },
      ],
    };
    await bring();
    await measured(
      reading(1, ago(95), { pm25: 90 }),
      reading(1, ago(86), { pm25: 80 }),
      reading(1, ago(85), { pm25: 10 }),
    );
    expect(await current(1)).toEqual(online(85, 60));
    expect(await current(2)).toEqual(OFFLINE);

    await bring(moved);
    expect(await current(1)).toEqual(OFFLINE);
    expect(await current(2)).toEqual(online(85, 10));
    expect(await current(2, ago(85))).toEqual(online(85, 10));
    expect(await current(1, ago(86))).toEqual(online(86, 85)); // it was placed there then

    await measured(reading(1, ago(55), { pm25: 20 }));
    expect(await current(2)).toEqual(online(55, 15));
    expect(await differences(db)).toEqual([]);
    expect(await owner`select station_id, pm25 from rollup.station_hourly`).toEqual([
      { station_id: 2, pm25: 20 },
    ]);
  });

  it('a suspicious sensor does not count, and starts over with new readings afterwards', async () => {
    await bring({ suspicious: [{ since: ago(50), until: ago(20) }] });
    await measured(
      ...[55, 45, 15].map((minutes) => reading(1, ago(minutes), { pm25: minutes, rain: 1 })),
    );
    expect(await current(1, ago(51))).toEqual(online(55, 55, 1));
    expect(await current(1, ago(30))).toEqual(OFFLINE);
    // no longer suspicious, but without readings since
    expect(await current(1, ago(20))).toEqual(OFFLINE);
    expect(await current(1)).toEqual(online(15, 15, 1));
  });
});
