/** The documents that compare a station or a region with the limits of the EU. */
import { beforeAll, expect, it } from 'vitest';
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

type Hours = (readonly [at: number, values: Values])[];
/** One reading for each hour from `since` on; null: none. */
const hours = (since: string, values: readonly (Values | null)[]): Hours =>
  values.flatMap((one, n) =>
    one === null ? [] : [[Date.parse(since) + n * HOUR + 600_000, one] as const],
  );
const ozone = (since: string, ...values: (number | null)[]) =>
  hours(
    since,
    values.map((o3) => (o3 === null ? null : { o3 })),
  );
const times = <T>(n: number, value: T): T[] => Array<T>(n).fill(value);
/** Hours from midnight on, of that many days from a local date on. */
const days = (first: string, count: number, hoursOfDay: number, pm25: number) =>
  Array.from({ length: count }, (_, n) =>
    hours(
      new Date(Date.parse(`${first}T00:00+04:00`) + n * 24 * HOUR).toISOString(),
      times(hoursOfDay, { pm25, pm10: 20.04 }),
    ),
  ).flat();

const FEW = { mean_limit: 10, mean_verdict: 'insufficient_data', days_limit: 25, days_allowed: 18 };

/** Each is a city of one station: what holds, its readings, and its limits now. */
const PLACES: readonly (readonly [what: string, measured: Hours, expected: object])[] = [
  [
    'days are compared with the limits of a day before rounding, and a value at the limit is not above it',
    [
      ...hours('2026-11-15T20:00Z', times(24, { pm25: 25, pm10: 46, so2: 50 })),
      // NO2 is 50.1 µg/m³ (S6)
      ...hours('2026-11-16T20:00Z', times(17, { pm25: 26, pm10: 44, no2: 26.2, so2: 50.03 })),
      ...hours('2026-11-17T20:00Z', [{ no2: 20 }]),
    ],
    {
      'pm2.5': { mean: 25.5, days: 2, complete_days: 1, days_above: 1 },
      pm10: { mean: 45, days: 2, days_above: 1 },
      no2: { mean: 44.2, days: 2, days_above: 1, hours: 18, hours_above: 0 },
      so2: { mean: 50, days: 2, days_above: 1, hours: 41, hours_above: 0 },
      o3: { days: 0, days_above: 0 },
    },
  ],
  [
    'hours of NO2 and SO2 are compared with the limits of an hour, NO2 in µg/m³ (S6)',
    hours('2026-11-15T20:00Z', [
      { no2: 104.57, so2: 350 }, // 199.99 µg/m³
      { no2: 104.58, so2: 350.01 }, // 200.01 µg/m³
      { no2: 300 },
      { so2: 400 },
    ]),
    {
      no2: { hours: 3, hours_above: 2, days: 1, days_above: 1 },
      so2: { hours: 3, hours_above: 2, days: 1, days_above: 1 },
    },
  ],
  [
    'the 365 completed days begin and end at local midnight, hours and ozone included (Z3)',
    [
      // from 17:00 of the day before the first; the mean from then to 01:00 ends on the first day
      ...hours('2025-11-19T13:00Z', times(7, { no2: 300, o3: 130 })),
      ...hours('2025-11-19T20:00Z', [{ no2: 300 }]),
      ...hours('2026-11-19T19:00Z', [{ no2: 300 }]),
      ...hours('2026-11-19T20:00Z', times(8, { no2: 300, o3: 500 })), // today
    ],
    { no2: { hours: 2, hours_above: 2, days: 2 }, o3: { days: 1, days_above: 1 } },
  ],
  [
    'a mean of eight hours belongs to the day on which it ends',
    // from 10:00 on: the best one that ends by midnight is 113.75
    ozone('2026-11-17T06:00Z', ...times(7, 0), ...times(7, 130), 130),
    { o3: { days: 2, days_above: 1 } },
  ],
  [
    'a mean of eight hours that ends at midnight belongs to the day before',
    ozone('2026-11-19T04:00Z', ...times(8, 0), ...times(8, 130)),
    { o3: { days: 1, days_above: 1 } },
  ],
  [
    'a mean of eight hours is not of nine',
    ozone('2026-11-17T00:00Z', 0, 0, ...times(8, 130), 0, 0),
    { o3: { days: 1, days_above: 1 } },
  ],
  [
    'a mean of eight hours at the target value is not above it',
    ozone('2026-11-17T00:00Z', ...times(4, 110), ...times(4, 130), 0, 0),
    { o3: { days: 1, days_above: 0 } },
  ],
  [
    'six of eight hours make a mean',
    ozone('2026-11-17T00:00Z', 120.5, null, 120, 120, null, 120, 120, 120),
    { o3: { days: 1, days_above: 1 } },
  ],
  [
    'five of eight hours make no mean',
    ozone('2026-11-17T00:00Z', 130, null, 130, null, null, 130, 130, 130),
    { o3: { days: 0, days_above: 0 } },
  ],
  [
    'a mean of eight hours may end with hours that are absent',
    ozone('2026-11-17T00:00Z', 0, 0, ...times(6, 130)),
    { o3: { days: 1, days_above: 1 } },
  ],
  [
    'a day counts once, by its highest mean of eight hours',
    ozone('2026-11-16T20:00Z', ...times(8, 130), ...times(8, 0), ...times(6, 130), 0, 0),
    { o3: { days: 2, days_above: 1 } },
  ],
  [
    'as many days above a limit as are allowed leave it open, where few were measured',
    days('2026-10-01', 18, 1, 26),
    { 'pm2.5': { ...FEW, days_above: 18, days_verdict: 'insufficient_data' } },
  ],
  [
    'more days above a limit than are allowed exceed it, however few were measured',
    days('2026-10-01', 19, 1, 26),
    { 'pm2.5': { ...FEW, days_above: 19, days_verdict: 'exceeded' } },
  ],
  [
    'a station without any reading has no value',
    [],
    Object.fromEntries(
      ['pm2.5', 'pm10', 'no2', 'so2'].map((key) => [key, { mean: null, days: 0, days_above: 0 }]),
    ),
  ],
];

