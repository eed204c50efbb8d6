import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { InvalidNetwork, importNetwork } from '../../src/network/importNetwork.ts';
import { bringIn, type Json, keepingLog, smallNetwork } from '../ingest/support.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { PROVIDER_KEYS } from '../support/network.ts';

// nothing here depends on the engine
let db: TestDatabase;
let owner: Sql;
beforeAll(async () => {
  db = await testDatabase(engines[0] as (typeof engines)[0], 'Europe/Berlin');
  owner = db.as();
});
afterAll(() => db.drop());

const small = (change: Parameters<typeof smallNetwork>[0] = {}) =>
  smallNetwork({ timeZone: 'Europe/Berlin', ...change });

async function issuesOf(network: object | string): Promise<Record<string, string>> {
  const text = typeof network === 'string' ? network : JSON.stringify(network);
  try {
    await importNetwork(owner, text, { providerKeys: PROVIDER_KEYS, log: keepingLog() });
  } catch (error) {
    if (!(error instanceof InvalidNetwork)) throw error;
    for (const { line, position, message } of error.issues) {
      expect(error.message).toContain(`line ${line}${position && `, ${position}`}: ${message}`);
    }
    const [left] = await owner`select count(*)::int as n from raw.station`;
    expect(left?.n).toBe(0);
    return Object.fromEntries(error.issues.map(({ position, message }) => [position, message]));
  }
  return {};
}

test.each<[string, object | string, Record<string, string>]>([
  ['no end of levels', '['.repeat(40) + ']'.repeat(40), { '': 'nested too deeply' }],
  ['no object', '[]', { '': 'expected an object' }],
  ['a NUL', JSON.stringify(small({ one: { title: { en: 'a\0' } } })), { '': 'cannot be stored' }],
  [
    'another zone',
    small({ timeZone: 'Asia/Yerevan' }),
    { time_zone: 'in Asia/Yerevan, but the database was made for Europe/Berlin' },
  ],
  [
    'an unknown zone',
    small({ timeZone: 'Mars/Base' }),
    { time_zone: 'in Mars/Base, but the database was made for Europe/Berlin' },
  ],
  [
    'unknown names',
    small({
      one: { provider: 'them', regions: ['town', 'city'] },
      two: { sensors: [{ id: 3, stations: [{ id: 7 }] }] },
    }),
    {
      'stations[0].provider': 'there is no provider them',
      'stations[0].regions[1]': 'there is no region city',
      'stations[1].sensors[0].stations[0].id': 'there is no station 7',
    },
  ],
  [
    'names given twice',
    {
      ...small({ two: { id: 1, sensors: [{ id: 2 }] } }),
      providers: [
        { id: 'us', title: 'a' },
        { id: 'us', title: 'b' },
      ],
    },
    {
      'providers[1].id': 'us is there already, at providers[0]',
      'stations[1].id': '1 is there already, at stations[0]',
      'stations[1].sensors[0].id': '2 is there already, at stations[0].sensors[1]',
    },
  ],
  [
    'slugs',
    {
      ...small(),
      regions: [
        { slug: 'town', kind: 'city', title: { en: 'T' } },
        { slug: 'quarter', kind: 'city', title: { en: 'T' } },
        { slug: 'town', kind: 'district', city: 'town', title: { en: 'T' } },
        { slug: 'old-history', kind: 'city', title: { en: 'T' } },
        { slug: 'Große', kind: 'city', title: { en: 'T' } },
      ],
    },
    {
      'regions[2].slug': 'town is there already',
      'regions[3].slug': 'does not end in -history',
      'regions[4].slug': 'lowercase letters',
    },
  ],
  [
    'districts',
    {
      ...small(),
      regions: [
        { slug: 'town', kind: 'city', title: { en: 'T' }, city: 'quarter' },
        { slug: 'quarter', kind: 'district', title: { en: 'T' } },
        {
          slug: 'a',
          kind: 'district',
          title: { en: 'T' },
          city: 'quarter',
          map: { latitude: 1, longitude: 1 },
        },
        {
          slug: 'b',
          kind: 'district',
          title: { en: 'T' },
          city: 'nowhere',
          map: { latitude: 1, longitude: 1 },
        },
        { slug: 'c', kind: 'city', title: { en: 'T' } },
        { slug: 'd', kind: 'city', title: { en: 'T' } },
      ],
    },
    {
      'regions[0].city': 'a city is in no other',
      'regions[1]': 'a district needs the key city',
      'regions[2].city': 'quarter is a district itself',
      'regions[3].city': 'there is no region nowhere',
      'regions[4].map': 'no station is in the region',
      'regions[5].map': 'no station is in the region',
    },
  ],
  [
    'periods',
    small({
      one: {
        regions: [
          { slug: 'town', until: '2026-01-02' },
          { slug: 'town', since: '2026-01-01T23:00' },
          { slug: 'quarter', since: '2026-01-01T00:30' }, // need not be on a full hour (P3)
        ],
        hidden: [{ since: '2026-01-01T00:00:01Z' }],
        is_bad_thp: [{ since: '2026-02-30' }, { since: '2026-01-02', until: '2026-01-02' }],
      },
      sensor: {
        stations: [
          { id: 1, until: '2026-05-01' },
          { id: 2, since: '2026-04-30T21:59Z' },
        ],
        correction: [
          { formula: 'none', until: '2026-05-01' },
          { formula: 'epa-2021', since: '2026-04-30' },
        ],
      },
    }),
    {
      'stations[0].regions[1]': 'the station is in town at the same time by stations[0].regions[0]',
      'stations[0].is_bad_thp[0].since': '"2026-02-30" is not a time',
      'stations[0].is_bad_thp[1]': 'since 2026-01-02 is not before until 2026-01-02',
      'stations[0].sensors[0].stations[1]':
        'at the same time by stations[0].sensors[0].stations[0]',
      'stations[0].sensors[0].correction[1]':
        'at the same time, by stations[0].sensors[0].correction[0]',
    },
  ],
  [
    'screened periods',
    small({
      one: {
        screened: [
          { test: 'outlier', since: '2026-01-01', until: '2026-01-03' },
          { test: 'outlier', since: '2026-01-02' },
          { test: 'flat', since: '2026-01-02' },
          { test: 'zero_values', sensor: 99, since: '2026-01-01' },
          { test: 'zero_values', since: '2026-01-01' },
          { test: 'drift', since: '2026-01-01' },
          { test: 'flat', since: '2026-02-01', evidence: { 'pm2.5': 'high' } },
        ],
      },
    }),
    {
      'stations[0].screened[1]': 'outlier is there for the same time by stations[0].screened[0]',
      'stations[0].screened[3].sensor': 'there is no sensor 99',
      'stations[0].screened[4]': 'expected a sensor',
      'stations[0].screened[5].test': 'expected one of',
      'stations[0].screened[6].evidence.pm2.5': 'expected a number',
    },
  ],
  [
    'periods in any order',
    small({
      sensor: {
        correction: [
          { formula: 'epa-2021', since: '2026-03-01', until: '2026-04-01' },
          { formula: 'none', since: '2026-02-01', until: '2026-03-01' }, // adjoins
          { formula: 'none', since: '2026-03-31' },
        ],
      },
    }),
    {
      'stations[0].sensors[0].correction[2]':
        'at the same time, by stations[0].sensors[0].correction[0]',
    },
  ],
])('reports every issue with its position: %s', async (_, network, expected) => {
  const found = await issuesOf(network);
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [position, message] of Object.entries(expected))
    expect(found[position]).toContain(message);
});

