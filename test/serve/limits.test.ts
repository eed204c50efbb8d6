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
    expect(await limits()).toMatchObject({
      'pm2.5': { mean: 25.5, days: 2, complete_days: 1, days_above: 1 },
      pm10: { mean: 45, days: 2, days_above: 1 },
      no2: { mean: 44.2, days: 2, days_above: 1, hours: 18, hours_above: 0 },
      so2: { mean: 50, days: 2, days_above: 1, hours: 41, hours_above: 0 },
      o3: { days: 0, days_above: 0 },
    });
    expect(await limits(new Date('2028-01-01T00:00:00Z'))).toMatchObject(NOTHING);
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
    expect(o3).toMatchObject({ days: 1, days_above: 1 });
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
    expect((await limits()).o3).toMatchObject(expected);
  });

  /** Hours from midnight on, of that many days from a local date on. */
  const days = (first: string, count: number, hoursOfDay: number, pm25: number) =>
    Array.from({ length: count }, (_, n) =>
      hours(
        new Date(Date.parse(`${first}T00:00+04:00`) + n * 24 * HOUR).toISOString(),
        times(hoursOfDay, { pm25, pm10: 20.04 }),
      ),
    ).flat();

  it('more days above a limit than are allowed exceed it, however few were measured', async () => {
    await here.accept(days('2026-10-01', 18, 1, 26));
    const few = { mean_limit: 10, mean_verdict: 'insufficient_data', days_limit: 25 };
    expect((await limits())['pm2.5']).toMatchObject({
      ...few,
      days_above: 18,
      days_allowed: 18,
      days_verdict: 'insufficient_data',
    });
    await here.accept(days('2026-11-01', 1, 1, 26));
    expect((await limits())['pm2.5']).toMatchObject({
      ...few,
      days_above: 19,
      days_verdict: 'exceeded',
    });
  });

  it('a year has a mean, and keeps a limit, from 85 % of its days on, each of 18 hours, when it is over', async () => {
    await here.accept([...days('2026-01-13', 1, 17, 10.2), ...days('2026-01-14', 311, 18, 10.2)]);
    const over = { mean: 10.2, mean_verdict: 'exceeded', days_verdict: 'kept' };
    const unknown = { mean_verdict: 'insufficient_data', days_verdict: 'insufficient_data' };
    const days365 = await limits(new Date('2027-01-12T12:00Z'));
    expect(days365).toMatchObject({ first_day: '2026-01-12', last_day: '2027-01-11' });
    expect(days365['pm2.5']).toMatchObject({ ...over, days: 312, complete_days: 311 });
    const later = await limits(new Date('2027-01-15T12:00Z'));
    expect(later['pm2.5']).toMatchObject({ ...unknown, days: 310 });
    const ofYear = async (year: number, now: Date) =>
      await here.get(`${BASE}/region/town/limits/${year}.json`, now);
    expect(await ofYear(2026, new Date('2027-01-01T12:00Z'))).toMatchObject({
      year: 2026,
      last_day: '2026-12-31',
      expected_days: 365,
      'pm2.5': { ...over, days_change: null },
      pm10: { mean: 20, mean_limit: 20, mean_verdict: 'kept' },
    });
    expect(await ofYear(2026, NOW)).toMatchObject({
      last_day: '2026-11-19',
      expected_days: 323,
      expected_hours: 323 * 24,
      'pm2.5': { mean_verdict: 'running', days_verdict: 'running' },
    });
    expect(await ofYear(2027, new Date('2027-01-01T12:00Z'))).toMatchObject({
      first_day: '2027-01-01',
      last_day: null,
      expected_days: 0,
      'pm2.5': { days: 0, days_verdict: 'running' },
    });
    await expect(ofYear(2028, NOW)).rejects.toThrow(/404.*2028 has not begun/);
  });

  it('days above the limit are compared with the same days of the year before, if both were measured', async () => {
    const now = new Date('2026-01-11T12:00Z');
    await here.accept([
      ...days('2025-01-01', 5, 18, 30),
      ...days('2025-01-06', 3, 18, 3),
      ...days('2025-01-11', 9, 18, 30), // later in the year than now
      ...days('2026-01-01', 3, 18, 30),
      ...days('2026-01-04', 7, 18, 3),
    ]);
    const change = async () => {
      await here.refresh(now);
      const { 'pm2.5': pm25 } = await here.get(`${BASE}/station/1/limits/2026.json`, now);
      return [pm25.days_above, pm25.days_change];
    };
    expect(await change()).toEqual([3, null]);
    await here.accept(days('2025-01-09', 1, 18, 3));
    expect(await change()).toEqual([3, -2]);
  });

  it('a station without any reading has no value, and an unknown one is 404', async () => {
    await limits();
    expect(await here.get(`${BASE}/station/2/limits.json`, NOW)).toMatchObject(NOTHING);
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
    expect(o3).toMatchObject({ days: 1, days_above: 0 });
    await here.close();
  });
});