/** Days above the limit at the turn of a year, and the same with one more day before it. */
const TURN = [
  ...days('2025-01-01', 5, 18, 30),
  ...days('2025-01-06', 3, 18, 3),
  ...days('2025-01-11', 9, 18, 30), // later in the year than now
  ...days('2026-01-01', 3, 18, 30),
  ...days('2026-01-04', 7, 18, 3),
];
const OTHERS = [
  TURN,
  [...TURN, ...days('2025-01-09', 1, 18, 3)],
  [...days('2026-01-13', 1, 17, 10.2), ...days('2026-01-14', 311, 18, 10.2)],
];
const TURNING = PLACES.length + 1;
const [TURNED, WHOLE] = [TURNING + 1, TURNING + 2] as const;

it('the limits are those of Directive (EU) 2024/2881, Annex I', () => {
  const rows = EU_LIMITS.map((one) => [one.parameter, one.period, one.limit, one.allowed]);
  expect(rows).toEqual([
    ['pm25', 'day', 25, 18],
    ['pm25', 'year', 10, 0],
    ['pm10', 'day', 45, 18],
    ['pm10', 'year', 20, 0],
    ['no2', 'hour', 200, 3],
    ['no2', 'day', 50, 18],
    ['no2', 'year', 20, 0],
    ['so2', 'hour', 350, 3],
    ['so2', 'day', 50, 18],
    ['so2', 'year', 20, 0],
    ['o3', '8 hours', 120, 18],
  ]);
  expect(new Set(EU_LIMITS.map(({ from }) => from))).toEqual(new Set(['2030-01-01']));
});

