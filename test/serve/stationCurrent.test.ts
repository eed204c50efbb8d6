/**
 * Current values of stations (C1, C2) as periods of the network change them; their other rules are
 * in current.test.ts.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import type { Sql } from '../../src/database/client.ts';
import type { ReadingInput } from '../../src/ingest/reading/reading.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { differences } from '../aggregate/differences.ts';
import { reading } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { bringIn, type Json, smallNetwork } from '../support/smallNetwork.ts';

/** That many minutes before now, which is a full hour. */
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();
const iso = (minutes: number) => ago(minutes).replace('.000Z', '+00:00');

onEveryEngineInAll('current values', (engine) => {
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
      reading(3, ago(60), { wind_direction: 90 }),
      reading(3, ago(30), { wind_direction: 0, wind_speed: 0 }),
      reading(1, ago(30), { wind_direction: 0, wind_speed: 0 }),
    );
    const expected = [
      { id: 1, wind_direction: null, wind_speed: 0 },
      { id: 2, wind_direction: 'E', wind_speed: 1 },
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

  it.each(['UTC', 'Europe/Berlin', 'Asia/Yerevan'])(
    'a stale_after of one day is 24 hours, though the clocks were set back, in a session of %s (C2)',
    async (zone) => {
      const night = '2026-10-25T12:00:00Z'; // eleven hours after the clocks of Berlin went back
      await bringIn(owner, {
        ...smallNetwork(),
        providers: [{ id: 'us', title: 'Us', stale_after: '1 day' }],
      });
      await measured(
        reading(3, '2026-10-24T12:00:00Z', { pm25: 10 }),
        reading(1, '2026-10-24T12:00:01Z', { pm25: 20 }),
      );
      const here = db.as('airseries_reader', zone);
      const status =
        await here`select id, status, "pm2.5" as pm25 from api.station_current(${night}) order by id`;
      expect(status).toEqual([
        { id: 1, status: 'online', pm25: 20 },
        { id: 2, status: 'offline', pm25: null },
      ]);
      await db.as('airseries_owner', zone)`call logic.make_digest(${night})`;
      const [digest] =
        await owner`select station_count, pm25 from rollup.digest where region_slug = 'town'`;
      expect(digest).toEqual({ station_count: 1, pm25: 20 });
      await owner`delete from rollup.digest`;
      await bringIn(owner, { ...smallNetwork(), providers: [{ id: 'us', title: 'Us' }] });
    },
  );

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
