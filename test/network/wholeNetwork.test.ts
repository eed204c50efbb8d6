/** The network as a whole: exported and imported again, tried out, and parts of it removed. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { makeDigest } from '../../src/aggregate/digest.ts';
import { deleteExpired } from '../../src/aggregate/retention.ts';
import { connect, type Sql } from '../../src/database/client.ts';
import { createToken } from '../../src/ingest/http/tokens.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { exportNetwork } from '../../src/network/exportNetwork.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { type Removable, removeElement } from '../../src/network/removeElement.ts';
import { differences } from '../aggregate/differences.ts';
import { reading, stored } from '../ingest/support.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { untilWaiting } from '../support/lockWaits.ts';
import { PROVIDER_KEYS } from '../support/network.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 31, 16);
const at = (hour: number) => new Date(START + hour * HOUR).toISOString();
const READINGS = [1, 2, 3].flatMap((sensor) =>
  Array.from({ length: 24 }, (_, hour) => reading(sensor, at(hour), { pm25: sensor * 10 + hour })),
);

/** Sensor 1 has gone from station 1 to 2. */
const MOVED = smallNetwork({
  sensor: {
    stations: [
      { id: 1, until: at(10) },
      { id: 2, since: at(10) },
    ],
  },
});

/** Everything that a file can say. */
const RICH = {
  ...smallNetwork({
    one: {
      altitude: 990,
      hidden: [
        { since: '2026-02-01T04:00', until: '2026-02-01T05:00:00.25' },
        { since: '2027-01-01' },
      ],
      is_bad_thp: true,
      screening: false,
      regions: [{ slug: 'quarter', until: at(20) }, 'other'],
      title: { en: 'One', hy: 'Մեկ' },
      screened: [
        { test: 'humidity_saturated', sensor: 2, since: at(-50), until: at(-20) },
        {
          test: 'outlier',
          since: at(-20.5),
          evidence: { 'pm2.5': 97.1, median: 9, compared_with: [{ id: 2, 'pm2.5': 9 }] },
        },
      ],
    },
    two: { regions: [], hidden: true },
    sensor: {
      kind: 'PMS5003',
      device: 'esp8266-1',
      suspicious: [{ until: '2025-01-01' }],
      correction: [{ formula: 'epa-2021', since: at(3) }],
      stations: [
        { id: 1, until: at(5) },
        { id: 2, since: at(6) },
      ],
    },
  }),
  providers: [
    {
      id: 'us',
      title: 'Us',
      url: 'https://us.example/',
      image: 'http://us.example/i.svg',
      image_dark: '',
      stale_after: '1 day 90 minutes',
    },
    {
      id: 'pulled',
      title: { en: 'P', hy: 'Պ' },
      pull: { kind: 'sensor-community', url: 'https://data.example/x.json', every: 'PT10M' },
    },
  ],
  regions: [
    {
      slug: 'town',
      kind: 'city',
      title: { en: 'Town' },
      map: { latitude: 40, longitude: 44, delta: 1 },
      is_hidden: true,
    },
    { slug: 'quarter', kind: 'district', city: 'town', title: { en: 'Quarter' } },
    { slug: 'other', kind: 'district', city: 'town', title: { en: 'Other' } },
  ],
};