onEveryEngineInAll('the limits of the EU', (engine) => {
  const slugOf = (n: number) => `city-${String.fromCharCode(96 + n)}`;
  let here: Installation;
  beforeAll(async () => {
    const all = [...PLACES.map(([, measured]) => measured), ...OTHERS];
    here = await install(engine, citiesOfOneStation(all.map((_, n) => slugOf(n + 1))));
    await here.accept(
      all.flatMap((measured, n) => measured.map(([at, values]) => reading(n + 1, at, values))),
    );
    await here.refresh(new Date('2027-01-15T12:00Z'));
    return () => here.close();
  });

  /** The limits of the station, which are those of its city. */
  async function limits(place: number, now = NOW, name = 'limits'): Promise<Body> {
    const station = await here.get(`${BASE}/station/${place}/${name}.json`, now);
    expect(await here.get(`${BASE}/region/${slugOf(place)}/${name}.json`, now)).toEqual(station);
    return station;
  }
  const ofYear = (place: number, year: number, now: Date) => limits(place, now, `limits/${year}`);

  it.each(PLACES.map(([what, , expected], n) => [what, n + 1, expected] as const))(
    '%s',
    async (_, place, expected) => {
      expect(await limits(place)).toMatchObject(expected);
    },
  );

  it('days that are long over count no more', async () => {
    const later = await limits(1, new Date('2028-01-01T00:00:00Z'));
    expect(later['pm2.5']).toMatchObject({ mean: null, days: 0, days_above: 0 });
    expect(later.no2).toMatchObject({ mean: null, days: 0, hours: 0, hours_above: 0 });
  });

  it('a year has a mean, and keeps a limit, from 85 % of its days on, each of 18 hours, when it is over', async () => {
    const over = { mean: 10.2, mean_verdict: 'exceeded', days_verdict: 'kept' };
    const unknown = { mean_verdict: 'insufficient_data', days_verdict: 'insufficient_data' };
    const days365 = await limits(WHOLE, new Date('2027-01-12T12:00Z'));
    expect(days365).toMatchObject({ first_day: '2026-01-12', last_day: '2027-01-11' });
    expect(days365['pm2.5']).toMatchObject({ ...over, days: 312, complete_days: 311 });
    const later = await limits(WHOLE, new Date('2027-01-15T12:00Z'));
    expect(later['pm2.5']).toMatchObject({ ...unknown, days: 310 });
    expect(await ofYear(WHOLE, 2026, new Date('2027-01-01T12:00Z'))).toMatchObject({
      ...{ year: 2026, last_day: '2026-12-31', expected_days: 365 },
      'pm2.5': { ...over, days_change: null },
      pm10: { mean: 20, mean_limit: 20, mean_verdict: 'kept' },
    });
    expect(await ofYear(WHOLE, 2026, NOW)).toMatchObject({
      ...{ last_day: '2026-11-19', expected_days: 323, expected_hours: 323 * 24 },
      'pm2.5': { mean_verdict: 'running', days_verdict: 'running' },
    });
    expect(await ofYear(WHOLE, 2027, new Date('2027-01-01T12:00Z'))).toMatchObject({
      ...{ first_day: '2027-01-01', last_day: null, expected_days: 0 },
      'pm2.5': { days: 0, days_verdict: 'running' },
    });
    await expect(ofYear(WHOLE, 2028, NOW)).rejects.toThrow(/404.*2028 has not begun/);
  });

  it('days above the limit are compared with the same days of the year before, if both were measured', async () => {
    for (const [place, change] of [
      [TURNING, null],
      [TURNED, -2],
    ] as const) {
      const { 'pm2.5': pm25 } = await ofYear(place, 2026, new Date('2026-01-11T12:00Z'));
      expect([pm25.days_above, pm25.days_change]).toEqual([3, change]);
    }
  });

  it('eight hours are eight hours also where the clocks skip one', async () => {
    const zone = 'Europe/Berlin';
    const berlin = await install(engine, citiesOfOneStation(['town'], { timeZone: zone }), zone);
    // 00:00, 01:00, 03:00 to 08:00: their mean is 120, and without the first one it would be 130
    const measured = ozone('2026-03-28T23:00Z', 50, ...times(7, 130), 0);
    await berlin.accept(measured.map(([at, values]) => reading(1, at, values)));
    const now = new Date('2026-03-31T12:00:00Z');
    await berlin.refresh(now);
    const { o3 } = await berlin.get(`${BASE}/station/1/limits.json`, now);
    expect(o3).toMatchObject({ days: 1, days_above: 0 });
    await berlin.close();
  });
});
