/**
 * Mutated files of every format: lines swapped, taken away, repeated, characters replaced. Each
 * reading is accepted, unchanged or in quarantine, and no value is stored that the file does not
 * have.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InputError } from '../../../src/base/inputError.ts';
import { PARAMETER_NAMES } from '../../../src/contract/parameters.ts';
import type { Sql } from '../../../src/database/client.ts';
import { FORMAT_NAMES } from '../../../src/ingest/formats/formats.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import { readReadings } from '../../../src/ingest/reading/collect.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { openSource } from '../../../src/ingest/rows/source.ts';
import { acceptReadings } from '../../../src/ingest/store/accept.ts';
import { engines, isAll, type TestDatabase, testDatabase } from '../../support/database.ts';
import { transitionsOf } from '../../support/localTime.ts';
import { bringIn, file, keepingLog, NOW, reading, smallNetwork, stored } from '../support.ts';

const T = (minute: number) => `2026-11-20T08:0${minute}:00Z`;
const YEREVAN = transitionsOf('Asia/Yerevan');
const SECONDS = Date.parse(T(0)) / 1_000;
/** Each in our units, so that a stored value stands in the file as it is stored. */
const FILES: Readonly<Record<string, string>> = {
  airseries: `# a title\nsensor_id;time;pm25;temperature\n;;ug/m3;c\n1;${T(0)};3,5;-1,5\n2;${T(1)};4;−2\n1;${T(2)};5;NA\n1;2026-11-20T24:00:00Z;6;7\n`,
  'airquality-am': `SET\nsensor_id,timestamp,pm2.5,pm2.5_corrected\n1,2026-02-01 00:05:10,14.2,9.1\n2,2026-02-01 00:05:10,15,\n`,
  airgradient: `[{"serialno":"roof","pm02":7,"pm10":8,"rhum":43},{"serialno":"roof","pm02":9,"pm10":10}]`,
  'home-assistant': `entity_id,state,last_changed\npm25,7,${T(0)}\nhumidity,50,${T(0)}\nhumidity,unavailable,${T(1)}\n`,
  chirpstack: `{"deviceInfo":{"devEui":"roof"},"time":"${T(0)}","fPort":1,"object":{"pm25":7.5,"humidity":80}}\n{"deviceInfo":{"devEui":"roof"},"time":"${T(1)}","fPort":1,"object":{"pm25":8.5}}\n`,
  openaq: `location_id,sensors_id,location,datetime,lat,lon,parameter,units,value\n2,1,x,${T(0)},35,-106,pm10,µg/m³,20\n2,1,x,${T(0)},35,-106,pm25,µg/m³,12\n2,2,x,${T(1)},35,-106,co,ppm,3\n`,
  purpleair: `time_stamp,sensor_index,humidity,pm1.0_atm,pm2.5_atm\n${SECONDS},1,40,1,2.5\n${SECONDS + 60},2,41,2,3.5\n`,
  'sensor-community': `[{"timestamp":"2026-11-20 08:00:00","sensor":{"id":1},"sensordatavalues":[{"value_type":"P1","value":"17.3"}]},{"timestamp":"2026-11-20 08:01:00","sensor":{"id":2},"sensordatavalues":[{"value_type":"P2","value":"4.6"}]}]`,
  ttn: `{"end_device_ids":{"device_id":"roof"},"uplink_message":{"received_at":"${T(0)}","decoded_payload":{"pm25":7.5,"humidity":80}}}\n{"end_device_ids":{"device_id":"roof"},"uplink_message":{"received_at":"${T(1)}","decoded_payload":{"pm25":8.5}}}\n`,
};

type Change = {
  what: 'swap' | 'drop' | 'repeat' | 'replace' | 'insert';
  at: number;
  to: number;
  with: string;
};
const change: fc.Arbitrary<Change> = fc.record({
  what: fc.constantFrom('swap', 'drop', 'repeat', 'replace', 'insert'),
  at: fc.nat(1_000),
  to: fc.nat(1_000),
  with: fc.constantFrom(
    ',',
    ';',
    '\t',
    '"',
    '\n',
    ' ',
    '-',
    '−',
    '.',
    'x',
    '0',
    '9',
    '\0',
    '{',
    '}',
    '[',
    ']',
    ':',
    'NaN',
    '24',
  ),
});

/** A mutated file, line by line or character by character. */
function mutated(content: string, changes: readonly Change[]): string {
  let text = content;
  for (const { what, at, to, with: other } of changes) {
    const lines = text.split('\n');
    const [one, two] = [at % lines.length, to % lines.length];
    const place = (at * 7 + to) % (text.length + 1);
    if (what === 'swap') [lines[one], lines[two]] = [lines[two] as string, lines[one] as string];
    if (what === 'drop') lines.splice(one, 1);
    if (what === 'repeat') lines.splice(two, 0, lines[one] as string);
    if (what === 'swap' || what === 'drop' || what === 'repeat') text = lines.join('\n');
    if (what === 'replace') text = text.slice(0, place) + other + text.slice(place + 1);
    if (what === 'insert') text = text.slice(0, place) + other + text.slice(place);
  }
  return text;
}

