/**
 * Gaps between the points of a history, the text of each point, the address of a view, the days of
 * a calendar, and a station's first day, whose hours have dates.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { ageIn } from '../../../src/extras/pages/browser/age.ts';
import { monthStarts, placeDays } from '../../../src/extras/pages/browser/days.ts';
import { formatView, parseView } from '../../../src/extras/pages/browser/view.ts';
import { formatDate, formatWind, PM25, unitIn } from '../../../src/extras/pages/format.ts';
import { GROUPS, QUANTITIES } from '../../../src/extras/pages/now.ts';
import { formatNumber, SHORT_MONTHS } from '../../../src/extras/pages/numbers.ts';
import { dayChart, sparkline } from '../../../src/extras/pages/pictures.ts';
import {
  AQI,
  type Bucket,
  describeValue,
  fillGaps,
  formatBucket,
  formatTick,
  isRunning,
  measuredQuantities,
  type Point,
  rangeOf,
  ticksOf,
} from '../../../src/extras/pages/series.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';

const quantity = (key: string) => QUANTITIES.find((one) => one.key === key) ?? AQI;
const at = (...timestamps: string[]): Point[] =>
  timestamps.map((timestamp) => ({ timestamp, avg_pm25: 1 }));
const LONG_AGO = 0;

const gaps = (points: Point[], unit: 'hour' | 'day' | 'month', now = LONG_AGO, count = 100) =>
  fillGaps(points, { unit, count }, now).map(({ timestamp, point }) =>
    point === undefined ? `– ${timestamp}` : timestamp,
  );

describe('gaps', () => {
  it('missing hours, days and months between two points are gaps', () => {
    expect(gaps(at('2026-11-20T22:00:00+04:00', '2026-11-21T01:00:00+04:00'), 'hour')).toEqual([
      '2026-11-20T22:00:00+04:00',
      '– 2026-11-20T23:00:00+04:00',
      '– 2026-11-21T00:00:00+04:00',
      '2026-11-21T01:00:00+04:00',
    ]);
    expect(gaps(at('2026-02-27T00:00:00+04:00', '2026-03-01T00:00:00+04:00'), 'day')).toEqual([
      '2026-02-27T00:00:00+04:00',
      '– 2026-02-28T00:00:00+04:00',
      '2026-03-01T00:00:00+04:00',
    ]);
    expect(gaps(at('2025-12-01T00:00:00+04:00', '2026-02-01T00:00:00+04:00'), 'month')).toEqual([
      '2025-12-01T00:00:00+04:00',
      '– 2026-01-01T00:00:00+04:00',
      '2026-02-01T00:00:00+04:00',
    ]);
  });

  it('a change of the clocks is not a gap', () => {
    const hours = at(
      '2026-10-25T01:00:00+02:00',
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
    );
    expect(gaps(hours, 'hour')).toEqual(hours.map(({ timestamp }) => timestamp));
    const spring = at('2026-03-29T01:00:00+01:00', '2026-03-29T03:00:00+02:00');
    expect(gaps(spring, 'hour')).toEqual(spring.map(({ timestamp }) => timestamp));
    const days = at(
      '2026-03-28T00:00:00+02:00',
      '2026-03-29T00:00:00+02:00',
      '2026-03-30T00:00:00+03:00',
    );
    expect(gaps(days, 'day')).toEqual(days.map(({ timestamp }) => timestamp));
  });

  it('gaps go on to the present, unless the clock of the browser is far off', () => {
    const now = Date.parse('2026-11-20T12:20:00Z');
    expect(gaps(at('2026-11-20T13:00:00+04:00'), 'hour', now)).toEqual([
      '2026-11-20T13:00:00+04:00',
      '– 2026-11-20T14:00:00+04:00',
      '– 2026-11-20T15:00:00+04:00', // closed at 16:00, and it is 16:20
    ]);
    expect(gaps(at('2026-11-18T00:00:00+04:00'), 'day', now)).toEqual([
      '2026-11-18T00:00:00+04:00',
      '– 2026-11-19T00:00:00+04:00',
    ]);
    expect(gaps(at('2026-10-01T00:00:00+04:00'), 'month', now)).toEqual([
      '2026-10-01T00:00:00+04:00',
      '– 2026-11-01T00:00:00+04:00', // includes the running month
    ]);
    expect(gaps(at('2026-11-20T13:00:00+04:00'), 'hour', now, 3)).toHaveLength(3);
    expect(gaps(at('2026-11-20T13:00:00+04:00'), 'hour', now, 2)).toHaveLength(1);
    expect(gaps([], 'hour', now)).toEqual([]);
  });
});

describe('points', () => {
  const day: Point = {
    timestamp: '2026-11-20T00:00:00+04:00',
    avg_pm25: 12.34,
    range_pm25: [8.1, 20.4],
    total_rain: 0,
  };
  const gap = 'no value';

  it('a point is told with its range and unit, and a gap as a gap', () => {
    expect(describeValue('en', day, quantity('pm2.5'), gap)).toBe('12.3 µg/m³ (8.1–20.4)');
    expect(describeValue('ru', day, quantity('pm2.5'), gap)).toBe('12,3 мкг/м³ (8,1–20,4)');
    expect(describeValue('en', day, quantity('rain'), gap)).toBe('0.0 mm');
    expect(describeValue('en', day, quantity('o3'), gap)).toBe(gap);
    expect(describeValue('en', undefined, quantity('pm2.5'), gap)).toBe(gap);
    for (let pressure = 90_005; pressure <= 91_000; pressure += 10) {
      const halfUp = formatNumber('en', (pressure + 5) / 100, 1);
      expect(
        describeValue('en', { ...day, avg_pressure: pressure }, quantity('pressure'), gap),
      ).toBe(`${halfUp} hPa`);
    }
    expect(rangeOf({ ...day, min_no2: 1, max_no2: 2 }, quantity('no2'))).toEqual([1, 2]);
    expect(rangeOf({ ...day, range_aqi: null }, AQI)).toBeNull();
  });

  it('a point has its local time, whatever the zone of the machine', () => {
    expect(formatBucket('en', '2026-11-20T00:00:00+04:00', 'hour')).toBe('20 Nov, 00:00');
    expect(formatBucket('en', '2026-11-20T00:00:00-10:00', 'day')).toBe('20 Nov');
    expect(formatBucket('ru', '2026-11-01T00:00:00+12:00', 'month')).toBe('нояб. 2026 г.');
  });

  it('a month is running until it is over', () => {
    const [month, end] = ['2026-11-01T00:00:00+04:00', Date.parse('2026-12-01T00:00:00+04:00')];
    expect(isRunning(month, 'month', end - 1)).toBe(true);
    expect(isRunning(month, 'month', end)).toBe(false);
    expect(isRunning(month, 'day', end - 1)).toBe(false);
  });

  it('the offered parameters are the measured ones: PM2.5 first, a direction with the speed', () => {
    const keys = (point: object) =>
      measuredQuantities(QUANTITIES, [[], [{ timestamp: day.timestamp, ...point }]]).map(
        ({ key }) => key,
      );
    expect(keys({ avg_temperature: 0, avg_pm25: 1, aqi: 6, avg_pm10: null })).toEqual([
      'pm2.5',
      'aqi',
      'temperature',
    ]);
    expect(keys({ avg_wind_direction: 90 })).toEqual(['wind_speed']);
    expect(keys({})).toEqual([]);
  });
});

it('the time axis has no more labels than fit, and the year where it changes', () => {
  const months = Array.from(
    { length: 24 },
    (_, n) => `${2025 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`,
  );
  const buckets = fillGaps(
    at(...months.map((month) => `${month}-01T00:00:00+04:00`)),
    { unit: 'month', count: 24 },
    0,
  );
  const window = { key: '2y', unit: 'month', count: 24 } as const;
  expect(ticksOf('en', buckets, window, 24).map(({ label }) => label)).toEqual(
    expect.arrayContaining(['Jan\n2025', 'Feb', 'Jan\n2026']),
  );
  for (const most of [2, 5, 12, 24])
    expect(ticksOf('en', buckets, window, most).length).toBeLessThanOrEqual(most);
});

it('an axis has as many decimals as its steps', () => {
  const tick = (value: number, step: number, key: string) =>
    formatTick('en', value, step, quantity(key));
  expect([tick(12.5, 2.5, 'pm2.5'), tick(12, 1, 'pm2.5'), tick(0.25, 0.25, 'rain')]).toEqual([
    '12.5',
    '12',
    '0.25',
  ]);
  expect([tick(99_950, 50, 'pressure'), tick(99_900, 100, 'pressure')]).toEqual(['999.5', '999']);
});

it.each([
  [59, 'just now', 'только что', 'հենց նոր'],
  [60, '1 minute ago', '1 минуту назад', '1 րոպե առաջ'],
  [3_599, '59 minutes ago', '59 минут назад', '59 րոպե առաջ'],
  [47 * 3_600, '47 hours ago', '47 часов назад', '47 ժամ առաջ'],
  [48 * 3_600, '2 days ago', '2 дня назад', '2 օր առաջ'],
] as const)('after %i seconds a value is from "%s"', (seconds, ...said) => {
  expect(LOCALES.map((locale) => ageIn(locale, WORDS[locale].ago, seconds * 1_000))).toEqual(said);
});

it('Armenian, which browsers do not know, is written as the server would', () => {
  const intl = (date: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('hy', { ...options, timeZone: 'UTC' }).format(new Date(date));
  for (const { date } of placeDays(2026)) {
    expect(formatDate('hy', date, 'day')).toBe(intl(date, { day: 'numeric', month: 'short' }));
    expect(formatDate('hy', date, 'month')).toBe(intl(date, { month: 'short', year: 'numeric' }));
    expect(formatDate('hy', date, 'name of month')).toBe(intl(date, { month: 'short' }));
    expect(formatDate('hy', date, 'name of weekday')).toBe(intl(date, { weekday: 'short' }));
  }
  expect(formatDate('hy', '2026-11-22', 'day of week')).toBe('կիր, 22 նոյ, 2026 թ.');
});

it.each(LOCALES)(
  'locale %s has its separators and months in numbers.ts, and its pressure is in hPa',
  (locale) => {
    expect(formatNumber(locale, -12_345.6, 1)).toBe(
      new Intl.NumberFormat(locale).format(-12_345.6).replace('-', '−'),
    );
    expect(SHORT_MONTHS[locale]?.split(' ')).toHaveLength(12);
    expect(unitIn(locale, 'Pa')).not.toBe('Pa');
  },
);

it('names of winds are in the letters of the language', () => {
  const named = LOCALES.map((locale) => formatWind(WORDS[locale].windNames, 'WSW'));
  expect(named).toEqual(['WSW', 'ЗЮЗ', 'ԱրմՀվԱրմ']);
  expect(formatWind(WORDS.ru.windNames, 'NE')).toBe('СВ');
});

it('every parameter has a tile and a name on the pages', () => {
  const keys = QUANTITIES.map(({ key }) => key);
  expect(GROUPS.flatMap((group): string[] => [...group.keys]).sort()).toEqual([...keys].sort());
  expect(keys.filter((key) => !(key in WORDS.en))).toEqual([]);
});

it('the README names every file', () => {
  const folder = new URL('../../../src/extras/pages/', import.meta.url);
  const text = readFileSync(new URL('README.md', folder), 'utf8');
  const modules = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(modules.filter((name) => !text.includes(`(${name})`))).toEqual([]);
  const named = [...text.matchAll(/\]\(([\w/]+\.ts)\)/g)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(modules.toSorted());
});

it('the address keeps a view, and drops anything else', () => {
  const query = '?window=30d&parameter=pm2.5&year=2025';
  expect(formatView(parseView(query))).toBe(query);
  expect(formatView(parseView('?window=<b>&year=&other=1'))).toBe('');
});

it('the calendar places every day in its week, which begins on Monday', () => {
  for (const year of [2000, 2026, 2028, 2100]) {
    const days = placeDays(year);
    expect(days).toHaveLength(new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1 ? 366 : 365);
    for (const { date, week, weekday } of days) {
      const at = new Date(`${date}T00:00:00Z`);
      if ((at.getUTCDay() + 6) % 7 !== weekday || week > 53)
        expect.fail(`${date} is at ${week}, ${weekday}`);
    }
    expect(new Set(days.map(({ week, weekday }) => week * 7 + weekday)).size).toBe(days.length);
  }
  expect(placeDays(2026)[0]).toEqual({ date: '2026-01-01', week: 0, weekday: 3 }); // a Thursday
  expect(placeDays(2026)[4]).toEqual({ date: '2026-01-05', week: 1, weekday: 0 });
  expect(monthStarts(placeDays(2026))).toHaveLength(12);
});

/** Hours from 22:00 on; null where nothing was measured. */
const hoursOf = (values: readonly (number | null)[]): Bucket[] =>
  values.map((value, n) => {
    const day = n < 2 ? '19' : '20';
    const timestamp = `2026-11-${day}T${String((22 + n) % 24).padStart(2, '0')}:00:00+04:00`;
    return {
      timestamp,
      point: value === null ? undefined : { timestamp, 'avg_pm2.5': value, avg_pm25: value },
    } as Bucket;
  });