describe('a region that moves to another city', () => {
  let other: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    other = await testDatabase(engines[0] as (typeof engines)[0]);
    sql = other.as();
    await bringIn(sql, smallNetwork());
  });
  afterAll(() => other.drop());
  const map = { latitude: 40, longitude: 44 };
  const moved = {
    ...{ time_zone: 'Asia/Yerevan', providers: [], stations: [] as object[] },
    regions: [
      { slug: 'harbour', kind: 'city', title: { en: 'Harbour' }, map },
      { slug: 'quarter', kind: 'district', city: 'harbour', title: { en: 'Quarter' }, map },
    ],
  };
  const [one] = smallNetwork().stations;
  const messages = async (network: object) => {
    try {
      await bringIn(sql, network);
    } catch (error) {
      return (error as InvalidNetwork).issues.map(({ line, ...issue }) => issue);
    }
    return [];
  };

  test('is refused while the file does not say so of its stations (P4)', async () => {
    expect(await messages(moved)).toEqual([
      {
        position: 'regions[1]',
        message:
          'quarter was in town, and stations 1 of the database are in it: list them too, so that their cities follow',
      },
    ]);
    const town = { slug: 'town', kind: 'district', city: 'harbour', title: { en: 'Town' }, map };
    expect(await messages({ ...moved, regions: [moved.regions[0], town] })).toMatchObject([
      {
        position: 'regions[1]',
        message: expect.stringMatching(/^town was a city, and stations 1, 2/),
      },
    ]);
    expect(await messages({ ...moved, stations: [one] })).toEqual([
      {
        position: 'stations[0].regions[0]',
        message: 'quarter is no longer in town, and the station would be in both: leave town out',
      },
    ]);
  });

  test('takes its stations along where the file lists them', async () => {
    expect(await messages({ ...moved, stations: [{ ...one, regions: ['quarter'] }] })).toEqual([]);
    expect(await sql`select station_id, region_slug from raw.station_region order by 1, 2`).toEqual(
      [
        { station_id: 1, region_slug: 'harbour' },
        { station_id: 1, region_slug: 'quarter' },
        { station_id: 2, region_slug: 'town' },
      ],
    );
  });
});