onEveryEngineInAll('a network', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  beforeEach(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'Asia/Yerevan');
  });
  afterEach(() => db.drop());
  const fill = async () => {
    await acceptReadings(db.as('airseries_ingest'), READINGS, { now: NOW, source: 'test' });
    await db.refresh(NOW);
  };
  const remove = (kind: Removable, id: string, withReadings = false) =>
    removeElement(owner, kind, id, withReadings);

  describe('a removal', () => {
    beforeEach(async () => {
      await bringIn(owner, { ...smallNetwork(), corrections: {} });
      await fill();
      await makeDigest(db.target, NOW);
    });

    test('a removal is refused while other records depend on its element, and changes nothing', async () => {
      await createToken(owner, { name: 'feed', provider: 'us', stations: null, now: NOW });
      const before = await exportNetwork(owner);
      const refusals: [Removable, string, RegExp][] = [
        ['sensor', '1', /^sensor 1: it has 24 readings\. Add --with-readings/],
        [
          'station',
          '1',
          /^station 1: sensors 1, 2 are or were there\. Remove them first, or add --with-readings.*"hidden"/,
        ],
        [
          'region',
          'town',
          /^region town: it is the city of quarter\. Remove these districts first/,
        ],
        [
          'region',
          'quarter',
          /^region quarter: stations 1 are or were in it\. Take it out of their regions/,
        ],
        [
          'provider',
          'us',
          /^provider us: stations 1, 2 are its own, and tokens feed are in force\. Remove the stations/,
        ],
        ['station', '9', /^station 9: the network has no such station\. network export lists/],
        ['sensor', 'x', /^sensor x: the network has no such sensor/],
      ];
      for (const [kind, id, message] of refusals)
        await expect(remove(kind, id)).rejects.toThrow(message);
      expect(await exportNetwork(owner)).toEqual(before);
      expect(await stored(owner)).toHaveLength(72);
    });

    test('a removed sensor takes its readings with it, and the aggregates follow', async () => {
      expect(await remove('sensor', '3', true)).toMatchObject({
        sensors: 1,
        readings: 24,
        stations: 0,
      });
      expect(await differences(db)).toEqual([]);
      expect(await owner`select from rollup.station_hourly where station_id = 2`).toEqual([]);
      const [town] =
        await owner`select max(station_count)::int as n from rollup.region_hourly where region_slug = 'town'`;
      expect(town).toEqual({ n: 1 });
      expect(await remove('station', '2')).toMatchObject({ stations: 1, readings: 0 });
    });

    test('a removed station takes its sensors with it; a sensor that was elsewhere too loses only its readings there', async () => {
      await bringIn(owner, MOVED);
      await db.refresh(NOW);
      expect(await remove('station', '1', true)).toMatchObject({
        stations: 1,
        sensors: 1,
        readings: 24 + 10,
      });
      expect(await differences(db)).toEqual([]);
      expect(await owner`select distinct station_id from rollup.station_hourly`).toEqual([
        { station_id: 2 },
      ]);
      expect(await owner`select from rollup.region_hourly where region_slug = 'quarter'`).toEqual(
        [],
      );
      expect(await exportNetwork(owner)).toMatchObject({
        stations: [{ id: 2, sensors: [{ id: 1 }, { id: 3 }] }],
      });
      expect(await remove('region', 'quarter')).toMatchObject({ regions: 1 });
      expect(await owner`select from rollup.digest where region_slug = 'quarter'`).toEqual([]);
    });

    describe('after retention has deleted readings', () => {
      const ingest = (sensor: number, time: string, pm25: number) =>
        acceptReadings(db.as('airseries_ingest'), [reading(sensor, time, { pm25 })], {
          now: NOW,
          source: 'test',
        });
      const audited = async () => [
        ...(await differences(db)),
        ...(await owner`select * from logic.lost_months('-infinity', 'infinity')`),
      ];
      const expired = () => owner`select * from rollup.expired_month order by month`;
      const stationHours = () =>
        owner`select station_id, count(*)::int as hours, sum(sensor_count)::int as sensors from rollup.station_hourly group by 1 order by 1`;
      let recorded: unknown[];
      beforeEach(async () => {
        await bringIn(owner, MOVED);
        await ingest(2, NOW.toISOString(), 1);
        await deleteExpired(db.target, () => NOW, '100 days', { log: keepingLog(), apply: true });
        expect(await owner`select from raw.readings`).toHaveLength(1);
        recorded = await expired();
        expect(recorded).toHaveLength(2);
        expect(await audited()).toEqual([]);
      });

      test('a removed sensor takes its kept hours with it: a new one of its number begins with nothing (P4)', async () => {
        await expect(remove('sensor', '3')).rejects.toThrow(
          /^sensor 3: it has 24 hours whose readings retention has deleted\. Add --with-readings/,
        );
        const region = () =>
          owner`select max(station_count)::int as n from rollup.region_monthly where region_slug = 'town' and bucket < '2026-03-01'`;
        expect(await stationHours()).toEqual([
          { station_id: 1, hours: 25, sensors: 24 + 10 + 1 },
          { station_id: 2, hours: 24, sensors: 24 + 14 },
        ]);
        expect(await region()).toEqual([{ n: 2 }]);
        const removed = { sensors: 1, readings: 0, kept_hours: 24 };
        expect(await remove('sensor', '3', true)).toMatchObject(removed);
        const without = [
          { station_id: 1, hours: 25, sensors: 24 + 10 + 1 },
          { station_id: 2, hours: 14, sensors: 14 },
        ];
        expect(await audited()).toEqual([]);
        expect(await stationHours()).toEqual(without);
        // a new sensor of the same number
        await bringIn(owner, { ...smallNetwork(), stations: smallNetwork().stations.slice(1) });
        expect(await audited()).toEqual([]);
        expect(await stationHours()).toEqual(without);
        await ingest(3, NOW.toISOString(), 7);
        expect(await audited()).toEqual([]);
        expect(await stationHours()).toEqual([
          without[0],
          { station_id: 2, hours: 15, sensors: 15 },
        ]);
        expect(await expired()).toEqual(recorded);
        expect(
          await owner`select distinct pm25 from rollup.station_monthly where station_id = 2 and bucket > '2026-03-01'`,
        ).toEqual([{ pm25: 7 }]);
        // only the reading of the new sensor is counted
        expect(await remove('sensor', '3', true)).toMatchObject({ readings: 1, kept_hours: 0 });
        expect(await audited()).toEqual([]);
      });

      test('a removed station takes the kept hours of sensors there, and a new one of its number has none', async () => {
        expect(await remove('station', '1', true)).toMatchObject({
          stations: 1,
          sensors: 1,
          readings: 1,
          kept_hours: 24 + 10,
        });
        expect(await audited()).toEqual([]);
        await bringIn(owner, MOVED);
        expect(await audited()).toEqual([]);
        expect(await stationHours()).toEqual([{ station_id: 2, hours: 24, sensors: 24 + 14 }]);
        expect(await expired()).toEqual(recorded);
      });

      test('a removal waits for a refresh, so that no hour of a removed sensor stays', async () => {
        const refreshing = connect(db.target, { role: 'airseries_owner' });
        await refreshing`call raw.acquire_lock('rollup.refresh')`;
        const removing = remove('sensor', '3', true);
        const superuser = db.superuser();
        await untilWaiting(superuser);
        expect(await owner`select id from raw.sensor where id = 3`).toHaveLength(1);
        await refreshing.end();
        expect(await removing).toMatchObject({ kept_hours: 24 });
      });
    });

    test('a removed provider takes its stations, sensors, readings and tokens with it', async () => {
      await createToken(owner, { name: 'feed', provider: 'us', stations: [1], now: NOW });
      expect(await remove('provider', 'us', true)).toEqual({
        providers: 1,
        regions: 0,
        stations: 2,
        sensors: 3,
        readings: 72,
        kept_hours: 0,
      });
      expect(await differences(db)).toEqual([]);
      for (const table of [
        'raw.readings',
        'raw.station',
        'raw.token',
        'raw.placement',
        'rollup.region_monthly',
      ]) {
        expect(await owner.unsafe(`select from ${table}`)).toEqual([]);
      }
      await remove('region', 'quarter');
      await remove('region', 'town');
      expect(await exportNetwork(owner)).toMatchObject({
        providers: [],
        regions: [],
        stations: [],
      });
    });
  });

  test('an exported network is the same when imported again, in this database or a new one', async () => {
    await bringIn(owner, RICH);
    const exported = await exportNetwork(owner);
    const unchanged = { added: 0, changed: 0, unlisted: [] };
    expect(await bringIn(owner, exported)).toEqual({
      providers: { unchanged: 2, ...unchanged },
      regions: { unchanged: 3, ...unchanged },
      stations: { unchanged: 2, ...unchanged },
      sensors: { unchanged: 3, ...unchanged },
      recomputed: { sensors: 0, stations: 0 },
    });
    const other = await testDatabase(engine);
    onTestFinished(() => other.drop());
    const there = other.as('airseries_owner', 'Asia/Yerevan');
    await bringIn(there, exported);
    const facts = (sql: Sql) => sql`select * from logic.network_fact order by kind, id`;
    expect(await facts(there)).toEqual(await facts(owner));
    expect(await exportNetwork(there)).toEqual(exported);
    // with the district, the station is in its city, for the same times
    expect(exported).toMatchObject({
      time_zone: 'Asia/Yerevan',
      stations: [
        {
          id: 1,
          regions: expect.arrayContaining(['other', 'town']),
          hidden: [{}, { since: '2027-01-01T00:00:00+04:00' }],
        },
        {
          id: 2,
          hidden: true,
          regions: [],
          sensors: [{ id: 1, stations: [{ id: 1 }, { id: 2 }] }, { id: 3 }],
        },
      ],
    });
    expect(Object.keys((exported as typeof RICH).stations[1] as object)).not.toContain(
      'is_bad_thp',
    );
  });

  test('a dry run shows the changes and how many hours they affect, and changes nothing', async () => {
    await bringIn(owner, smallNetwork());
    await acceptReadings(db.as('airseries_ingest'), [reading(1, at(30), { pm25: 1 })], {
      now: NOW,
      source: 'test',
    });
    await fill();
    const before = await exportNetwork(owner);
    const changed = smallNetwork({
      one: {
        title: { en: 'First' },
        regions: [{ slug: 'quarter', since: at(4) }],
        sensors: [{ id: 1 }, { id: 2, suspicious: [{ since: at(22) }] }], // it has no hour 30
      },
      two: { sensors: [{ id: 3, suspicious: [{ since: at(20) }] }, { id: 4 }] },
    });
    const tried = (network: unknown) =>
      importNetwork(owner, JSON.stringify(network), {
        ...{ providerKeys: PROVIDER_KEYS, log: keepingLog(), dryRun: true },
      });
    expect(await tried(changed)).toMatchObject({
      stations: { added: 0, changed: 1, unchanged: 1 },
      sensors: { added: 1, changed: 2, unchanged: 1 },
      recomputed: { sensors: 2, stations: 1, hours: 4 + 4 },
      changes: [
        { kind: 'sensors', id: '2', keys: ['periods'] },
        { kind: 'sensors', id: '3', keys: ['periods'] },
        { kind: 'sensors', id: '4', keys: 'added' },
        { kind: 'stations', id: '1', keys: ['periods', 'title'] },
      ],
    });
    expect(await exportNetwork(owner)).toEqual(before);
    expect(await owner`select from rollup.stale`).toEqual([]);
    const nothing = { recomputed: { sensors: 0, stations: 0, hours: 0 }, changes: [] };
    expect(await tried(before)).toMatchObject(nothing);
    // hours that were noted before, and not refreshed yet, are not counted
    await bringIn(owner, changed);
    expect(await tried(changed)).toMatchObject(nothing);
  });
});
