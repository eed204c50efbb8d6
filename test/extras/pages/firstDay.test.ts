/** The first day of a station: its hours have dates, and those without neighbours are points. */
import { describe, expect, it } from 'vitest';
import { PM25 } from '../../../src/extras/pages/format.ts';
import { dayChart, sparkline } from '../../../src/extras/pages/pictures.ts';
import { type Bucket, ticksOf } from '../../../src/extras/pages/series.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';

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
