/**
 * Network files that are refused, and what is said of them: line, position, what is wrong, and what
 * to write instead. Several mistakes in one file are told at once.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import {
  checkNewNetwork,
  InvalidNetwork,
  importNetwork,
} from '../../../src/network/importNetwork.ts';
import { isComplete } from '../../support/complete.ts';
import { engines, testDatabase } from '../../support/database.ts';
import { keepingLog } from '../../support/keepingLog.ts';
import { PROVIDER_KEYS } from '../../support/network.ts';
import { smallNetwork } from '../../support/smallNetwork.ts';
import { errorOf, expectSaid, type Mistake, SECRET } from './mistake.ts';

// nothing here depends on the engine
let owner: Sql;
beforeAll(async () => {
  const db = await testDatabase(engines[0] ?? 'plain');
  owner = db.as();
  return () => db.drop();
});

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

/** The good file with some of its text replaced: what stands there by what was written. */
function written(...changes: [there: string, written: string][]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the good file has no ${from}`);
    return text.replace(from, to);
  }, GOOD);
}

const text = (network: object) => JSON.stringify(network);
/** Two stations in a town and its quarter; sensors 1 and 2 at station 1, sensor 3 at station 2. */
const small = (change: Parameters<typeof smallNetwork>[0]) => text(smallNetwork(change));

const withRegions = (...regions: object[]) =>
  text({ ...smallNetwork(), regions: regions.map((one) => ({ title: { en: 'T' }, ...one })) });

/** The good file, in which the provider has a feed at this address. */
const withFeed = (url: string) =>
  written(['"City of Example"', `"City", "pull": { "kind": "sensor-community", "url": ${url} }`]);

/** Addresses of feeds, whose keys and passwords are never repeated. */
const FEEDS: Mistake<string>[] = [
  ...['1 second', 'PT59S'].map(
    (every): Mistake<string> => [
      `a feed that is polled every ${every}`,
      written([
        '"City of Example"',
        `"City", "pull": { "kind": "sensor-community", "url": "https://data.example/", "every": "${every}" }`,
      ]),
      `providers[0].pull.every: expected "1 minute" or longer, because feeds are polled once a minute, found "${every}"`,
    ],
  ),
  [
    'a feed of another protocol',
    withFeed(`"ftp://me:p@${SECRET}@data.example/data.json?key=${SECRET}"`),
    'providers[0].pull.url: "ftp://…@data.example/data.json?… found, expected an http(s) address',
  ],
  [
    'a feed with a password',
    withFeed(`"http://me:${SECRET}@data.example/data.json"`),
    'providers[0].pull.url: expected an address without user and password, because it would be stored in plain text',
  ],
  [
    'a feed with a password and an impossible port',
    withFeed(`"http://me:${SECRET}?/@${SECRET}@data.example:x/data.json"`),
    'providers[0].pull.url: "http://…@data.example:x/data.json" found, expected an http(s) address',
  ],
  [
    'a feed behind a missing comma',
    withFeed(`"" "http://me:${SECRET}@data.example/?key=${SECRET}"`),
    'line 3: expected a comma, found "http://…@data.example/?…',
  ],
];

const NETWORK_FILES: Mistake<string>[] = [
  // the text
  [
    'a comma too few',
    written(['"SDS011",', '"SDS011"']),
    'line 12: expected a comma, found "device"',
  ],
  [
    'single quotes',
    GOOD.replaceAll('"', "'"),
    [`line 2: invalid symbol: 'time_zone'`, 'line 3: invalid'],
  ],
  [
    'a decimal comma',
    written(['44.51', '44,51']),
    'line 10: expected a property name, found 51; write 44.51, with a point',
  ],
  ['two files in one', GOOD + GOOD, 'line 17: expected an end of file, found {'],
  [
    'CSV',
    'id,title\n1,Main\n',
    'line 1: this is CSV, and a network file is JSON; src/extras/archive/README.md turns sensors.csv, the list in open data, into one',
  ],
  [
    'readings as CSV',
    'sensor_id,time,pm25\n1,2026-11-20T08:00:00Z,5\n',
    'line 1: these are readings as CSV, and a network file is JSON: import them with node src/airseries.js import readings FILE',
  ],
  [
    'readings as JSON',
    '[{"sensor_id":1,"time":"2026-11-20T08:00:00Z","pm25":5}]',
    'line 1: these are readings, and a network file describes stations: import them with node src/airseries.js import readings FILE',
  ],
  [
    'GeoJSON',
    '{"type":"FeatureCollection","features":[]}',
    'line 1: this is GeoJSON, and a network file lists stations, each with its latitude and longitude: src/network/README.md has one; MAP_GROUND names the file with the ground of maps',
  ],
  [
    'YAML',
    '# ours\ntime_zone: Asia/Yerevan\nproviders:\n  - id: city\n',
    'line 1: this is YAML, and a network file is JSON: convert it, as with yq -o=json',
  ],
  ['too many levels', '['.repeat(40) + ']'.repeat(40), 'line 1: it is nested too deeply'],
  ['a list in the place of an object', '[]', 'line 1: [] found, expected an object in { }'],
  [
    'a character that no text may have',
    small({ one: { title: { en: 'a\0' } } }),
    'it holds the character \\u0000, which cannot be stored',
  ],

  // keys and values
  [
    'a key that is there twice',
    written(['"latitude": 40.18', '"latitude": 40.18, "latitude": 40.19']),
    'line 10: "latitude" is there twice in one object',
  ],
  [
    'a title without a language',
    written(['{ "en": "1 Main Street" }', '"1 Main Street"']),
    'line 9, stations[0].title: "1 Main Street" found, expected an object such as {"en": "Main Street"}',
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
    'a typo in a region',
    written(['["example"]', '["exmaple"]']),
    'stations[1].regions[0]: there is no region exmaple, neither in the file nor in the database: did you mean example?',
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
    'a device at two stations',
    written(['{ "id": 21 }', '{ "id": 21, "device": "esp8266-1" }']),
    'line 14, stations[1].sensors[0].device: device esp8266-1 is at station 1 at the same time, by stations[0].sensors[0]',
  ],
  [
    'a date as people write it',
    written([
      '"sensors": [{ "id": 21',
      '"hidden": [{ "since": "01.03.2026" }], "sensors": [{ "id": 21',
    ]),
    'line 14, stations[1].hidden[0].since: "01.03.2026" is not a time: give 2026-11-20',
  ],
  ...['url', 'image', 'image_dark'].map(
    (key): Mistake<string> => [
      `a script as ${key} of a provider`,
      written(['"title": "City of Example"', `"title": "City", "${key}": "javascript:alert(1)"`]),
      [`line 3, providers[0].${key}: "javascript:alert(1)" found, expected an http(s) address`],
    ],
  ),

  ...(isComplete ? FEEDS : []),

  // names, places and periods
  [
    'another zone',
    small({ timeZone: 'Europe/Berlin' }),
    'time_zone: this network is in Europe/Berlin, but the database was made for Asia/Yerevan, whose days and months it has: correct the file, or make a new database with TIME_ZONE=Europe/Berlin',
  ],
  [
    'an abbreviated zone that is not the one of the database',
    written(['Asia/Yerevan', 'CET']),
    'make a new database with TIME_ZONE=the IANA name of its zone, such as Europe/Berlin (CET does not say whose clocks it means)',
  ],
  [
    'names that are unknown',
    small({
      one: { provider: 'them', regions: ['town', 'city'] },
      two: { sensors: [{ id: 3, stations: [{ id: 7 }] }] },
    }),
    [
      'stations[0].provider: there is no provider them',
      'stations[0].regions[1]: there is no region city',
      'stations[1].sensors[0].stations[0].id: there is no station 7',
    ],
  ],
  [
    'names given twice',
    text({
      ...smallNetwork({ two: { id: 1, sensors: [{ id: 2 }] } }),
      providers: [
        { id: 'us', title: 'a' },
        { id: 'us', title: 'b' },
      ],
    }),
    [
      'providers[1].id: us is there already, at providers[0]',
      'stations[1].id: 1 is there already, at stations[0]',
      'stations[1].sensors[0].id: 2 is there already, at stations[0].sensors[1]',
    ],
  ],
  [
    'slugs that are taken or impossible',
    withRegions(
      { slug: 'town', kind: 'city' },
      { slug: 'quarter', kind: 'city' },
      { slug: 'town', kind: 'district', city: 'town' },
      { slug: 'old-history', kind: 'city' },
      { slug: 'Große', kind: 'city' },
    ),
    [
      'regions[3].slug: "old-history" found, expected a slug that does not end in -history, because paths of the API do',
      'regions[4].slug: "Große" found, expected a slug of lowercase letters a to z and hyphens',
      'regions[2].slug: town is there already, at regions[0]: name each once',
    ],
  ],
  [
    'districts and cities that do not fit each other',
    withRegions(
      { slug: 'town', kind: 'city', city: 'quarter' },
      { slug: 'quarter', kind: 'district' },
      { slug: 'a', kind: 'district', city: 'quarter', map: { latitude: 1, longitude: 1 } },
      { slug: 'b', kind: 'district', city: 'nowhere', map: { latitude: 1, longitude: 1 } },
      { slug: 'c', kind: 'city' },
      { slug: 'd', kind: 'city' },
    ),
    [
      'regions[0].city: a city is in no other: leave the key out, or make it a district',
      'regions[1]: a district needs the key city, the slug of its city',
      'regions[2].city: quarter is a district itself: give the slug of a city',
      'regions[3].city: there is no region nowhere, neither in the file nor in the database: add it, or correct the name',
      'regions[4].map: it is missing, and no station is in the region whose centre could stand for it: add the region to its stations, or write "map": {"latitude": …, "longitude": …}',
      'regions[5].map: it is missing, and no station is in the region',
    ],
  ],
  [
    'periods that overlap, or that end before they begin',
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
          { id: 2, since: '2026-04-30T19:59Z' },
        ],
        correction: [
          { formula: 'none', until: '2026-05-01' },
          { formula: 'epa-2021', since: '2026-04-30' },
        ],
      },
    }),
    [
      'stations[0].regions[1]: the station is in town at the same time by stations[0].regions[0]: name it once',
      'stations[0].sensors[0].stations[1]: the sensor is somewhere at the same time by stations[0].sensors[0].stations[0]: end one before the other begins',
      'stations[0].is_bad_thp[0].since: "2026-02-30" is not a time: give 2026-11-20, 2026-11-20T13:00 or 2026-11-20T09:00Z',
      'stations[0].is_bad_thp[1]: since 2026-01-02 is not before until 2026-01-02',
      'stations[0].sensors[0].correction[1]: another formula applies at the same time, by stations[0].sensors[0].correction[0]: end one before the other begins',
    ],
  ],
  [
    'screened periods that no test has found',
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
    [
      'stations[0].screened[4]: expected a sensor, except for sensors, flat, outlier',
      'stations[0].screened[5].test: "drift" found, expected one of "zero_values", "pressure_off_altitude",',
      'stations[0].screened[6].evidence.pm2.5: "high" found, expected a number',
      'stations[0].screened[3].sensor: there is no sensor 99, neither in the file nor in the database',
      'stations[0].screened[1]: outlier is there for the same time by stations[0].screened[0]: keep one',
    ],
  ],

  // several mistakes in the same element and elsewhere
  [
    'several elements at once',
    written(
      ['{ "id": 1, "provider": "city"', '{ "id": 0, "provider": "town"'],
      ['["example", "old-town"]', '["nowhere", 5]'],
      ['"id": 12, "kind": "BME280"', '"id": 11, "kind": 5'],
      ['"city": "example"', '"city": "elsewhere"'],
      ['"longitude": 44.52', '"longitude": 44.52, "hidden": [{ "since": "soon" }]'],
    ),
    [
      'line 6, regions[1].city: there is no region elsewhere',
      'line 9, stations[0].id: 0 found, expected at least 1',
      'line 9, stations[0].provider: there is no provider town',
      'line 11, stations[0].regions[1]: 5 found, expected text in "double quotes", or an object in { }',
      'line 11, stations[0].regions[0]: there is no region nowhere',
      'line 12, stations[0].sensors[1].kind: 5 found, expected text in "double quotes"',
      'line 12, stations[0].sensors[1].id: 11 is there already',
      'line 14, stations[1].hidden[0].since: "soon" is not a time',
    ],
  ],
];

it.each(NETWORK_FILES)(
  'the import of a network stores nothing, and says what is wrong with %s',
  async (_, sent, said) => {
    const { lines, ...log } = keepingLog();
    const options = { providerKeys: PROVIDER_KEYS, log, file: 'network.json' };
    const error = await errorOf(() => importNetwork(owner, sent, options));
    if (!(error instanceof InvalidNetwork)) throw error;
    const [heading, ...issues] = error.message.split('\n');
    expect(heading).toMatch(/^network\.json has (a problem|\d+ problems); nothing was imported\.$/);
    const parts = [said].flat();
    expect(issues, error.message).toHaveLength(parts.length);
    for (const [index, issue] of issues.entries()) {
      expect(issue).toMatch(/^ {2}line \d/);
      expectSaid(issue, parts[index] ?? '');
    }
    for (const { line, position, message } of error.issues)
      expect(error.message).toContain(`line ${line}${position && `, ${position}`}: ${message}`);
    expect(JSON.stringify(lines)).not.toContain(SECRET);
    expect(await owner`select from raw.station`).toEqual([]);
  },
);

it.each<Mistake<string>>([
  [
    'an abbreviated zone',
    written(['Asia/Yerevan', 'CET']),
    'line 2, time_zone: CET: it is an abbreviation, which does not say whose clocks it means. Give an IANA name such as Europe/Berlin',
  ],
])('a new database is not made from a network file with %s', async (_, sent, said) => {
  const error = await errorOf(() => checkNewNetwork(sent, 'network.json', PROVIDER_KEYS));
  expectSaid(error.message, said);
});

it.each<Mistake<string>>([
  [
    'swapped coordinates',
    written(['"latitude": 40.2, "longitude": 44.52', '"latitude": 44.52, "longitude": 40.2']),
    [
      'station 1 is 598 km from the nearest other station of example: are its latitude and longitude swapped?',
      'station 2 is 598 km from the nearest other station of example: are its latitude and longitude swapped?',
    ],
  ],
  [
    'a wrong sign', // along a meridian a degree is 111.2 km
    written(['"latitude": 40.2', '"latitude": -40.2']),
    [
      'station 1 is 8938 km from the nearest other station of example: are its coordinates right?',
      'station 2 is 8938 km from the nearest other station of example: are its coordinates right?',
    ],
  ],
  [
    'a station in two cities at the same time',
    written(
      ['"regions": ["example"]', '"regions": ["old-town", "other"]'],
      [
        '"title": { "en": "Example" } },',
        '"title": { "en": "Example" } }, { "slug": "other", "kind": "city", "title": { "en": "Other" } },',
      ],
    ),
    'station 2 is in example and other at the same time, and counts in each of these cities: is that meant?',
  ],
  [
    'a kind of sensor that is nearly a known one',
    written(['"SDS011"', '"SDS11"']),
    'network.json, line 12, stations[0].sensors[0].kind: SDS11 is not a kind that is known: write SDS011, if that is meant,',
  ],
  [
    'a formula for a kind that no sensor has',
    written(['  "stations"', '  "corrections": { "PMS5003": "epa-2021" },\n  "stations"']),
    'network.json, line 8, corrections.PMS5003: no sensor of the file is of the kind PMS5003, so its formula corrects nothing: correct the name, or leave it out',
  ],
  [
    'titles in the language of a country’s code',
    written(
      ['"title": { "en": "Example" }', '"title": { "en": "Example", "am": "Օրինակ" }'],
      ['"title": { "en": "2 Side Street" }', '"title": { "am": "Օրինակ" }'],
    ),
    'network.json, line 5, regions[0].title.am and 1 more: nothing is shown in the language am: write hy, if that is meant (the languages are en, ru, hy)',
  ],
  ...['10 seconds', 'PT4M59S'].map(
    (duration): Mistake<string> => [
      `stations that are offline after ${duration}`,
      written(['"City of Example"', `"City of Example", "stale_after": "${duration}"`]),
      `network.json, line 3, providers[0].stale_after: after ${duration} without a reading a station is offline, and few sensors send so often: write several times`,
    ],
  ),
  [
    'stations that are offline after three weeks',
    written(['"City of Example"', '"City of Example", "stale_after": "P21D"']),
    'network.json, line 3, providers[0].stale_after: a station without a reading for P21D would still show its last values as current: write several times',
  ],
  [
    'an altitude that no place has',
    written(['"longitude": 44.52,', '"longitude": 44.52, "altitude": 12000,']),
    'network.json, line 14, stations[1].altitude: expected metres above the sea from -450 to 9000, found 12000: correct it, or leave it out',
  ],
  [
    'formulas for an instrument that measures no PM2.5',
    written(
      ['"kind": "BME280",', '"kind": "BME280", "correction": "epa-2021",'],
      ['{ "id": 21 }', '{ "id": 21, "kind": "DHT22" }'],
      ['  "stations"', '  "corrections": { "DHT22": "epa-2021" },\n  "stations"'],
    ),
    [
      'line 8, corrections.DHT22: a DHT22 measures no PM2.5, so its formula corrects nothing: leave the formula out, or correct the kind',
      'line 13, stations[0].sensors[1].correction: a BME280 measures no PM2.5',
    ],
  ],
])('the import of a network asks about %s', async (_, sent, said) => {
  const log = keepingLog();
  const options = { providerKeys: PROVIDER_KEYS, log, file: 'network.json', dryRun: true };
  await importNetwork(owner, sent, options);
  const parts = [said].flat();
  expect(log.lines.map(({ level }) => level)).toEqual(parts.map(() => 'warn'));
  for (const [index, { message }] of log.lines.entries()) expectSaid(message, parts[index] ?? '');
});

it('the import of a network asks nothing about kinds, titles and durations as networks have them', async () => {
  const log = keepingLog();
  const kinds = ['SDS021', 'PMS5003T', 'BMP280', 'SHT30', 'SDS011 + DHT22', 'weather mast', 'X1'];
  const sent = small({
    one: {
      title: { en: 'One', hy: 'Մեկ', am: 'አንድ', de: 'Eins' },
      latitude: 41.01,
      longitude: 45,
      sensors: kinds.map((kind, n) => ({ id: n + 10, kind })),
    },
  }).replace('"title":"Us"', '"title":"Us","stale_after":"5 minutes"');
  await importNetwork(owner, sent, { providerKeys: PROVIDER_KEYS, log, dryRun: true });
  expect(log.lines).toEqual([]);
});