const LONELY = [10, null, 20, 21, null, null, 30, null, 12];

describe('the first day', () => {
  it('a week that has just begun has hours on its axis, with their dates', () => {
    const week = { key: '7d', unit: 'hour', count: 168 } as const;
    const labels = ticksOf('en', hoursOf(LONELY), week, 9).map(({ label }) => label);
    expect(labels).toEqual(['00:00\n20 Nov', '03:00', '06:00']);
    const later = ticksOf('en', hoursOf(LONELY).slice(3), week, 9).map(({ label }) => label);
    expect(later).toEqual(['03:00\n20 Nov', '06:00']);
    const whole = hoursOf(Array.from({ length: 60 }, () => 1));
    expect(ticksOf('en', whole, week, 9).every(({ label }) => label === '20 Nov')).toBe(true);
  });

  it('the last 24 hours say the date at their first hour on the axis, and at midnight', () => {
    const textsOf = (buckets: readonly Bucket[]) =>
      [...dayChart(WORDS.en, 'en', buckets, PM25, () => false).text.matchAll(/>([^<>]+)<\/text>/g)]
        .map(([, text = '']) => text.trim())
        .filter((text) => /:|Nov/.test(text));
    expect(textsOf(hoursOf(LONELY))).toEqual(['00:00', '20 Nov', '06:00']);
    const later = hoursOf(LONELY).slice(3); // from 01:00 on
    expect(textsOf(later)).toEqual(['06:00', '20 Nov']);
  });

  it('an hour without a neighbour is a point, and only such an hour', () => {
    const lonely = (values: readonly (number | null)[]) =>
      /lonely" d="([^"]*)"/.exec(sparkline(values, () => false)?.text ?? '')?.[1];
    expect(lonely(LONELY)?.match(/M[\d.]+/g)).toEqual(['M64', 'M88', 'M96']);
    expect(lonely([1, 2, 3, null, 4, 5])).toBeUndefined();
  });
});
