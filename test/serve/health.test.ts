/**
 * A region's WHO figures and cigarettes (W1 to W4), each exactly at its bound and one step beside
 * it. Every row is a separate city with one station and its readings; the zone has daylight saving
 * time.
 */
import { beforeAll, expect, it } from 'vitest';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  type Body,
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { instantOf } from '../support/localTime.ts';

const ZONE = 'Europe/Berlin';
const HOUR = 3_600_000;
/** A full hour, four weeks after a change of the clocks. */
const NOW = Date.parse('2026-11-20T12:00:00+01:00');
const MIDNIGHT = instantOf(ZONE, 2026, 11, 21);

/** Time and value of a reading. */
type Pm25 = readonly [at: number, value: number];

const at = (instant: number, value: number): Pm25[] => [[instant, value]];
/** The middle of an hour, counted back from the current one: 1 is the last closed hour. */
const hours = (from: number, to: number, value: number): Pm25[] =>
  Array.from({ length: to - from + 1 }, (_, n) => [NOW - (from + n) * HOUR + HOUR / 2, value]);
/** Midnight of the day that many days before today. */
const midnight = (daysAgo: number) => instantOf(ZONE, 2026, 11, 20 - daysAgo);
/** One reading per hour of that day, from noon on. */
const day = (daysAgo: number, ...values: number[]): Pm25[] =>
  values.map((value, n) => [midnight(daysAgo) + (12 + n) * HOUR, value]);

const daily = 'who_daily_pm2.5';
const yearly = 'who_year_pm2.5';
const exceedanceDays = 'who_pm2.5_exceedance_days';
const mostlyTooHigh = 900;

type Check = readonly [at: number, expected: object];
type Row = readonly [title: string, measured: Pm25[], checks: readonly Check[]];
const now = (expected: object): Check[] => [[NOW, expected]];
/** What holds a millisecond before an instant, and from it on. */
const turning = (at: number, before: object, after: object): Check[] => [
  [at - 1, before],
  [at, after],
];
const cigarettes = (count: number) => ({ month_cigarettes: count });
const above = (mean: number, count: number) => ({ [yearly]: mean, [exceedanceDays]: count });

const ROWS: readonly Row[] = [
  ['W1: 17 of 24 closed hours are not enough', hours(1, 17, 20), now({ [daily]: null })],
  [
    'W1: the daily mean is of 24 closed hours, not of 12 or 25, without the current one',
    [
      ...[...hours(0, 0, mostlyTooHigh), ...hours(25, 25, mostlyTooHigh)],
      ...[...hours(1, 12, 10), ...hours(13, 24, 30)],
    ],
    now({ [daily]: 20 }),
  ],
  [
    'W1: the 24th hour counts until the next one has closed; 18 hours are enough',
    hours(7, 24, 20),
    turning(NOW + HOUR, { [daily]: 20 }, { [daily]: null }),
  ],

  [
    'W2: the first instant of the 365th day counts, the millisecond before does not',
    [...at(midnight(365) - 1, mostlyTooHigh), ...at(midnight(365), 20)],
    now(above(20, 1)),
  ],
  [
    'W2: the last millisecond of yesterday counts, the first of today does not',
    [...at(midnight(0) - 1, 20), ...at(midnight(0), mostlyTooHigh)],
    now(above(20, 1)),
  ],
  [
    'W2: at midnight today takes the place of the 365th day',
    [...day(365, 20), ...day(0, 40)],
    turning(MIDNIGHT, { [yearly]: 20 }, { [yearly]: 40 }),
  ],
  [
    'W2: the yearly mean is of day means, and a day whose mean is exactly 15 is no exceedance day',
    [...day(1, 10), ...day(2, 20, 20, 20), ...day(3, 15), ...day(4, 10, 20)],
    now(above(15, 1)),
  ],
  ['W2: a day of 15.01 exceeds, though it is published as 15', day(1, 15.01), now(above(15, 1))],
  [
    'W2: without data there are 0 exceedance days',
    [],
    now({ [yearly]: null, [exceedanceDays]: 0, month_cigarettes: null }),
  ],

  [
    'W3: a daily mean of 17.25 is exactly 15 % over and no exceedance, though it is published as 17.3',
    hours(1, 24, 17.25),
    now({ [daily]: 17.3, who_daily_exceedance: null }),
  ],
  [
    'W3: a daily mean of 17.26 is an exceedance',
    hours(1, 24, 17.26),
    now({ [daily]: 17.3, who_daily_exceedance: 1.2 }),
  ],
  ['W3: 1.249 times is published as 1.2', hours(1, 24, 18.74), now({ who_daily_exceedance: 1.2 })],
  [
    'W3: a yearly mean of 5.75 is exactly 15 % over and no exceedance',
    day(1, 5.75),
    now({ [yearly]: 5.8, who_yearly_exceedance: null }),
  ],
  [
    'W3: a yearly mean of 5.76 is an exceedance',
    day(1, 5.76),
    now({ [yearly]: 5.8, who_yearly_exceedance: 1.2 }),
  ],

  [
    'W4: the first instant of the 30th day counts; the millisecond before and today do not',
    [[midnight(30) - 1, mostlyTooHigh], [midnight(30), 22], ...day(0, mostlyTooHigh)],
    now(cigarettes(30)),
  ],
  [
    'W4: at midnight today takes the place of the 30th day',
    [...day(30, 22), ...day(0, 44)],
    turning(MIDNIGHT, cigarettes(30), cigarettes(60)),
  ],
  [
    'W4: cigarettes are counted from the mean of day means, not of hours',
    [...day(1, 11), ...day(2, 33, 33, 33)],
    now(cigarettes(30)),
  ],
  ['W4: 11.25 cigarettes are published as 11.3', day(1, 8.25), now(cigarettes(11.3))],
];

/** Slugs consist of letters. */
const slugOf = (row: number) =>
  `city-${String.fromCharCode(97 + Math.floor(row / 26), 97 + (row % 26))}`;

onEveryEngineInAll('health figures of a region', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    const slugs = ROWS.map((_, row) => slugOf(row));
    here = await install(engine, citiesOfOneStation(slugs, { timeZone: ZONE }), ZONE);
    await here.accept(
      ROWS.flatMap(([, measured], row) =>
        measured.map(([at, pm25]) => reading(row + 1, at, { pm25 })),
      ),
    );
    await here.refresh(new Date(MIDNIGHT));
    return () => here.close();
  });

  it.each(ROWS.map(([title, , checks], row) => [title, row, checks] as const))(
    '%s',
    async (_, row, checks) => {
      for (const [at, expected] of checks)
        expect(await here.get(`region/${slugOf(row)}.json`, new Date(at))).toMatchObject(expected);
    },
  );

  it('health figures are the same in a session with any time zone, which Grafana may set (Z1)', async () => {
    const reader = here.database.as('airseries_reader', 'America/New_York');
    for (const at of [MIDNIGHT - 1, MIDNIGHT].map((instant) => new Date(instant))) {
      const rows = await reader`
        select slug, "who_daily_pm2.5", "who_year_pm2.5", "who_pm2.5_exceedance_days", month_cigarettes
        from api.region_current(${at})`;
      const { regions } = await here.get('stations.json', at);
      const published = new Map(regions.map((region: Body) => [region.slug, region]));
      expect(rows).toHaveLength(ROWS.length);
      for (const row of rows) expect(published.get(row.slug)).toMatchObject(row);
    }
  });
});