describe('names that exist only in the database', () => {
  test('may be referred to, and are left unchanged', async () => {
    const other = await testDatabase(engines[0] as (typeof engines)[0]);
    try {
      const sql = other.as();
      await bringIn(sql, smallNetwork());
      const log = keepingLog();
      const third = {
        time_zone: 'Asia/Yerevan',
        providers: [],
        regions: [{ slug: 'quarter', kind: 'district', city: 'town', title: { en: 'Quarter' } }],
        stations: [
          {
            id: 3,
            provider: 'us',
            title: { en: 'T' },
            latitude: 42,
            longitude: 46,
            regions: ['quarter', 'town'],
            sensors: [{ id: 4, stations: [{ id: 2 }] }],
          },
        ],
      };
      const result = await importNetwork(sql, JSON.stringify(third), {
        providerKeys: PROVIDER_KEYS,
        log,
      });
      expect(result).toMatchObject({
        providers: { added: 0, unlisted: ['us'] },
        regions: { added: 0, changed: 1, unlisted: ['town'] }, // its centre moved
        stations: { added: 1, unlisted: ['1', '2'] },
        sensors: { added: 1, unlisted: ['1', '2', '3'] },
      });
      expect(log.lines.filter(({ level }) => level === 'info')).toHaveLength(4);
      const [quarter] =
        await sql`select map_latitude, map_longitude, map_delta from raw.region where slug = 'quarter'`;
      expect(quarter).toEqual({ map_latitude: 41, map_longitude: 45, map_delta: 0.2 });
      const [station] =
        await sql`select city_slug, district_slug from logic.station_place(now(), 3)`;
      expect(station).toEqual({ city_slug: 'town', district_slug: 'quarter' });
    } finally {
      await other.drop();
    }
  });
});

describe('the centre of a region without a map', () => {
  /** Three stations of a town, with what their elements have beside the rest. */
  test.each<[string, [Json, Json, Json], { map_latitude: number; map_longitude: number }]>([
    ['is the mean of its stations', [{}, {}, {}], { map_latitude: 41, map_longitude: 45 }],
    [
      'leaves out those that are in no list any more',
      [
        { hidden: true },
        { hidden: [{ since: '2026-03-01' }] },
        { hidden: [{ until: '2026-03-01' }] },
      ],
      { map_latitude: 42, map_longitude: 46 },
    ],
    [
      'is that of all where none is listed',
      [{ hidden: true }, { hidden: true }, { hidden: true }],
      { map_latitude: 41, map_longitude: 45 },
    ],
    [
      'is on their side of the globe at the date line',
      [{ longitude: 179 }, { longitude: -178 }, { longitude: -179 }],
      { map_latitude: 41, map_longitude: -179 - 1 / 3 },
    ],
  ])('%s', async (_, stations, expected) => {
    const other = await testDatabase(engines[0] as (typeof engines)[0]);
    try {
      const sql = other.as();
      const network = smallNetwork();
      const [first] = network.stations;
      const placed = stations.map((station, n) => ({
        ...first,
        ...{ id: n + 1, latitude: 40 + n, longitude: 44 + n, sensors: [], ...station },
      }));
      const [inFile, ofDatabase] = [placed.slice(0, 2), placed.slice(2)];
      const map = { latitude: 0, longitude: 0 };
      await bringIn(sql, {
        ...network,
        regions: network.regions.map((each) => ({ ...each, map })),
        stations: ofDatabase,
      });
      await bringIn(sql, { ...network, stations: inFile });
      const [town] =
        await sql`select map_latitude, map_longitude from raw.region where slug = 'town'`;
      expect(town?.map_latitude).toBe(expected.map_latitude);
      expect(town?.map_longitude).toBeCloseTo(expected.map_longitude, 9);
    } finally {
      await other.drop();
    }
  });
});
