/** The arithmetic in SQL, with the rules' reference values. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { isAll, onOneEngine, type TestDatabase, testDatabase } from '../support/database.ts';

/** Concentrations and their indices. */
const pairsOf = (text: string) => text.split(' ').map((pair) => pair.split(':').map(Number));
const PM25_TO_AQI = pairsOf(
  '0:0 2.2:12 5:28 9:50 9.1:51 12:56 35.4:100 35.5:101 55.4:150 55.5:151 89.9:175 ' +
    '125.4:200 125.5:201 225.4:300 225.5:301 325.4:500 400:649 500:848 -3:0 9.04:50 ' +
    '9.05:51',
);
const PM10_TO_AQI = pairsOf(
  '27:25 54:50 55:51 154:100 155:101 254:150 354:200 355:201 424:300 425:301 604:500 ' +
    '1000:940 54.94:50 54.95:51 -1:0',
);

onOneEngine('arithmetic', (engine) => {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await testDatabase(engine);
    sql = database.as();
  });
  afterAll(() => database.drop());

  const value = async (expression: string) =>
    (await sql.unsafe(`select ${expression} as value`))[0]?.value;

  it('PM2.5 and PM10 have the AQI of the reference values (Q1, Q2)', async () => {
    const of25 = PM25_TO_AQI.map(([pm25]) => value(`rollup.aqi(${pm25}, null)`));
    expect(await Promise.all(of25)).toEqual(PM25_TO_AQI.map(([, aqi]) => aqi));
    const of10 = PM10_TO_AQI.map(([pm10]) => value(`rollup.aqi(null, ${pm10})`));
    expect(await Promise.all(of10)).toEqual(PM10_TO_AQI.map(([, aqi]) => aqi));
  });

  it.each([
    [10, 50, 6.68],
    [30, 50, 17.16],
    [40, 50, 27.64],
    [50, 50, 40.74],
    [100, 50, 80.04],
    [210, 50, 166.5],
    [235, 50, 200.042],
    [260, 50, 242.124],
    [300, 50, 289.526],
    [2, 90, 0],
  ])(
    'epa-2021 corrects PM2.5 of %d at a humidity of %d %% to %d (S5)',
    async (pm, humidity, corrected) => {
      expect(await value(`rollup.corrected('epa-2021', ${pm}, ${humidity})`)).toBeCloseTo(
        corrected,
        3,
      );
    },
  );

  it('the AQI is the larger of the two, and null without either (Q1)', async () => {
    expect(await value('rollup.aqi(9, 154)')).toBe(100);
    expect(await value('rollup.aqi(35.4, 27)')).toBe(100);
    expect(await value('rollup.aqi(null, null)')).toBeNull();
  });

  it('published values are rounded half away from zero, never to -0, and particles never below 0', async () => {
    expect(await value('logic.published(2.5, 0)')).toBe(3);
    expect(await value('logic.published(-2.5, 0)')).toBe(-3);
    expect(await value('logic.published(0.25, 1)')).toBe(0.3);
    expect(Object.is(await value('logic.published(-0.04, 1)'), 0)).toBe(true);
    expect(Object.is(await value('logic.published_non_negative(-0.04, 1)'), 0)).toBe(true);
    expect(await value('logic.published_non_negative(null, 1)')).toBeNull();
  });

  it('published values are rounded as type numeric rounds: any value, ties, and the floats beside a tie', async () => {
    const [points, ties] = isAll ? [10_000, 8_000] : [2_000, 1_000];
    const [compared] = await sql`
      with point as (
        select ((n * 2654435761) % 1000003 / 1000003.0 - 0.5)::float8 * 10 ^ ((n * 40503) % 1300 / 100.0 - 4)::float8 as value
        from generate_series(1, ${points}::bigint) n
        union all select n / 1000.0::float8 from generate_series(-${ties}::int, ${ties}::int) n
      ), value as (
        select value * (1 + off * 2.2e-16::float8) as value from point, generate_series(-4, 4) off
        union all select unnest(array[0, -0.0, 1e-300, 999999999.95]::float8[])
      )
      select count(*) filter (where logic.published(value, digits)::text is distinct from round(value::numeric, digits)::float8::text
          or logic.published_non_negative(value, digits) is distinct from greatest(round(value::numeric, digits)::float8, 0))::int as wrong,
        count(distinct value)::int as values
      from value, generate_series(0, 2) digits`;
    expect(compared?.wrong).toBe(0);
    expect(compared?.values).toBeGreaterThan(isAll ? 200_000 : 30_000);
  });

  it('a value that no measurement can give is not published, and left out of the AQI', async () => {
    for (const impossible of ["'NaN'", "'Infinity'", "'-Infinity'", '1e9', '-1e9', '1e308']) {
      expect(await value(`logic.possible(${impossible})`), impossible).toBeNull();
      expect(await value(`logic.published(${impossible}, 1)`), impossible).toBeNull();
      expect(await value(`logic.published_non_negative(${impossible}, 1)`), impossible).toBeNull();
      expect(await value(`logic.wind_degrees(${impossible}, 0)`), impossible).toBeNull();
      expect(await value(`logic.wind_degrees(0, ${impossible})`), impossible).toBeNull();
      expect(await value(`rollup.aqi(${impossible}, ${impossible})`), impossible).toBeNull();
      expect(await value(`rollup.aqi(5, ${impossible})`), impossible).toBe(28);
      expect(await value(`rollup.corrected('epa-2021', ${impossible}, 50)`), impossible).toBeNull();
      expect(await value(`rollup.corrected('epa-2021', 10, ${impossible})`), impossible).toBeNull();
    }
  });

  it('two values are the same if they differ by rounding only (A10)', async () => {
    const all = ['0', '1', '-1', '1e308', '-1e308', "'NaN'", "'Infinity'", "'-Infinity'", 'null'];
    for (const a of all) {
      for (const b of all) expect(await value(`logic.same(${a}, ${b})`), `${a} ${b}`).toBe(a === b);
    }
    expect(await value('logic.same(1e6, 1e6 + 9e-4)')).toBe(true);
    expect(await value('logic.same(1e6, 1e6 + 2e-3)')).toBe(false);
    expect(await value('logic.same(0, 9e-10)')).toBe(true);
    expect(await value('logic.same(0, 2e-9)')).toBe(false);
  });

  it('the mean of 350° and 10° is 0°, and opposite winds have none (A7)', async () => {
    expect(
      await value(
        'logic.published(logic.wind_degrees(sind(350) + sind(10), cosd(350) + cosd(10)), 0)::int % 360',
      ),
    ).toBe(0);
    expect(
      await value('logic.wind_degrees(sind(90) + sind(270), cosd(90) + cosd(270))'),
    ).toBeNull();
    expect(await value('logic.wind_degrees(-1, 0)')).toBe(270);
    expect(await value('logic.published_direction(sind(359.7), cosd(359.7))')).toBe(0);
  });

  it('a direction is named by the nearest of sixteen compass points (C3)', async () => {
    const labels = [0, 11.24, 11.26, 45, 348.7, 348.8, 359.9].map((degrees) =>
      value(`api.compass(${degrees})`),
    );
    expect((await Promise.all(labels)).join(' ')).toBe('N N NNE NE NNW N N');
    expect(await value('api.compass(null)')).toBeNull();
  });
});
