/**
 * The mistakes that people make in a network file, and what they read then: line, position, what is
 * wrong, what to write instead.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { InvalidNetwork, importNetwork } from '../../src/network/importNetwork.ts';
import { parseNetwork } from '../../src/network/read.ts';
import { bringIn, keepingLog } from '../ingest/support.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { PROVIDER_KEYS } from '../support/network.ts';

// nothing here depends on the engine
let db: TestDatabase;
let owner: Sql;
beforeAll(async () => {
  db = await testDatabase(engines[0] as (typeof engines)[0]);
  owner = db.as();
});
afterAll(() => db.drop());

const GOOD = `{
  "time_zone": "Asia/Yerevan",
  "providers": [{ "id": "city", "title": "City of Example" }],
  "regions": [
    { "slug": "example", "kind": "city", "title": { "en": "Example" } },
    { "slug": "old-town", "kind": "district", "city": "example", "title": { "en": "Old Town" } }
  ],
  "stations": [
    { "id": 1, "provider": "city", "title": { "en": "1 Main Street" },
      "latitude": 40.18, "longitude": 44.51,
      "regions": ["example", "old-town"],
      "sensors": [{ "id": 11, "kind": "SDS011", "device": "esp8266-1" }, { "id": 12, "kind": "BME280", "device": "esp8266-1" }] },
    { "id": 2, "provider": "city", "title": { "en": "2 Side Street" },
      "latitude": 40.2, "longitude": 44.52, "regions": ["example"], "sensors": [{ "id": 21 }] }
  ]
}
`;

/** The good file with some of its text replaced. */
function written(...changes: [string, string][]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the good file has no ${from}`);
    return text.replace(from, to);
  }, GOOD);
}

async function messageFor(text: string): Promise<string> {
  try {
    await importNetwork(owner, text, {
      providerKeys: PROVIDER_KEYS,
      log: keepingLog(),
      file: 'network.json',
    });
    return 'imported';
  } catch (error) {
    if (!(error instanceof InvalidNetwork)) throw error;
    return error.message;
  }
}

describe('a mistake in a network file', () => {
  test.each<[string, string, string[]]>([
    [
      'a comma too few',
      written(['"SDS011",', '"SDS011"']),
      ['line 12: expected a comma, found "device"'],
    ],
    [
      'single quotes',
      GOOD.replaceAll('"', "'"),
      [`line 2: invalid symbol: 'time_zone'`, 'line 3: invalid'],
    ],
    [
      'a quote that is not closed',
      written(['"Asia/Yerevan"', '"Asia/Yerevan']),
      ['line 2: unexpected end of string: "Asia/Yerevan', 'line 3: expected a comma'],
    ],
    [
      'a decimal comma',
      written(['44.51', '44,51']),
      ['line 10: expected a property name, found 51; write 44.51, with a point'],
    ],
    [
      'a colon too few',
      written(['"latitude":', '"latitude"']),
      ['line 10: expected a colon, found 40.18'],
    ],
    [
      'a value too few',
      written(['"latitude": 40.18', '"latitude": ']),
      ['line 10: expected a value, found ,'],
    ],
    [
      'a file that is cut off',
      GOOD.slice(0, 300),
      ['line 8: expected a value, found the end of the file'],
    ],
    ['two files in one', GOOD + GOOD, ['line 17: expected an end of file, found {']],
    ['an empty file', '', ['line 1: expected a value, found the end of the file']],
    [
      'CSV',
      'id,title\n1,Main\n',
      [
        'line 1: this is CSV, and a network file is JSON; src/extras/export/README.md turns sensors.csv, the list in open data, into one',
      ],
    ],
    [
      'readings as CSV',
      'sensor_id,time,pm25\n1,2026-11-20T08:00:00Z,5\n',
      [
        'line 1: these are readings as CSV, and a network file is JSON: import them with node src/airseries.js import readings FILE',
      ],
    ],
    [
      'readings as JSON',
      '[{"sensor_id":1,"time":"2026-11-20T08:00:00Z","pm25":5}]',
      [
        'line 1: these are readings, and a network file describes stations: import them with node src/airseries.js import readings FILE',
      ],
    ],
    [
      'GeoJSON',
      '{"type":"FeatureCollection","features":[]}',
      [
        'line 1: this is GeoJSON, and a network file lists stations, each with its latitude and longitude: src/network/README.md has one; MAP_GROUND names the file with the ground of maps',
      ],
    ],
    [
      'YAML',
      '# ours\ntime_zone: Asia/Yerevan\nproviders:\n  - id: city\n',
      ['line 1: this is YAML, and a network file is JSON: convert it, as with yq -o=json'],
    ],
    [
      'YAML of documents',
      '---\nproviders: []\n',
      ['line 1: this is YAML, and a network file is JSON'],
    ],
    [
      'a key that is there twice',
      written(['"latitude": 40.18', '"latitude": 40.18, "latitude": 40.19']),
      ['line 10: "latitude" is there twice in one object'],
    ],
    [
      'a title without a language',
      written(['{ "en": "1 Main Street" }', '"1 Main Street"']),
      [
        'line 9, stations[0].title: "1 Main Street" found, expected an object such as {"en": "Main Street"}',
      ],
    ],
    [
      'an empty title',
      written(['{ "en": "1 Main Street" }', '{ "en": " " }'], ['{ "en": "Example" }', '{}']),
      [
        'line 5, regions[0].title: expected a title, as in',
        'line 9, stations[0].title.en: " " found, expected a title that is not empty',
      ],
    ],
    [
      'a language written out',
      written(['{ "en": "Example" }', '{ "English": "Example" }']),
      ['regions[0].title.English: "English" found, as a key, expected a locale such as en'],
    ],
    [
      'numbers as text',
      written(['40.18', '"40.18"'], ['44.51', '"44,51"']),
      [
        'line 10, stations[0].latitude: "40.18" found, expected a number',
        'line 10, stations[0].longitude: "44,51" found, expected a number; write 44.51, with a point',
      ],
    ],
    [
      'short names of keys',
      written(['"latitude": 40.18, "longitude"', '"lat": 40.18, "lon"']),
      [
        'line 9, stations[0].latitude: missing, expected a number',
        'line 9, stations[0].longitude: missing',
        'line 9, stations[0]: unknown key "lat", "lon"; the keys here are id, provider, title, latitude, longitude, ',
      ],
    ],
    [
      'a name instead of an id',
      written(['"id": 11', '"id": "esp8266-1"']),
      ['line 12, stations[0].sensors[0].id: "esp8266-1" found, expected a number'],
    ],
    [
      'a bare sensor',
      written(['{ "id": 21 }', '21']),
      ['stations[1].sensors[0]: 21 found, expected an object in { }'],
    ],
    [
      'a region that is no list',
      written(['["example"]', '"example"']),
      ['line 14, stations[1].regions: "example" found, expected a list in [ ]'],
    ],
    [
      'a typo in a region',
      written(['["example"]', '["exmaple"]']),
      [
        'stations[1].regions[0]: there is no region exmaple, neither in the file nor in the database: did you mean example?',
      ],
    ],
    [
      'upper case in a slug',
      written(['"slug": "old-town"', '"slug": "Old Town"']),
      [
        'line 6, regions[1].slug: "Old Town" found, expected a slug of lowercase letters a to z and hyphens',
        'there is no region old-town',
      ],
    ],
    [
      'another kind of region',
      written(['"kind": "district"', '"kind": "quarter"']),
      ['line 6, regions[1].kind: "quarter" found, expected one of "city", "district"'],
    ],
    [
      'a device at two stations',
      written(['{ "id": 21 }', '{ "id": 21, "device": "esp8266-1" }']),
      [
        'line 14, stations[1].sensors[0].device: device esp8266-1 is at station 1 at the same time, by stations[0].sensors[0]',
      ],
    ],
    [
      'a date as people write it',
      written([
        '"sensors": [{ "id": 21',
        '"hidden": [{ "since": "01.03.2026" }], "sensors": [{ "id": 21',
      ]),
      ['line 14, stations[1].hidden[0].since: "01.03.2026" is not a time: give 2026-11-20'],
    ],
    [
      'a short duration',
      written(['"title": "City of Example"', '"title": "City", "stale_after": "3h"']),
      ['providers[0].stale_after: "3h" found, expected a duration such as "3 hours"'],
    ],
    [
      'a kind of sensor that no object can have as a key',
      written(['  "stations"', '  "corrections": { "__proto__": "epa-2021" },\n  "stations"']),
      ['line 8: "__proto__" is not a valid key'],
    ],
    ...['url', 'image', 'image_dark'].map((key): [string, string, string[]] => [
      `a script as ${key} of a provider`,
      written(['"title": "City of Example"', `"title": "City", "${key}": "javascript:alert(1)"`]),
      [`line 3, providers[0].${key}: "javascript:alert(1)" found, expected an http(s) address`],
    ]),
  ])('%s', async (_, text, expected) => {
    const message = await messageFor(text);
    expect(message).toMatch(
      /^network\.json has (a problem|\d+ problems); nothing was imported\.\n {2}line \d/,
    );
    for (const part of expected) expect(message).toContain(part);
    expect(message.split('\n')).toHaveLength(1 + expected.length);
    expect(await owner`select from raw.station`).toEqual([]);
  });

  test('does not hide others, in the same element or elsewhere', async () => {
    const text = written(
      ['{ "id": 1, "provider": "city"', '{ "id": 0, "provider": "town"'],
      ['["example", "old-town"]', '["nowhere", 5]'],
      ['"id": 12, "kind": "BME280"', '"id": 11, "kind": 5'],
      ['"city": "example"', '"city": "elsewhere"'],
      ['"longitude": 44.52', '"longitude": 44.52, "hidden": [{ "since": "soon" }]'],
    );
    expect((await messageFor(text)).split('\n')).toEqual([
      'network.json has 8 problems; nothing was imported.',
      expect.stringContaining('line 6, regions[1].city: there is no region elsewhere'),
      expect.stringContaining('line 9, stations[0].id: 0 found, expected at least 1'),
      expect.stringContaining('line 9, stations[0].provider: there is no provider town'),
      expect.stringContaining(
        'line 11, stations[0].regions[1]: 5 found, expected text in "double quotes", or an object in { }',
      ),
      expect.stringContaining('line 11, stations[0].regions[0]: there is no region nowhere'),
      expect.stringContaining(
        'line 12, stations[0].sensors[1].kind: 5 found, expected text in "double quotes"',
      ),
      expect.stringContaining('line 12, stations[0].sensors[1].id: 11 is there already'),
      expect.stringContaining('line 14, stations[1].hidden[0].since: "soon" is not a time'),
    ]);
  });

  test('is named where it is, of a value that may be of several types', async () => {
    const text = written(['"longitude": 44.52', '"longitude": 44.52, "hidden": [{ "since": 5 }]']);
    expect(await messageFor(text)).toContain(
      'stations[1].hidden[0].since: 5 found, expected text in "double quotes"',
    );
  });

  test('is none in a comment or a comma before a closing bracket', () => {
    const text = written(
      ['["example"]', '["example",]'],
      ['  "stations"', '  // ours\n  "stations"'],
    );
    expect(parseNetwork(text, PROVIDER_KEYS).issues).toEqual([]);
  });

  test.each<[string, [string, string], object, string]>([
    [
      'swapped coordinates',
      ['"latitude": 40.2, "longitude": 44.52', '"latitude": 44.52, "longitude": 40.2'],
      { id: 2, region: 'example', swapped: true },
      'are its latitude and longitude swapped?',
    ],
    [
      'a wrong sign',
      ['"latitude": 40.2', '"latitude": -40.2'],
      { id: 2, region: 'example', swapped: false },
      'are its coordinates right?',
    ],
  ])(
    'is warned of, with the distance, before it is stored: %s',
    async (_, change, found, question) => {
      const log = keepingLog();
      const { far_stations } = await importNetwork(owner, written(change), {
        providerKeys: PROVIDER_KEYS,
        log,
        dryRun: true,
      });
      expect(far_stations).toMatchObject([{ id: 1 }, found]);
      const km = far_stations?.[1]?.km ?? 0;
      expect(log.lines.at(-1)).toMatchObject({
        level: 'warn',
        message: `station 2 is ${km} km from the nearest other station of example: ${question}`,
      });
      // along a meridian a degree is 111.2 km
      if (change[1].includes('-')) expect(km).toBe(Math.round((40.18 + 40.2) * 111.195));
      expect(
        (
          await importNetwork(owner, GOOD, {
            providerKeys: PROVIDER_KEYS,
            log: keepingLog(),
            dryRun: true,
          })
        ).far_stations,
      ).toBeUndefined();
    },
  );

  test('is warned of: a station in two cities at the same time', async () => {
    const warnings = async (regions: string) => {
      const log = keepingLog();
      const text = written(
        ['"regions": ["example"]', `"regions": ${regions}`],
        [
          '"title": { "en": "Example" } },',
          '"title": { "en": "Example" } }, { "slug": "other", "kind": "city", "title": { "en": "Other" } },',
        ],
      );
      await importNetwork(owner, text, { providerKeys: PROVIDER_KEYS, log, dryRun: true });
      return log.lines.map(({ level, message }) => `${level}: ${message}`);
    };
    expect(await warnings('["old-town", "other"]')).toEqual([
      'warn: station 2 is in example and other at the same time, and counts in each of these cities: is that meant?',
    ]);
    const moved =
      '[{ "slug": "old-town", "until": "2026-03-01" }, { "slug": "other", "since": "2026-03-01" }]';
    expect(await warnings(moved)).toEqual([]);
  });

  test('is none where a device moves with all of its sensors, or stations are far apart', async () => {
    const stations =
      '"stations": [{ "id": 1, "until": "2026-03-01" }, { "id": 2, "since": "2026-03-01" }]';
    const moved = written(
      ['"kind": "SDS011",', `"kind": "SDS011", ${stations},`],
      ['"kind": "BME280",', `"kind": "BME280", ${stations},`],
      ['"latitude": 40.2, "longitude": 44.52', '"latitude": -39.2, "longitude": 45.1'],
    );
    const other = await testDatabase(engines[0] as (typeof engines)[0]);
    try {
      const sql = other.as();
      await importNetwork(sql, moved, { providerKeys: PROVIDER_KEYS, log: keepingLog() });
      const third = {
        ...JSON.parse(GOOD),
        stations: [
          { ...JSON.parse(GOOD).stations[1], id: 3, sensors: [{ id: 31, device: 'esp8266-1' }] },
        ],
      };
      await expect(bringIn(sql, third)).rejects.toThrow('by sensor 11 of the database');
    } finally {
      await other.drop();
    }
  });
});
