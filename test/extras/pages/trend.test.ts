/** The words of pages for trends, and for a value by the European index, without a browser. */
import { expect, it } from 'vitest';
import type { Region, Station } from '../../../src/contract/current.ts';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import type { LastDay } from '../../../src/extras/pages/lastDays.ts';
import type { Subject } from '../../../src/extras/pages/now.ts';
import { pageStyle } from '../../../src/extras/pages/style.ts';
import { tilesPart } from '../../../src/extras/pages/tiles.ts';
import { dayLine, overviewSentence, trendText } from '../../../src/extras/pages/trend.ts';

const NONE = Array<null>(24).fill(null);
const city = (title: string, aqi: number | null, trend: LastDay['trend'] = null) =>
  ({ slug: title.toLowerCase(), title, aqi, day: { trend, 'pm2.5': NONE } }) as unknown as Region;
const sentence = (locale: (typeof LOCALES)[number], ...cities: Region[]) =>
  overviewSentence(locale, cities, ({ slug }) => `/${slug}`).text.replaceAll(/<[^>]+>/g, '');

it('the overview says how many cities are in the worst category, and which one is worst', () => {
  const cities = [city('Velmora', 40), city('Tarnesh', 107, 'rising'), city('Ostrava', 101)];
  expect(sentence('en', ...cities)).toBe(
    'In 2 of 3 cities the air is unhealthy for sensitive groups; worst: Tarnesh 107, rising.',
  );
  expect(sentence('ru', ...cities)).toBe(
    'В 2 из 3 городов уровень «Вредно для чувствительных групп»; хуже всего: Tarnesh, 107, растёт.',
  );
  expect(sentence('hy', ...cities)).toBe(
    '3 քաղաքից 2-ում օդի որակը «Վնասակար զգայուն խմբերի համար» է, վատագույնը՝ Tarnesh, 107, աճում է։',
  );
  expect(sentence('en', city('A', 50), city('B', 12, 'steady'))).toBe(
    'In all 2 cities the air is good; worst: A 50.',
  );
});

it('cities without an index are counted apart, never as good', () => {
  expect(sentence('en', city('A', 50), city('B', null))).toBe(
    'In 1 city the air is good; worst: A 50. Without an index: 1.',
  );
  expect(sentence('en', city('A', null), city('B', null))).toBe('No recent values.');
});

it.each(LOCALES)('a trend is an arrow with a word, and empty if unknown: %s', (locale) => {
  const texts = (['rising', 'falling', 'steady'] as const).map((one) => trendText(locale, one));
  expect(texts.map((text) => text[0])).toEqual(['↗', '↘', '→']);
  expect(new Set(texts.map((text) => text.slice(2))).size).toBe(3);
  expect(trendText(locale, null)).toBe('');
});

it('the line of a day has gaps where nothing was measured, and clean air stays low', () => {
  const day = (...values: (number | null)[]) => ({
    trend: null,
    'pm2.5': [...values, ...NONE].slice(0, 24),
  });
  const pathOf = (one: LastDay) =>
    / d="([^"]*)"/.exec(dayLine(one) ? (dayLine(one) as { text: string }).text : '')?.[1];
  expect(pathOf(day(0, 15, null, 7.5))).toBe('M0 19h0l4 -18M12 10h0');
  expect(pathOf(day(30, 0))).toBe('M0 1h0l4 18');
  expect(pathOf(day(3, 3.1))).toBe('M0 15h0l4 0');
  expect(dayLine(day(5))).toBe(false);
});

const HOURS = Array.from({ length: 24 }, (_, n) => ({
  timestamp: `2026-11-${n < 9 ? '19' : '20'}T${String((n + 15) % 24).padStart(2, '0')}:00:00+04:00`,
  avg_pm10: 20 + n,
  avg_no2: n < 20 ? null : 30 + n,
  avg_wind_speed: 3,
  total_rain: n / 10,
}));

function tiles(values: object, suspect?: string): string {
  const subject = {
    values: { status: 'online', aqi: 40, 'pm2.5': 5, measurement_time: 'x', ...values },
    history: { '24h': HOURS },
    indices: {
      european_index: {
        index: 'very poor',
        timestamp: '2026-11-20T14:00:00+04:00',
        pollutants: { 'pm2.5': 'good', pm10: 'fair', no2: 'very poor', o3: null, so2: null },
      },
    },
    at: new Date('2026-11-20T11:20:00Z'),
    suspect,
  } as unknown as Subject<Station>;
  return tilesPart('en', subject).text;
}
const tileOf = (text: string, name: string) =>
  text.split('<div class="tile').find((one) => one.includes(`<dt>${name}</dt>`)) ?? '';

it('particles and gases have the band of the European index as an edge and a word, unless suspect', () => {
  const text = tiles({ pm10: 43, no2: 53, o3: 20 });
  expect(tileOf(text, 'PM10')).toMatch(/^ band-fair">.*<dd class="word">Fair</);
  expect(tileOf(text, 'Nitrogen dioxide')).toMatch(
    /^ band-very-poor">.*<dd class="word">Very poor</,
  );
  expect(tileOf(text, 'Ozone')).toMatch(/^">/);
  expect(text).toContain('bands of the European index, hour from 20 Nov, 14:00');
  const suspect = tiles({ pm10: 43 }, 'its sensors disagree');
  expect(tileOf(suspect, 'PM10')).toMatch(/^">.*<s>43\.0 µg\/m³<\/s>/);
});

it('a tile has the range of its day, or the time since which it has values', () => {
  const text = tiles({ pm10: 43, no2: 53 });
  expect(tileOf(text, 'PM10')).toContain('<small>24 h: 20.0 to 43.0</small>');
  expect(tileOf(text, 'Nitrogen dioxide')).toContain('<small>since 11:00: 50.0 to 53.0</small>');
});

it('the tile of rain has its period and bars, the tile of wind an arrow to where it blows', () => {
  const text = tiles({ rain: 2.2, wind_speed: 3, wind_direction: 'WSW' });
  expect(tileOf(text, 'Rain')).toMatch(/2\.2 mm<\/dd><dd class="word">in the last hour<.*<rect /);
  expect(tileOf(text, 'Wind speed')).toMatch(/3\.0 m\/s <span>.*rotate\(427\.5\).* WSW</);
  expect(tileOf(text, 'Wind from'), 'stands with the speed').toBe('');
  expect(tileOf(tiles({ wind_direction: 'N' }), 'Wind from')).toMatch(/rotate\(180\).* N</);
});

it('the worst category is brighter than the next on dark, and yellow is bright on light', () => {
  const [light = '', dark = ''] = pageStyle().split('prefers-color-scheme: dark');
  const luminance = (css: string, name: string) => {
    const [, hex = ''] = new RegExp(`--${name}: #(\\w{6})`).exec(css) ?? [];
    const [red = 0, green = 0, blue = 0] = (hex.match(/../g) ?? []).map((one) => {
      const share = Number.parseInt(one, 16) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  expect(luminance(dark, 'hazardous')).toBeGreaterThan(luminance(dark, 'very-unhealthy'));
  expect(luminance(light, 'moderate')).toBeGreaterThan(0.5);
});
