/**
 * The European index (X1), NowCast (X2) and the trend in SQL: reference values, edges, and random
 * values against another computation.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { arrayLiteral } from '../../src/database/arrays.ts';
import type { Sql } from '../../src/database/client.ts';
import { onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';
import { seeded } from '../support/random.ts';
import { BANDS, bandOf, NO2_PPB, nowcast, type Pollutant, trend, UPPER_ENDS } from './indices.ts';

const POLLUTANTS = Object.keys(UPPER_ENDS) as Pollutant[];

/** A concentration in µg/m³ as the columns of schema api have it: NO2 in ppb. */
const asStored = (pollutant: Pollutant, value: number) =>
  pollutant === 'no2' ? value / NO2_PPB : value;

onOneEngine('indices', (engine) => {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    sql = database.as('airseries_reader');
  });
  afterAll(() => database.drop());

  const value = async (expression: string) =>
    (await sql.unsafe(`select ${expression} as value`))[0]?.value;

  it.each(
    POLLUTANTS.flatMap((pollutant) =>
      UPPER_ENDS[pollutant].flatMap((end, n) => [
        [pollutant, end + 0.49, BANDS[n]] as const,
        [pollutant, end + 0.51, BANDS[n + 1]] as const,
      ]),
    ),
  )('the European index of %s at %d µg/m³ is %s (X1)', async (pollutant, concentration, band) => {
    expect(
      await value(`api.european_index(${pollutant} => ${asStored(pollutant, concentration)})`),
    ).toBe(band);
  });

  it('the European index rounds half up, and its ends are inclusive (X1)', async () => {
    expect(await value('api.european_index(pm25 => 5.5)')).toBe('fair');
    expect(await value('api.european_index(pm25 => 5.499999)')).toBe('good');
    expect(await value('api.european_index(pm10 => 2000)')).toBe('extremely poor');
    for (const low of [0, -0.4, -10])
      expect(await value(`api.european_index(pm25 => ${low})`)).toBe('good');
  });

  it('the European index is the worst of the pollutants present, and counts gases that the AQI does not (X1, Q4)', async () => {
    expect(await value('api.european_index(5.4, 10, 400, 400 / 1.9125, 900)')).toBe(
      'extremely poor',
    );
    expect(await value('api.european_index(4, 14, 101, 1, 3)')).toBe('moderate');
    // 27.25 µg/m³
    expect(await value('api.european_index(null, null, null, 14.25, 3)')).toBe('moderate');
    expect(await value('api.european_index(null, null, null, 13, 3)')).toBe('fair');
    expect(await value('api.european_index()')).toBeNull();
    expect(await value("api.european_index('NaN', 'Infinity', 1e9)")).toBeNull();
  });

  it('NowCast of the EPA’s example is 17.4 (X2)', async () => {
    expect(await value("api.nowcast('{13, 16, 10, 21, 74, 64, 53, 82, 90, 75, 80, 50}')")).toBe(
      17.4,
    );
  });

  it.each([
    ['{10, 10, null}', 1, 10],
    ['{null, 10, 10}', 1, 10],
    ['{10, null, null, 10, 10, 10}', 1, null],
    ['{null, null, 10}', 1, null],
    ['{}', 1, null],
    ['{0, 0, 0, 0}', 1, 0],
    ['{-1, -2, 0}', 1, 0],
    ['{12.3, 12.3, 12.3, 12.3, 12.3, 12.3, 12.3}', 1, 12.3],
    ['{12.39, 12.39}', 1, 12.3],
    ['{54.99, 54.99}', 0, 54],
    ['{20, 10}', 1, 16.6], // (20 + 0.5 · 10) / 1.5
    ['{20, 0}', 1, 13.3], // the weight is never less than a half
    ['{20, 16}', 1, 18.2], // (20 + 0.8 · 16) / 1.8
    // the thirteenth hour doesn't count
    ['{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 900}', 1, 10],
    ['{NaN, 10, Infinity}', 1, null],
  ])('NowCast of %s, to %d decimals, is %s (X2)', async (hours, digits, expected) => {
    expect(await value(`api.nowcast('${hours}', ${digits})`)).toBe(expected);
  });

  it.each([
    ['{13, 10, 10, 10}', 'rising'],
    ['{12.99, 10, 10, 10}', 'steady'], // less than 3 µg/m³
    ['{7, 10, 10, 10}', 'falling'],
    ['{7.01, 10, 10, 10}', 'steady'],
    ['{110, 100, 100, 100}', 'rising'],
    ['{109.9, 100, 100, 100}', 'steady'], // less than 10 %
    ['{90, 100, 100, 100}', 'falling'],
    ['{33, 30, 30, 30}', 'rising'], // 1.1 * 30 is more than 33 as a float
    ['{6, 1, 2, 6}', 'rising'], // against a mean of 3
    ['{13, null, 10, 10}', 'rising'],
    ['{13, 10, null, null}', null],
    ['{null, 10, 10, 10}', null],
    ['{13, 10, 10, 10, 900}', 'rising'], // the fifth hour doesn't count
    ['{10, 9.5, 9, 8.5, 8, 7.5, 7}', 'rising'], // six small steps in one direction
    ['{7, 7.5, 8, 8.5, 9, 9.5, 10}', 'falling'],
    ['{10, 9.5, 9, 9, 8, 7.5, 7}', 'steady'],
    ['{10, 9.5, 9, 8.5, null, 7.5, 7}', 'steady'],
    ['{10.9, 10.7, 10.6, 10.5, 10.4, 10.3, 10}', 'steady'], // less than 1 µg/m³ in all
    ['{104, 103, 102, 101, 100, 99, 98}', 'steady'], // less than 10 % in all
    ['{3, -8, -8, -8}', 'rising'], // negative means count as 0
    ['{NaN, 10, 10, 10}', null],
    ['{13, Infinity, NaN, 10}', null],
    ['{}', null],
  ])('the trend of %s is %s', async (hours, expected) => {
    expect(await value(`api.trend('${hours}')`)).toBe(expected);
  });

  it('the trend of random hours equals another computation', async () => {
    const random = seeded(51);
    const all = Array.from({ length: 400 }, () => {
      const scale = random.pick([8, 40, 300]);
      return Array.from({ length: random.pick([2, 3, 4, 4, 4, 6]) }, () =>
        random.next() < 0.15 ? null : random.below(scale) - 2,
      );
    });
    const texts = all.map((hours) => `'${arrayLiteral(hours.map((one) => one ?? 'NULL'))}'`);
    const rows = await sql.unsafe(
      `select api.trend(h::float8[]) as value from unnest(array[${texts}]) with ordinality t(h, n) order by n`,
    );
    expect(rows.map(({ value: found }) => found)).toEqual(all.map(trend));
    expect(new Set(rows.map(({ value: found }) => found)).size).toBe(4);
  });

  it('NowCast and the European index of random hours equal another computation (X1, X2)', async () => {
    const random = seeded(25);
    for (let n = 0; n < 100; n++) {
      const scale = random.pick([1, 30, 500]);
      const hours = Array.from({ length: random.pick([0, 2, 11, 12, 12, 12]) }, () =>
        random.next() < 0.2 ? null : random.next() * scale - scale / 50,
      );
      const text = arrayLiteral(hours.map((one) => one ?? 'null'));
      for (const digits of [0, 1]) {
        const [row] = await sql`select api.nowcast(${text}::text::float8[], ${digits}) as value`;
        expect(row?.value, `${text} to ${digits}`).toBe(nowcast(hours, digits));
      }
      const given = POLLUTANTS.map((one) =>
        random.next() < 0.3 ? null : ([one, random.next() * 300] as const),
      );
      const args = given.filter((one) => one !== null);
      const call = args.map(([name, mean]) => `${name} => ${mean}`).join(', ');
      const worst = Math.max(...args.map(([name, mean]) => bandOf(name, mean)));
      expect(await value(`api.european_index(${call})`), call).toBe(BANDS[worst] ?? null);
    }
  });
});
