/** The mistakes that people make in a network file, and what they read then: line, position, what is wrong, what to write instead. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { InvalidNetwork, importNetwork } from '../../src/network/importNetwork.ts';
import { bringIn, keepingLog } from '../ingest/support.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';

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
    await importNetwork(owner, text, { log: keepingLog(), file: 'network.json' });
    return 'imported';
  } catch (error) {
    if (!(error instanceof InvalidNetwork)) throw error;
    return error.message;
  }
}

describe('a mistake in a network file', () => {
  test.each<[string, string, string[]]>([
    ['a comma too many', written(['["example"]', '["example",]']), ['line 14: there is a comma too many before ]']],
    ['a comma too few', written(['"SDS011",', '"SDS011"']), ['line 12: a comma is missing before "device"']],
    ['a comment', written(['  "stations"', '  // ours\n  "stations"']), ['line 8: JSON has no comments: remove it']],
    ['single quotes', GOOD.replaceAll('"', "'"), [`line 2: 'time_zone' is in single quotes: write "double quotes"`]],
    [
      'a quote that is not closed',
      written(['"Asia/Yerevan"', '"Asia/Yerevan']),
      ['line 2: expected text in double quotes, but it has no closing'],
    ],
    [
      'a decimal comma',
      written(['44.51', '44,51']),
      ['line 10: 44,51 has a decimal comma: write a point, as in 44.51'],
    ],
    [
      'a colon too few',
      written(['"latitude":', '"latitude"']),
      ['line 10: expected a colon after "latitude", found 40.18'],
    ],
    [
      'a value too few',
      written(['"latitude": 40.18', '"latitude": ']),
      ['line 10: expected a value (text in "double quotes", a number, true, { or [), found ,'],
    ],
    ['a file that is cut off', GOOD.slice(0, 300), ['line 8: the file ends here: is it cut off?']],
    ['two files in one', GOOD + GOOD, ['line 17: after the end of the JSON there is {']],
    ['an empty file', '', ['line 1: the file is empty']],
    ['CSV', 'id,title\n1,Main\n', ['line 1: a network file is one JSON object in { }, but this begins with id']],
    [
      'a key that is there twice',
      written(['"latitude": 40.18', '"latitude": 40.18, "latitude": 40.19']),
      ['line 10: "latitude" is there twice in one object'],
    ],
    [
      'a title without a language',
      written(['{ "en": "1 Main Street" }', '"1 Main Street"']),
      [
        'line 9, stations[0].title: "1 Main Street" is text; expected an object such as {"en": "Main Street"}: write {"en": "1 Main Street"}',
      ],
    ],
    [
      'an empty title',
      written(['{ "en": "1 Main Street" }', '{ "en": " " }'], ['{ "en": "Example" }', '{}']),
      ['line 5, regions[0].title: it is empty: write a title', 'line 9, stations[0].title.en: " " is not valid'],
    ],
    [
      'a language written out',
      written(['{ "en": "Example" }', '{ "English": "Example" }']),
      ['regions[0].title.English: "English" is not a valid key; expected a locale such as en'],
    ],
    [
      'numbers as text',
      written(['40.18', '"40.18"'], ['44.51', '"44,51"']),
      [
        'line 10, stations[0].latitude: "40.18" is text; expected a number: write 40.18, without quotes',
        'line 10, stations[0].longitude: "44,51" is text; expected a number: write 44.51, without quotes',
      ],
    ],
    [
      'short names of keys',
      written(['"latitude": 40.18, "longitude"', '"lat": 40.18, "lon"']),
      ['line 9, stations[0]: unknown key "lat", "lon": write "latitude", "longitude"'],
    ],
    [
      'a typo in a key',
      written(['"provider": "city", "title": { "en": "1', '"provder": "city", "title": { "en": "1']),
      ['stations[0]: unknown key "provder": write "provider"'],
    ],
    [
      'a name instead of an id',
      written(['"id": 11', '"id": "esp8266-1"']),
      [
        'line 12, stations[0].sensors[0].id: "esp8266-1" is text; expected a number (what a device calls itself goes into "device")',
      ],
    ],
    [
      'a bare sensor',
      written(['{ "id": 21 }', '21']),
      ['stations[1].sensors[0]: 21 is a number; expected an object in { }: write {"id": 21}'],
    ],
    [
      'a region that is no list',
      written(['["example"]', '"example"']),
      ['line 14, stations[1].regions: "example" is text; expected a list in [ ]: write ["example"]'],
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
        'line 6, regions[1].slug: "Old Town" is not valid; expected a slug of lowercase letters a to z and hyphens, such as "old-town"',
        'there is no region old-town',
      ],
    ],
    [
      'another kind of region',
      written(['"kind": "district"', '"kind": "quarter"']),
      ['line 6, regions[1].kind: "quarter" is unknown: write one of "city", "district"'],
    ],
    [
      'a sensor that is there twice',
      written(['"id": 21', '"id": 12']),
      ['line 14, stations[1].sensors[0].id: 12 is there already, at stations[0].sensors[1]'],
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
      written(['"sensors": [{ "id": 21', '"hidden": [{ "since": "01.03.2026" }], "sensors": [{ "id": 21']),
      ['line 14, stations[1].hidden[0].since: "01.03.2026" is not a time: give 2026-11-20'],
    ],
    [
      'a short duration',
      written(['"title": "City of Example"', '"title": "City", "stale_after": "3h"']),
      ['providers[0].stale_after: "3h" is not valid; expected a duration such as "3 hours"'],
    ],
    [
      'latitude beyond the pole',
      written(['40.18', '140.18']),
      ['140.18 is too big: the most is 90: are latitude and longitude swapped?'],
    ],
  ])('%s', async (_, text, expected) => {
    const message = await messageFor(text);
    expect(message).toMatch(/^network\.json has (a problem|\d+ problems); nothing was imported\.\n {2}line \d/);
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
      expect.stringContaining('line 9, stations[0].id: 0 is too small'),
      expect.stringContaining('line 9, stations[0].provider: there is no provider town'),
      expect.stringContaining('line 11, stations[0].regions[1]: 5 is a number'),
      expect.stringContaining('line 11, stations[0].regions[0]: there is no region nowhere'),
      expect.stringContaining(
        'line 12, stations[0].sensors[1].kind: 5 is a number; expected text in "double quotes": write "5"',
      ),
      expect.stringContaining('line 12, stations[0].sensors[1].id: 11 is there already'),
      expect.stringContaining('line 14, stations[1].hidden[0].since: "soon" is not a time'),
    ]);
  });

  test('is none where a device moves with all of its sensors, or stations are far apart', async () => {
    const stations = '"stations": [{ "id": 1, "until": "2026-03-01" }, { "id": 2, "since": "2026-03-01" }]';
    const moved = written(
      ['"kind": "SDS011",', `"kind": "SDS011", ${stations},`],
      ['"kind": "BME280",', `"kind": "BME280", ${stations},`],
      ['"latitude": 40.2, "longitude": 44.52', '"latitude": -39.2, "longitude": 45.1'],
    );
    const other = await testDatabase(engines[0] as (typeof engines)[0]);
    try {
      const sql = other.as();
      await importNetwork(sql, moved, { log: keepingLog() });
      const third = {
        ...JSON.parse(GOOD),
        stations: [{ ...JSON.parse(GOOD).stations[1], id: 3, sensors: [{ id: 31, device: 'esp8266-1' }] }],
      };
      await expect(bringIn(sql, third)).rejects.toThrow('by sensor 11 of the database');
    } finally {
      await other.drop();
    }
  });
});
