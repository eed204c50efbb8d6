/** The documents that compare a station or a region with the limits of the EU. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EU_LIMITS } from '../../src/contract/limits.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  type Body,
  citiesOfOneStation,
  type Installation,
  install,
  reading,
  type Values,
} from '../support/installation.ts';

const BASE = '/en/explore/v1';
const HOUR = 3_600_000;
const NOW = new Date('2026-11-20T12:00:00Z');
const NOTHING = {
  'pm2.5': { mean: null, days: 0, days_above: 0 },
  pm10: { mean: null, days: 0, days_above: 0 },
  no2: { mean: null, days: 0, days_above: 0, hours: 0, hours_above: 0 },
  so2: { mean: null, days: 0, days_above: 0, hours: 0, hours_above: 0 },
  o3: { days: 0, days_above: 0 },
};

/** One reading for each hour from `since` on; null: none. */
const hours = (since: string, values: readonly (Values | null)[]) =>
  values.flatMap((one, n) =>
    one === null ? [] : [reading(1, Date.parse(since) + n * HOUR + 600_000, one)],
  );
const ozone = (since: string, ...values: (number | null)[]) =>
  hours(
    since,
    values.map((o3) => (o3 === null ? null : { o3 })),
  );
const times = <T>(n: number, value: T): T[] => Array<T>(n).fill(value);

it('the limits are those of Directive (EU) 2024/2881, Annex I', () => {
  const from = '2030-01-01';
  const rows = EU_LIMITS.map((one) => [
    one.parameter,
    one.period,
    one.limit,
    one.allowed,
    one.from,
  ]);
  expect(rows).toEqual([
    ['pm25', 'day', 25, 18, from],
    ['pm25', 'year', 10, 0, from],
    ['pm10', 'day', 45, 18, from],
    ['pm10', 'year', 20, 0, from],
    ['no2', 'hour', 200, 3, from],
    ['no2', 'day', 50, 18, from],
    ['no2', 'year', 20, 0, from],
    ['so2', 'hour', 350, 3, from],
    ['so2', 'day', 50, 18, from],
    ['so2', 'year', 20, 0, from],
    ['o3', '8 hours', 120, 18, from],
  ]);
});

