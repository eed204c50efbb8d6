import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { rebuild } from '../../src/aggregate/refresh.ts';
import { deleteExpired } from '../../src/aggregate/retention.ts';
import type { Sql } from '../../src/database/client.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { differences } from '../aggregate/differences.ts';
import { storageOf } from '../aggregate/storage.ts';
import { reading } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { lockWaits } from '../support/lockWaits.ts';
import { PROVIDER_KEYS } from '../support/network.ts';
import { openTransaction } from '../support/openTransaction.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 31, 16);
const at = (hour: number) => new Date(START + hour * HOUR).toISOString();
const iso = (hour: number) => at(hour).replace('.000Z', '+00:00');
const ALL = { since: '-infinity', until: 'infinity' };
const HOURS = 24;
const ADDRESSES = { url: 'HTTPS://us.example/', image: 'http://us.example/i.svg', image_dark: '' };

onEveryEngineInAll('import network', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  let ingest: Sql;
  /** The level, the station or sensor, and the period of what is stale. */
  const stale = async () => {
    const rows = await owner`
      select distinct from_level, coalesce(station_id, sensor_id) as id, since, until
      from rollup.stale order by 2, 3`;
    return rows.map(Object.values);
  };
  const placements = () => owner`select * from raw.placement order by sensor_id, since`;
  const memberships = () =>
    owner`select * from raw.membership order by station_id, region_slug, since`;
  const readings = [1, 2, 3].flatMap((sensor) =>
    Array.from({ length: 2 * HOURS }, (_, n) =>
      reading(sensor, at(n / 2), { pm25: sensor * 10 + n, temperature: n % 20 }),
    ),
  );
  /**
   * The hours of a level that a change and a refresh recompute: the others keep the value that was
   * written behind the engine's back.
   */
  const recomputed = async (level: string, change: () => Promise<void>) => {
    await owner.unsafe(`update ${await storageOf(owner, level)} set pm25 = -9`);
    await change();
    await db.refresh(NOW);
    const rows = await owner.unsafe(
      `select distinct bucket from rollup.${level} where pm25 <> -9 order by 1`,
    );
    await rebuild(db.target, () => NOW, {});
    expect(await differences(db)).toEqual([]);
    return rows.map(({ bucket }) => (Date.parse(bucket) - START) / HOUR);
  };
  const fill = () => acceptReadings(ingest, readings, { now: NOW, source: 'test' });

  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'UTC');
    ingest = db.as('airseries_ingest');
  });
  beforeEach(async () => {
    await owner.unsafe(`truncate raw.readings, rollup.stale, raw.placement, raw.membership, raw.station_region, raw.hidden_period,
      raw.flag_period, raw.flagged, raw.screened_period, raw.sensor_station, raw.suspicious_period, raw.correction, raw.station, raw.sensor, raw.region,
      raw.provider cascade`);
  });
  afterAll(() => db.drop());

  test('a file adds the recorded periods that are not there, and changes none that is (C9)', async () => {
    const day = (n: number) => `2026-11-0${n}T00:00:00Z`;
    const bring = (since: number, until: number) => {
      const screened = [{ test: 'flat', since: day(since), until: day(until) }];
      return bringIn(owner, smallNetwork({ one: { screened } }));
    };
    await bring(1, 3);
    await bring(2, 4);
    await bring(3, 5);
    const rows = await owner`
      select to_char(since, 'DD-') || to_char(until, 'DD') as days from raw.screened_period order by 1`;
    expect(rows).toEqual([{ days: '01-03' }, { days: '03-05' }]);
  });

  test('an import adds everything the first time, and changes nothing the second time', async () => {
    const network = {
      ...smallNetwork({
        one: {
          hidden: [{ since: '2026-02-01T03:20' }],
          altitude: 990,
          is_bad_thp: true,
          is_bad_pm: true,
        },
        sensor: { kind: 'sds011', correction: 'epa-2021', suspicious: [{ until: '2025-01-01' }] },
      }),
      providers: [{ id: 'us', title: 'Us', ...ADDRESSES, stale_after: 'PT26H' }],
    };
    const added = { changed: 0, unchanged: 0, unlisted: [] };
    expect(await bringIn(owner, network)).toEqual({
      providers: { added: 1, ...added },
      regions: { added: 2, ...added },
      stations: { added: 2, ...added },
      sensors: { added: 3, ...added },
      recomputed: { sensors: expect.any(Number), stations: expect.any(Number) },
    });
    expect(await owner`select *, stale_after::text from raw.provider`).toEqual([
      {
        id: 'us',
        title: 'Us',
        titles: null,
        ...ADDRESSES,
        stale_after: '26:00:00',
        pull: null,
      },
    ]);
    const quarter = { slug: 'quarter', kind: 'district', city_slug: 'town', map_delta: 0.2 };
    const town = { slug: 'town', kind: 'city', city_slug: null, is_hidden: false };
    expect(await owner`select * from raw.region order by slug`).toMatchObject([
      { ...quarter, map_latitude: 40, map_longitude: 44 },
      { ...town, map_latitude: 41, map_longitude: 45 },
    ]);
    expect(
      await owner`select id, altitude, place.city_slug, place.district_slug from raw.station join logic.station_place(${NOW}) place on station_id = id order by id`,
    ).toEqual([
      { id: 1, altitude: 990, city_slug: 'town', district_slug: 'quarter' },
      { id: 2, altitude: null, city_slug: 'town', district_slug: null },
    ]);
    expect(await owner`select * from raw.station_region order by 1, 2`).toEqual([
      { station_id: 1, region_slug: 'quarter', position: 1, ...ALL },
      { station_id: 1, region_slug: 'town', position: 0, ...ALL },
      { station_id: 2, region_slug: 'town', position: 0, ...ALL },
    ]);
    // 4:00 in Yerevan: a member to the end of the hour in which it is hidden (P3)
    const until = '2026-02-01T00:00:00+00:00';
    const flagged = { is_flagged: true, is_pm_suspect: true, since: '-infinity', until };
    expect(await memberships()).toEqual([
      { station_id: 1, region_slug: 'quarter', ...flagged },
      { station_id: 1, region_slug: 'town', ...flagged },
      { station_id: 2, region_slug: 'town', is_flagged: false, is_pm_suspect: false, ...ALL },
    ]);
    expect(await owner`select * from raw.hidden_period`).toEqual([
      { station_id: 1, since: '2026-01-31T23:20:00+00:00', until: 'infinity' },
    ]);
    expect(await owner`select * from raw.flag_period order by kind`).toEqual(
      ['pm', 'thp'].map((kind) => ({ station_id: 1, kind, ...ALL })),
    );
    const trusted = '2024-12-31T20:00:00+00:00'; // midnight in Yerevan
    expect(await owner`select * from raw.suspicious_period`).toEqual([
      { sensor_id: 1, since: '-infinity', until: trusted },
    ]);
    expect(await owner`select * from raw.sensor where id = 1`).toEqual([
      { id: 1, kind: 'sds011', device: null, rain: null },
    ]);
    expect(await owner`select * from raw.correction`).toEqual([
      { sensor_id: 1, formula: 'epa-2021', ...ALL },
    ]);
    expect(await placements()).toEqual([
      { sensor_id: 1, station_id: 1, formula: 'epa-2021', since: trusted, until: 'infinity' },
      { sensor_id: 2, station_id: 1, formula: 'none', ...ALL },
      { sensor_id: 3, station_id: 2, formula: 'none', ...ALL },
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
    expect(again.recomputed).toEqual({ sensors: 0, stations: 0 });
    expect(await stale()).toEqual([]);
    expect(await owner`select * from logic.pending`).toEqual([]);
  });

  test.each<[keys: object, columns: object]>([
    [{ title: { en: 'Us', hy: 'Մենք' } }, { titles: { en: 'Us', hy: 'Մենք' } }],
    ...['title', 'url', 'image', 'image_dark'].map((key) => {
      const changed = { [key]: 'https://new.example/' };
      return [changed, changed] as [object, object];
    }),
    [{ stale_after: 'PT2H' }, { stale_after: '02:00:00' }],
  ])(
    'a provider that is imported again with %o counts as changed, and has it',
    async (keys, columns) => {
      await bringIn(owner, smallNetwork());
      const network = { ...smallNetwork(), providers: [{ id: 'us', title: 'Us', ...keys }] };
      expect(await bringIn(owner, network)).toMatchObject({ providers: { changed: 1 } });
      expect(await owner`select *, stale_after::text from raw.provider`).toMatchObject([columns]);
    },
  );

  test('names that exist only in the database may be referred to, and are left unchanged', async () => {
    await bringIn(owner, smallNetwork());
    const log = keepingLog();
    const [one, two] = smallNetwork().stations;
    const at = { latitude: 42, longitude: 46, regions: ['quarter', 'town'] };
    const third = {
      ...smallNetwork(),
      providers: [],
      regions: smallNetwork().regions.slice(1),
      stations: [{ ...two, ...at, id: 3, sensors: [{ id: 4, stations: [{ id: one?.id }] }] }],
    };
    const options = { providerKeys: PROVIDER_KEYS, log };
    expect(await importNetwork(owner, JSON.stringify(third), options)).toMatchObject({
      providers: { added: 0, unlisted: ['us'] },
      regions: { added: 0, changed: 1, unlisted: ['town'] }, // its centre moved
      stations: { added: 1, unlisted: ['1', '2'] },
      sensors: { added: 1, unlisted: ['1', '2', '3'] },
    });
    expect(log.lines.filter(({ level }) => level === 'info')).toHaveLength(4);
    const [quarter] =
      await owner`select map_latitude, map_longitude, map_delta from raw.region where slug = 'quarter'`;
    expect(quarter).toEqual({ map_latitude: 41, map_longitude: 45, map_delta: 0.2 });
    const [station] =
      await owner`select city_slug, district_slug from logic.station_place(${NOW}, 3)`;
    expect(station).toEqual({ city_slug: 'town', district_slug: 'quarter' });
  });

  test('a device may move with all of its sensors, but is at one station at a time', async () => {
    const stations = [
      { id: 1, until: '2026-03-01' },
      { id: 2, since: '2026-03-01' },
    ];
    const device = 'esp8266-1';
    const moved = [1, 2].map((id) => ({ id, device, stations }));
    await bringIn(owner, smallNetwork({ one: { sensors: moved } }));
    const third = { ...smallNetwork().stations[0], id: 3, sensors: [{ id: 31, device }] };
    await expect(bringIn(owner, { ...smallNetwork(), stations: [third] })).rejects.toThrow(
      'by sensor 1 of the database',
    );
  });

  test('of two imports of the same file at once, the second waits, and changes nothing', async () => {
    await bringIn(owner, smallNetwork());
    const superuser = db.superuser();
    const waiting = () => lockWaits(superuser, { at: 'replace_network' });
    // the first import has begun, and waits for this row
    const end = await openTransaction(superuser, 'select from raw.provider for update');
    const network = { ...smallNetwork(), providers: [{ id: 'us', title: 'Ours' }] };
    const imports = [bringIn(owner, network)];
    try {
      await expect.poll(waiting).toHaveLength(1);
      imports.push(bringIn(owner, network));
      await expect.poll(waiting).toHaveLength(2);
    } finally {
      await end('rollback');
    }
    expect(await Promise.all(imports)).toMatchObject([
      { providers: { changed: 1 } },
      { providers: { changed: 0, unchanged: 1 } },
    ]);
  });

  test('a changed membership marks exactly its differing hours as stale (P4)', async () => {
    await bringIn(owner, smallNetwork());
    await fill();
    expect(await differences(db)).toEqual([]);
    const changed = smallNetwork({
      one: {
        regions: ['town', 'quarter'].flatMap((slug) => [
          { slug, until: at(5) },
          { slug, since: at(8) },
        ]),
      },
      two: { regions: [{ slug: 'town', since: at(-100), until: at(22) }] },
    });
    const hours = await recomputed('region_hourly', async () => {
      expect(await bringIn(owner, changed)).toMatchObject({
        stations: { changed: 2 },
        sensors: { unchanged: 3 },
        recomputed: { sensors: 0, stations: 2 },
      });
      expect(await stale()).toEqual([
        ['region_hourly', 1, iso(5), iso(8)],
        ['region_hourly', 2, '-infinity', iso(-100)],
        ['region_hourly', 2, iso(22), 'infinity'],
      ]);
    });
    // and hours between, which are recomputed with them
    expect(hours).toEqual(expect.arrayContaining([5, 6, 7, 22, 23]));
    expect(await stale()).toEqual([]);
  });

  test('a changed placement marks exactly the differing hours of its sensor as stale (P4)', async () => {
    await bringIn(owner, smallNetwork());
    await fill();
    await differences(db);
    const suspicious = smallNetwork({
      sensor: { suspicious: [{ since: at(3.5), until: at(7) }, { since: at(30) }] },
    });
    const hours = await recomputed('station_hourly', async () => {
      expect(await bringIn(owner, suspicious)).toMatchObject({
        sensors: { changed: 1, unchanged: 2 },
        recomputed: { sensors: 1, stations: 0 },
      });
      expect(await stale()).toEqual([
        ['station_hourly', 1, iso(3.5), iso(7)],
        ['station_hourly', 1, iso(30), 'infinity'],
      ]);
    });
    expect(hours).toEqual([3, 4, 5, 6]);
  });

  test('station hours whose readings were deleted are recomputed from the kept hours of sensors (P4)', async () => {
    const old = await testDatabase(engine);
    onTestFinished(() => old.drop());
    const sql = old.as();
    await bringIn(sql, smallNetwork());
    const recent = [2, 3].map((sensor) => reading(sensor, NOW.toISOString(), { pm25: 1 }));
    await acceptReadings(old.as('airseries_ingest'), [...readings, ...recent], {
      now: NOW,
      source: 'test',
    });
    await deleteExpired(old.target, () => NOW, '100 days', { log: keepingLog(), apply: true });
    expect(await sql`select measured_at from raw.readings`).toHaveLength(2);
    expect(await differences(old)).toEqual([]);
    const moved = smallNetwork({
      sensor: {
        stations: [
          { id: 1, until: at(6.5) },
          { id: 2, since: at(6.5) },
        ],
      },
    });
    expect(await bringIn(sql, moved)).toMatchObject({ recomputed: { sensors: 1, stations: 0 } });
    expect(await differences(old)).toEqual([]);
    const counts = await sql`
      select station_id, sensor_count, count(*)::int as hours from rollup.station_hourly
      where bucket < ${at(HOURS)} group by 1, 2 order by 1, 2`;
    expect(counts).toEqual([
      { station_id: 1, sensor_count: 1, hours: 18 },
      { station_id: 1, sensor_count: 2, hours: 6 }, // until the sensor moved, in the seventh hour
      { station_id: 2, sensor_count: 1, hours: 7 },
      { station_id: 2, sensor_count: 2, hours: 17 },
    ]);
  });

  test('unlisted stations stay as they are, and the periods of listed ones are replaced (P4)', async () => {
    await bringIn(
      owner,
      smallNetwork({
        one: { hidden: [{ since: at(50) }] },
        sensor: {
          correction: [{ formula: 'epa-2021', since: at(2) }],
          suspicious: [{ until: at(1) }],
        },
        two: { is_bad_thp: true },
      }),
    );
    const network = smallNetwork();
    const one = { ...network, stations: network.stations.slice(0, 1) };
    await bringIn(owner, one);
    expect(await placements()).toEqual(
      [1, 2, 3].map((id) => ({
        sensor_id: id,
        station_id: id === 3 ? 2 : 1,
        formula: 'none',
        ...ALL,
      })),
    );
    expect(await memberships()).toEqual([
      { station_id: 1, region_slug: 'quarter', is_flagged: false, is_pm_suspect: false, ...ALL },
      { station_id: 1, region_slug: 'town', is_flagged: false, is_pm_suspect: false, ...ALL },
      { station_id: 2, region_slug: 'town', is_flagged: true, is_pm_suspect: false, ...ALL },
    ]);
  });

  test('readings that arrive during a change of the network and a refresh count where the final network puts them', async () => {
    const here = smallNetwork();
    const there = smallNetwork({ sensor: { stations: [{ id: 2 }] } });
    await bringIn(owner, here);
    for (let round = 0; round < 2; round++) {
      await owner`truncate raw.readings`;
      const sending = Array.from({ length: 10 }, (_, part) =>
        acceptReadings(
          ingest,
          readings.filter((_r, n) => n % 10 === part),
          { now: NOW, source: 'test' },
        ),
      );
      const refreshing = db.refresh(NOW);
      await bringIn(owner, round % 2 === 0 ? there : here);
      await Promise.all([...sending, refreshing]);
      expect(await differences(db)).toEqual([]);
      const counts =
        await owner`select station_id, min(sensor_count) as low, max(sensor_count) as high from rollup.station_hourly group by 1 order by 1`;
      const [one, two] = round % 2 === 0 ? [1, 2] : [2, 1];
      expect(counts).toEqual([
        { station_id: 1, low: one, high: one },
        { station_id: 2, low: two, high: two },
      ]);
    }
  });
});