/**
 * The numbers in a text, between any two delimiters: the values that a careful reader could find
 * there.
 */
function numbersIn(text: string): Set<number> {
  const tokens = text.replaceAll('−', '-').split(/[;\t"\s:{}[\]]/);
  const found = new Set<number>();
  for (const token of tokens) {
    for (const one of [token.replace(',', '.'), ...token.split(',')]) {
      if (one !== '' && !Number.isNaN(Number(one))) found.add(Math.fround(Number(one)));
    }
  }
  return found;
}

it('has a file of every format', () => {
  expect(Object.keys(FILES).sort()).toEqual(FORMAT_NAMES);
});

it.each(Object.entries(FILES))(
  'whatever happens to a file of %s, no value is read that it does not have',
  async (name, content) => {
    const outcomes = { readings: 0, files: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const text = mutated(content, changes);
        const known = numbersIn(text);
        const bytes = Buffer.from(text);
        async function* once() {
          yield bytes;
        }
        const source = { name: 'mutated', size: undefined, read: 0, bytes: once() };
        const declared = {
          timeZone: 'Asia/Yerevan',
          transitions: YEREVAN,
          now: NOW,
          sensor: name === 'home-assistant' ? 1 : undefined,
        };
        outcomes.files += 1;
        try {
          for await (const { readings } of readReadings(source, declared)) {
            for (const { values } of readings) {
              for (const value of Object.values(values)) {
                const given = typeof value === 'string' ? value.replaceAll('−', '-') : value;
                const number = Number(given);
                if (given === '' || Number.isNaN(number)) continue; // no number: it is rejected
                outcomes.readings += 1;
                if (typeof value === 'string') expect([...known]).toContain(Math.fround(number));
              }
            }
          }
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
        }
      }),
      { numRuns: isAll ? 1_250 : 400, seed: 50 },
    );
    expect(outcomes.readings).toBeGreaterThan(outcomes.files / 5);
  },
  120_000,
);

/** Stored before each file comes. */
const HELD_VALUES = Object.fromEntries(
  PARAMETER_NAMES.map((name, index) => [name, name === 'pressure' ? 100_000 : index + 1]),
);
const HELD = [1, 2].flatMap((sensor) =>
  [0, 1, 2].map((minute) => reading(sensor, T(minute), HELD_VALUES)),
);
const HELD_TIMES = new Set(HELD.map(({ measuredAt }) => Date.parse(measuredAt as string)));

/** The parameters that a file has, as far as it can be read. */
async function parametersOf(path: string, declared: Declarations): Promise<Set<string>> {
  const found = new Set<string>();
  const source = await openSource(path);
  try {
    for await (const { readings } of readReadings(source, declared))
      for (const { values } of readings)
        for (const name of Object.keys(values)) found.add(name === 'rain_total' ? 'rain' : name);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  } finally {
    source.close();
  }
  return found;
}

// nothing here depends on the engine
let db: TestDatabase;
let owner: Sql;
beforeAll(async () => {
  db = await testDatabase(engines[0] as (typeof engines)[0]);
  owner = db.as();
  await bringIn(owner, smallNetwork({ sensor: { device: 'roof' } }));
});
afterAll(() => db.drop());

it.each(Object.entries(FILES))(
  'whatever happens to a file of %s, accepted + unchanged + quarantined = received (S2), and parameters that it does not have stay (S3)',
  async (name, content) => {
    const ingest = db.as('airseries_ingest');
    const runs = fc.sample(fc.array(change, { minLength: 1, maxLength: 6 }), {
      numRuns: isAll ? 1_000 : 40,
      seed: 50,
    });
    for (const changes of runs) {
      const path = file('mutated', mutated(content, changes));
      const format = {
        timeZone: '+04:00',
        now: NOW,
        shift: '0min',
        sensor: name === 'home-assistant' ? 1 : undefined,
      };
      const options = { now: NOW, log: keepingLog(), terminal: false, format };
      await acceptReadings(ingest, HELD, { now: NOW, source: 'held' });
      const read = () => importReadings(ingest, [path], options);
      const first = await read();
      const once = await stored(owner);
      const second = await read();
      expect(await stored(owner)).toEqual(once);
      const had = await parametersOf(path, format);
      const others = PARAMETER_NAMES.filter((one) => !had.has(one));
      const kept = once.filter(({ measured_at }) => HELD_TIMES.has(Date.parse(measured_at)));
      for (const row of kept)
        expect(others.map((one) => row[one])).toEqual(others.map((one) => HELD_VALUES[one]));
      for (const { received, accepted, unchanged, quarantined } of [first, second]) {
        const refused = Object.values(quarantined).reduce((sum, n) => sum + n, 0);
        expect(accepted + unchanged + refused).toBe(received);
      }
      expect(second.received).toBe(first.received);
    }
  },
  120_000,
);