onEveryEngineInAll('the limits of the EU', (engine) => {
  let here: Installation;
  beforeEach(async () => {
    here = await install(engine, citiesOfOneStation(['town', 'empty']));
  });
  afterEach(() => here.close());

  /** The limits of the station, which are those of its city. */
  async function limits(now = NOW): Promise<Body> {
    await here.refresh(now);
    const station = await here.get(`${BASE}/station/1/limits.json`, now);
    expect(await here.get(`${BASE}/region/town/limits.json`, now)).toEqual(station);
    return station;
  }

  it('days are compared with the limits of a day before rounding, and a value at the limit is not above it', async () => {
    await here.accept([
      ...hours('2026-11-15T20:00Z', times(24, { pm25: 25, pm10: 46, so2: 50 })),
      // NO2 is 50.1 µg/m³ (S6)
      ...hours('2026-11-16T20:00Z', times(17, { pm25: 26, pm10: 44, no2: 26.2, so2: 50.03 })),
      ...hours('2026-11-17T20:00Z', [{ no2: 20 }]),
    ]);
    expect(await limits()).toEqual({
      'pm2.5': { mean: 25.5, days: 2, days_above: 1 },
      pm10: { mean: 45, days: 2, days_above: 1 },
      no2: { mean: 44.2, days: 2, days_above: 1, hours: 18, hours_above: 0 },
      so2: { mean: 50, days: 2, days_above: 1, hours: 41, hours_above: 0 },
      o3: { days: 0, days_above: 0 },
    });
    expect(await limits(new Date('2028-01-01T00:00:00Z'))).toEqual(NOTHING);
  });

  it('hours of NO2 and SO2 are compared with the limits of an hour, NO2 in µg/m³ (S6)', async () => {
    await here.accept(
      hours('2026-11-15T20:00Z', [
        { no2: 104.57, so2: 350 }, // 199.99 µg/m³
        { no2: 104.58, so2: 350.01 }, // 200.01 µg/m³
        { no2: 300 },
        { so2: 400 },
      ]),
    );
    expect(await limits()).toMatchObject({
      no2: { hours: 3, hours_above: 2, days: 1, days_above: 1 },
      so2: { hours: 3, hours_above: 2, days: 1, days_above: 1 },
    });
  });

  it('the 365 completed days begin and end at local midnight, hours and ozone included (Z3)', async () => {
    const before = '2025-11-19T13:00Z'; // 17:00 of the day before the first
    await here.accept([
      ...hours(before, times(7, { no2: 300, o3: 130 })),
      ...hours('2025-11-19T20:00Z', [{ no2: 300 }]),
      ...hours('2026-11-19T19:00Z', [{ no2: 300 }]),
      ...hours('2026-11-19T20:00Z', times(8, { no2: 300, o3: 500 })), // today
    ]);
    const { no2, o3 } = await limits();
    expect(no2).toMatchObject({ hours: 2, hours_above: 2, days: 2 });
    // the mean from 17:00 to 01:00 ends on the first day
    expect(o3).toEqual({ days: 1, days_above: 1 });
  });

  it.each([
    [
      'a mean of eight hours belongs to the day on which it ends',
      // from 10:00 on: the best one that ends by midnight is 113.75
      ozone('2026-11-17T06:00Z', ...times(7, 0), ...times(7, 130), 130),
      { days: 2, days_above: 1 },
    ],
    [
      'a mean of eight hours that ends at midnight belongs to the day before',
      ozone('2026-11-19T04:00Z', ...times(8, 0), ...times(8, 130)),
      { days: 1, days_above: 1 },
    ],
    [
      'a mean of eight hours is not of nine',
      ozone('2026-11-17T00:00Z', 0, 0, ...times(8, 130), 0, 0),
      { days: 1, days_above: 1 },
    ],
    [
      'a mean of eight hours at the target value is not above it',
      ozone('2026-11-17T00:00Z', ...times(4, 110), ...times(4, 130), 0, 0),
      { days: 1, days_above: 0 },
    ],
    [
      'six of eight hours make a mean',
      ozone('2026-11-17T00:00Z', 120.5, null, 120, 120, null, 120, 120, 120),
      { days: 1, days_above: 1 },
    ],
    [
      'five of eight hours make no mean',
      ozone('2026-11-17T00:00Z', 130, null, 130, null, null, 130, 130, 130),
      { days: 0, days_above: 0 },
    ],
    [
      'a mean of eight hours may end with hours that are absent',
      ozone('2026-11-17T00:00Z', 0, 0, ...times(6, 130)),
      { days: 1, days_above: 1 },
    ],
    [
      'a mean of eight hours that ends on the first day may have its hours on the day before',
      ozone('2025-11-19T13:00Z', ...times(7, 130)),
      { days: 1, days_above: 1 },
    ],
    [
      'a day counts once, by its highest mean of eight hours',
      ozone('2026-11-16T20:00Z', ...times(8, 130), ...times(8, 0), ...times(6, 130), 0, 0),
      { days: 2, days_above: 1 },
    ],
  ])('%s', async (_, readings, expected) => {
    await here.accept(readings);
    expect((await limits()).o3).toEqual(expected);
  });

  it('a station without any reading has no value, and an unknown one is 404', async () => {
    await limits();
    expect(await here.get(`${BASE}/station/2/limits.json`, NOW)).toEqual(NOTHING);
    await expect(here.get(`${BASE}/station/9/limits.json`, NOW)).rejects.toThrow(
      /404.*no station 9\b/,
    );
    await expect(here.get(`${BASE}/region/nowhere/limits.json`, NOW)).rejects.toThrow(
      /404.*no region/,
    );
  });
});

onEveryEngineInAll('the limits of the EU where the clocks change', (engine) => {
  it('eight hours are eight hours also where the clocks skip one', async () => {
    const zone = 'Europe/Berlin';
    const here = await install(engine, citiesOfOneStation(['town'], { timeZone: zone }), zone);
    // 00:00, 01:00, 03:00 to 08:00: their mean is 120, and without the first one it would be 130
    await here.accept(ozone('2026-03-28T23:00Z', 50, ...times(7, 130), 0));
    const now = new Date('2026-03-31T12:00:00Z');
    await here.refresh(now);
    const { o3 } = await here.get(`${BASE}/station/1/limits.json`, now);
    expect(o3).toEqual({ days: 1, days_above: 0 });
    await here.close();
  });
});
