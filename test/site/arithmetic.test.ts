/** What the browser computes again, against the database: rounding as published, the index, the correction, directions. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  aqi,
  direction,
  epa2021,
  exactText,
  ofDays,
  ofHours,
  ofReadings,
  ofSensors,
  ofStations,
  published,
} from '../../src/site/browser/arithmetic.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';
import { seeded } from '../support/random.ts';

const COUNT = 5_000;
const random = seeded(20_261_123);
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase(engines[0] ?? 'plain');
  return () => database.drop();
});

type Pair = { a: number | null; b?: number | null };

/** What an SQL expression of `a` and `b` gives for each pair. */
async function inSql(expression: string, pairs: readonly Pair[]): Promise<(number | null)[]> {
  const rows = await database.as().unsafe<{ value: number | null }[]>(
    `select ${expression} as value
     from rows from (json_to_recordset($1::text::json) as (a float8, b float8)) with ordinality as t(a, b, n) order by n`,
    [JSON.stringify(pairs)],
  );
  return rows.map(({ value }) => value);
}

const pairsOf = (a: () => number | null, b: () => number | null) =>
  Array.from({ length: COUNT }, () => ({ a: a(), b: b() }));
const between = (low: number, high: number) => low + random.next() * (high - low);
const orNull = (value: number) => (random.below(6) === 0 ? null : value);

it('an unrounded value is shown with as many digits as tell it from a tie, and rounds as the value itself does', () => {
  expect([4.82499989, 4.84999989, 4.825, 4.85 * (1 + Number.EPSILON), 12.5, 1 / 3, null].map(exactText)).toEqual([
    '4.8249999',
    '4.8499999',
    '4.825',
    '4.85',
    '12.5',
    '0.333333',
    '–',
  ]);
  for (let n = 0; n < COUNT; n += 1) {
    const value = (random.below(4_000) / 10 - 50 + 0.05) * (1 + random.pick([-1, 0, 1]) * 10 ** -(6 + random.below(8)));
    expect(published(Number(exactText(value)), { digits: 1 }), `${value}`).toBe(published(value, { digits: 1 }));
  }
});

describe('as in the database', () => {
  it('rounding, also of ties, of what is nearly one, and of what is below 0', async () => {
    const tie = () => random.below(4_000) / 10 - 50 + 0.05;
    const kinds = [
      () => random.below(40_000) / 10 - 500,
      () => tie(),
      () => tie() / 10,
      () => tie() * (1 + Number.EPSILON),
      () => between(-1, 1) * 10 ** random.below(9),
    ];
    const values = Array.from({ length: COUNT }, () => random.pick(kinds)());
    const pairs = values.map((a) => ({ a }));
    for (const digits of [0, 1, 2]) {
      const computed = values.map((value) => published(value, { digits }));
      expect(computed).toEqual(await inSql(`logic.published(a, ${digits})`, pairs));
      expect(values.map((value) => published(value, { digits, isFloored: true }))).toEqual(
        await inSql(`logic.published_floor(a, ${digits})`, pairs),
      );
    }
    expect(published(null, { digits: 1 })).toBeNull();
  });

  it('the index (Q1, Q2)', async () => {
    const pairs = pairsOf(
      () => orNull(random.below(6_000) / 10),
      () => orNull(random.below(12_000) / 10),
    );
    expect(pairs.map(({ a, b }) => aqi(a, b))).toEqual(await inSql('rollup.aqi(a, b)', pairs));
  });

  it('the correction (S5)', async () => {
    const pairs = Array.from({ length: COUNT }, () => ({ a: between(0, 400), b: between(0, 100) }));
    const corrected = await inSql("rollup.corrected('epa-2021', a, b)", pairs);
    for (const [n, { a, b }] of pairs.entries()) expect(epa2021(a, b)).toBeCloseTo(corrected[n] ?? Number.NaN, 9);
  });

  it('the direction of a vector (A7)', async () => {
    const pairs = Array.from({ length: COUNT }, () => ({ a: between(-1, 1), b: between(-1, 1) }));
    expect(pairs.map(({ a, b }) => direction(a, b))).toEqual(await inSql('logic.published_direction(a, b)', pairs));
    expect([direction(1e-9, 0), direction(null, 1), direction(-1e-9, 1)]).toEqual([null, null, 0]);
  });
});

describe('means', () => {
  it('skip what is missing; rain is summed (A6)', () => {
    const hours = [{ 'pm2.5': 1, rain: 0.5 }, { 'pm2.5': null, rain: 0.25 }, { 'pm2.5': 4 }];
    expect([ofHours(hours, 'pm2.5'), ofHours(hours, 'rain'), ofHours(hours, 'o3')]).toEqual([2.5, 0.75, null]);
  });

  it('are of readings in single precision (A1)', () => {
    expect(ofReadings([{ pm10: 0.1 }, { pm10: 0.2 }], 'pm10')).toBe((Math.fround(0.1) + Math.fround(0.2)) / 2);
    const wind = [{ wind_direction: 350 }, { wind_direction: 10 }];
    expect(direction(ofReadings(wind, 'wind_sin'), ofReadings(wind, 'wind_cos'))).toBe(0);
  });

  it('of a month are of its hours, not of its days (A4)', () => {
    const days = [
      { mean: { pm10: 10, rain: 1 }, hours: { pm10: 1 } },
      { mean: { pm10: 20, rain: 2 }, hours: { pm10: 23 } },
      { mean: { pm10: null, rain: null }, hours: { pm10: 0 } },
    ];
    expect([ofDays(days, 'pm10'), ofDays(days, 'rain'), ofDays(days, 'o3')]).toEqual([470 / 24, 3, null]);
  });

  it('of a region count each station once, without what looks unreliable (A3)', () => {
    const stations = [
      { is_bad_thp: false, mean: { pm10: 1, humidity: 40, rain: 2 } },
      { is_bad_thp: true, mean: { pm10: 2, humidity: 90, rain: 1 } },
    ];
    expect(['pm10', 'humidity', 'rain', 'o3'].map((key) => ofStations(stations, key))).toEqual([1.5, 40, 1.5, null]);
  });

  it('count each sensor once; the corrected ones together (A2, S5)', () => {
    const plain = { formula: null, mean: { 'pm2.5': 10, humidity: 40 } };
    const optical = (raw: number) => ({ formula: 'epa-2021', mean: { 'pm2.5_raw': raw, humidity: 60 } });
    expect(ofSensors([plain, { formula: null, mean: { 'pm2.5': null, 'pm2.5_raw': 20 } }], 'pm2.5')).toBe(15);
    expect(ofSensors([plain, optical(20), optical(40)], 'pm2.5')).toBeCloseTo((10 + 2 * epa2021(30, 160 / 3)) / 3, 12);
    expect(ofSensors([{ formula: 'epa-2021', mean: { 'pm2.5_raw': 20 } }], 'pm2.5')).toBeNull(); // without humidity
    expect(ofSensors([plain, optical(20)], 'pm2.5_raw')).toBe(20);
    expect(ofSensors([], 'pm2.5')).toBeNull();
  });
});
