import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Sql } from '../../../src/database/connect.ts';
import { maintain } from '../../../src/database/refresh.ts';
import { acceptReadings } from '../../../src/ingest/accept.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../../support/database.ts';
import { bringIn, differences, type Json, NOW, reading, smallNetwork, stored } from '../support.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 31, 16);
const at = (hour: number) => new Date(START + hour * HOUR).toISOString();
const ALL = { since: '-infinity', until: 'infinity' };

onEveryEngine('import network', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  const stale = () => owner`select since::text, until::text, from_level from rollup.stale_period order by since`;
  const readings = [1, 2, 3].flatMap((sensor) =>
    Array.from({ length: 48 }, (_, n) => reading(sensor, at(n / 2), { pm25: sensor * 10 + n, temperature: n % 20 })),
  );
  const fill = () => acceptReadings(ingest, readings, { now: NOW, source: 'test' });

  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'UTC');
    ingest = db.as('airseries_ingest');
  });
  beforeEach(async () => {
    await owner.unsafe(`truncate raw.readings, rollup.stale_period, raw.membership, raw.hidden_period, raw.bad_thp_period,
      raw.sensor_station, raw.suspicious_period, raw.station, raw.sensor, raw.region, raw.provider cascade`);
  });
  afterAll(() => db.drop());

  test('the first time everything is added, the second time nothing happens', async () => {
    const network = {
      ...smallNetwork({
        one: { hidden: [{ since: '2026-02-01T04:00' }], altitude: 990, is_bad_thp: true },
        sensor: { kind: 'sds011', correction: 'epa-2021', suspicious: [{ until: '2025-01-01' }] },
      }),
      providers: [{ id: 'us', title: 'Us', url: 'u', image: 'i', image_dark: 'd', stale_after: 'PT26H' }],
    };
    const added = { changed: 0, unchanged: 0, left: [] };
    expect(await bringIn(owner, network)).toEqual({
      providers: { added: 1, ...added },
      regions: { added: 2, ...added },
      stations: { added: 2, ...added },
      sensors: { added: 3, ...added },
      readings_changed: 0,
    });
    expect(await owner`select *, stale_after::text from raw.provider`).toEqual([
      { id: 'us', title: 'Us', url: 'u', image: 'i', image_dark: 'd', stale_after: '26:00:00', pull: null },
    ]);
    expect(await owner`select * from raw.region order by slug`).toMatchObject([
      { slug: 'quarter', kind: 'district', city_slug: 'town', map_latitude: 40, map_longitude: 44, map_delta: 0.2 },
      { slug: 'town', kind: 'city', city_slug: null, map_latitude: 40.5, map_longitude: 44.5, is_hidden: false },
    ]);
    expect(await owner`select id, altitude, city_slug, district_slug from raw.station order by id`).toEqual([
      { id: 1, altitude: 990, city_slug: 'town', district_slug: 'quarter' },
      { id: 2, altitude: null, city_slug: 'town', district_slug: null },
    ]);
    // midnight in Yerevan is 20:00 of the day before in UTC
    const until = '2026-02-01T00:00:00+00:00';
    expect(await owner`select * from raw.membership order by 1, 2, 3`).toEqual([
      { station_id: 1, region_slug: 'quarter', since: '-infinity', until },
      { station_id: 1, region_slug: 'town', since: '-infinity', until },
      { station_id: 2, region_slug: 'town', ...ALL },
    ]);
    expect(await owner`select * from raw.hidden_period`).toEqual([{ station_id: 1, since: until, until: 'infinity' }]);
    expect(await owner`select * from raw.bad_thp_period`).toEqual([{ station_id: 1, ...ALL }]);
    expect(await owner`select * from raw.suspicious_period`).toEqual([
      { sensor_id: 1, since: '-infinity', until: '2024-12-31T20:00:00+00:00' },
    ]);
    expect(await owner`select * from raw.sensor where id = 1`).toEqual([
      { id: 1, kind: 'sds011', correction: 'epa-2021', device: null },
    ]);

    await fill();
    expect(await differences(db)).toEqual([]);
    const again = await bringIn(owner, network);
    expect([
      again.stations.unchanged,
      again.sensors.unchanged,
      again.regions.unchanged,
      again.providers.unchanged,
    ]).toEqual([2, 3, 2, 1]);
    expect(again.readings_changed).toBe(0);
    expect(await stale()).toEqual([]);
    expect(await owner`select * from logic.pending`).toEqual([]);
  });

  test('a membership that changes makes exactly its difference stale, as far as there are readings', async () => {
    await bringIn(owner, smallNetwork());
    await fill();
    expect(await differences(db)).toEqual([]);
    const changed = smallNetwork({
      one: { regions: [{ slug: 'town', until: at(5) }, { slug: 'town', since: at(8) }, 'quarter'] },
      two: { regions: [{ slug: 'town', since: at(-100), until: at(22) }] },
    });
    const result = await bringIn(owner, changed);
    expect(result).toMatchObject({ stations: { changed: 2 }, sensors: { unchanged: 3 }, readings_changed: 0 });
    const hours = (since: number, until: number) => ({
      since: at(since),
      until: at(until),
      from_level: 'region_hourly',
    });
    const told = (await stale()).map((row) => ({
      ...row,
      since: new Date(row.since).toISOString(),
      until: new Date(row.until).toISOString(),
    }));
    expect(told).toEqual([hours(5, 8), hours(22, 24)]);
    expect(await differences(db)).toEqual([]);
  });

  test('hiding a station from an hour on leaves what was before', async () => {
    await bringIn(owner, smallNetwork());
    await fill();
    await differences(db);
    const history = () =>
      owner`select * from rollup.region_hourly where bucket < ${at(12)} order by bucket, region_slug`;
    const before = await history();
    await bringIn(owner, smallNetwork({ one: { hidden: [{ since: at(12) }] } }));
    expect(await differences(db)).toEqual([]);
    expect(await history()).toEqual(before);
    const [last] =
      await owner`select station_count from rollup.region_hourly where region_slug = 'town' and bucket = ${at(23)}`;
    expect(last?.station_count).toBe(1);
    await bringIn(owner, smallNetwork({ one: { hidden: true } }));
    expect(await owner`select * from raw.membership where station_id = 1`).toEqual([]);
    expect(await differences(db)).toEqual([]);
    expect(await owner`select * from rollup.region_hourly where region_slug = 'quarter'`).toEqual([]);
  });

  test('periods that touch or overlap are one, and dates are days of the network', async () => {
    await bringIn(
      owner,
      smallNetwork({
        one: {
          is_bad_thp: [
            { since: '2026-01-01', until: '2026-02-01' },
            { since: '2026-02-01', until: '2026-03-01' },
            { since: '2026-02-15T00:00Z', until: '2026-02-16T00:00Z' },
          ],
        },
      }),
    );
    expect(await owner`select since, until from raw.bad_thp_period`).toEqual([
      { since: '2025-12-31T20:00:00+00:00', until: '2026-02-28T20:00:00+00:00' },
    ]);
  });

  test('a sensor that moves takes its readings along, compressed or not, and no others', async () => {
    await bringIn(owner, smallNetwork());
    await fill();
    await differences(db);
    await maintain(db.target, NOW);
    const moved = smallNetwork({
      sensor: {
        stations: [
          { id: 1, until: at(6.25) },
          { id: 2, since: at(6.25), until: at(20) },
        ],
      },
    });
    expect(await bringIn(owner, moved)).toMatchObject({ sensors: { changed: 1, unchanged: 2 }, readings_changed: 35 });
    const places =
      await owner`select station_id, count(*)::int as n from raw.readings where sensor_id = 1 group by 1 order by 1`;
    expect(places).toEqual([
      { station_id: 1, n: 13 },
      { station_id: 2, n: 27 },
      { station_id: null, n: 8 },
    ]);
    expect(await differences(db)).toEqual([]);
  });

  // the order in which network and readings came makes no difference
  const hour = fc.integer({ min: -2, max: 26 });
  const period = fc.tuple(hour, hour).map(([a, b]) => ({ since: at(Math.min(a, b)), until: at(Math.max(a, b) + 1) }));
  const flag = fc.oneof(fc.boolean(), fc.array(period, { maxLength: 2 }));
  const memberships = fc.subarray(['town', 'quarter']).chain((slugs) =>
    fc.tuple(
      ...slugs.map((slug) =>
        fc.oneof(
          fc.constant(slug),
          period.map((ends) => ({ slug, ...ends })),
        ),
      ),
    ),
  );
  const path = fc
    .tuple(
      fc.array(fc.constantFrom(1, 2), { minLength: 1, maxLength: 3 }),
      fc.uniqueArray(hour, { minLength: 4, maxLength: 4 }),
    )
    .map(([ids, hours]) => {
      hours.sort((a, b) => a - b);
      return ids.map((id, index) => ({
        id,
        since: at((hours[index] as number) + 0.25),
        until: at((hours[index + 1] as number) + 0.25),
      }));
    });
  const sensor = fc.record({ suspicious: flag, stations: path }, { requiredKeys: [] });
  const station = fc.record({ hidden: flag, is_bad_thp: flag, regions: memberships });
  const networks = fc.record({ one: station, two: station, sensor }).map(({ one, two, sensor: first }) => {
    const network = smallNetwork({ one: one as Json, two: two as Json, sensor: first as Json });
    for (const region of network.regions) Object.assign(region, { map: { latitude: 40, longitude: 44 } });
    return network;
  });

  test('the same network and readings end in the same rows, whatever network was there before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(networks, { minLength: 2, maxLength: 3 }), async (all) => {
        for (const [index, network] of all.entries()) {
          await bringIn(owner, network);
          if (index === 0) await fill();
          expect(await differences(db)).toEqual([]);
        }
        const corrected = await stored(owner);
        await owner`truncate raw.readings`;
        await fill();
        expect(corrected).toEqual(await stored(owner));
        expect((await bringIn(owner, all.at(-1) as object)).readings_changed).toBe(0);
        expect(await stale()).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  test('readings that arrive while the network changes are at their new place in the end', async () => {
    const here = smallNetwork();
    const there = smallNetwork({ sensor: { stations: [{ id: 2 }] } });
    await bringIn(owner, here);
    for (let round = 0; round < 5; round++) {
      await owner`truncate raw.readings`;
      const sending = Promise.all(
        Array.from({ length: 10 }, (_, part) =>
          acceptReadings(
            ingest,
            readings.filter((_r, n) => n % 10 === part),
            { now: NOW, source: 'test' },
          ),
        ),
      );
      await bringIn(owner, round % 2 === 0 ? there : here);
      await sending;
      const places = await owner`select distinct station_id from raw.readings where sensor_id = 1`;
      expect(places).toEqual([{ station_id: round % 2 === 0 ? 2 : 1 }]);
    }
    expect(await differences(db)).toEqual([]);
  });
});
