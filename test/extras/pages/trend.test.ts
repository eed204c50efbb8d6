/** The words of pages for trends, and for a value by the European index, without a browser. */
import { describe, expect, it } from 'vitest';
import type { Station } from '../../../src/contract/current.ts';
import { LOCALES, type Locale } from '../../../src/contract/endpoints.ts';
import type { IndexName } from '../../../src/contract/words/indices.ts';
import type { Subject } from '../../../src/extras/pages/now.ts';
import { BANDS, CATEGORIES } from '../../../src/extras/pages/scale.ts';
import { pageStyle } from '../../../src/extras/pages/style.ts';
import { tilesPart } from '../../../src/extras/pages/tiles.ts';
import {
  dayLine,
  type LastDay,
  type ListedDay,
  overviewSentence,
  topOf,
  trendLine,
  trendMark,
} from '../../../src/extras/pages/trend.ts';
import { type EuropeanGrade, verdictOf } from '../../../src/extras/pages/verdict.ts';

const NONE = Array<null>(24).fill(null);
type Judged = Parameters<typeof overviewSentence>[1][number];
/** A city with a US index, or with a European one. */
const city = (
  title: string,
  grade: number | EuropeanGrade | null,
  trend: LastDay['trend'] = null,
  index: IndexName = 'aqi',
): Judged => {
  const aqi = typeof grade === 'number' ? grade : null;
  const judged = { aqi, measurement_time: 'now', has_measured: true };
  const european = typeof grade === 'number' || grade === null ? undefined : grade;
  const verdict = verdictOf(index, judged, european);
  return { slug: title.toLowerCase(), title, day: { trend, 'pm2.5': NONE }, verdict };
};
const sentence = (locale: (typeof LOCALES)[number], ...cities: Judged[]) =>
  overviewSentence(locale, cities, ({ slug }) => `/${slug}`).text.replaceAll(/<[^>]+>/g, '');

it('the overview says how many cities are in each category, and which one is worst', () => {
  const cities = [
    city('Velmora', 40),
    city('Tarnesh', 107, 'rising'),
    city('Ostrava', 101),
    city('Selby', 60),
    city('Wick', 12),
    city('Arden', 30),
  ];
  expect(sentence('en', ...cities)).toBe(
    'In 2 of 6 cities the air is unhealthy for sensitive groups, in 1 moderate, in 3 good; worst: Tarnesh 107, rising.',
  );
  expect(sentence('ru', ...cities)).toBe(
    'В 2 из 6 городов уровень «Вредно для чувствительных групп», в 1 — «Умеренно», в 3 — «Хорошо»; хуже всего: Tarnesh 107, растёт.',
  );
  expect(sentence('hy', ...cities)).toBe(
    '6 քաղաքից 2-ում օդի որակը «Վնասակար զգայուն խմբերի համար» է, 1-ում՝ «Չափավոր», 3-ում՝ «Լավ», վատագույնը՝ Tarnesh 107 (աճում է)։',
  );
  expect(sentence('en', city('A', 50), city('B', 12, 'steady'))).toBe(
    'In all 2 cities the air is good; worst: A 50.',
  );
  expect(sentence('en', city('A', 50, 'steady'))).toBe('In 1 city the air is good; worst: A 50.');
});

it('a city of the other index has its name in the sentence, and no number', () => {
  expect(sentence('en', city('A', 50), city('B', ['moderate', 'o3', 110], 'rising'))).toBe(
    'In 1 of 2 cities the air is moderate (European index), in 1 good; worst: B (O₃).',
  );
  const european = (title: string, band: EuropeanGrade[0]) =>
    city(title, [band, 'pm10', 30], 'falling', 'eaqi');
  const cities = [european('A', 'poor'), european('B', 'poor'), european('C', 'good')];
  expect(sentence('en', ...cities)).toBe(
    'In 2 of 3 cities the air is poor, in 1 good; worst: A, B.',
  );
  expect(sentence('hy', ...cities.slice(0, 2))).toBe('Բոլոր 2 քաղաքներում օդի որակը «Վատ» է։');
  expect(
    sentence('en', ...'ABCD'.split('').map((one) => european(one, 'fair')), ...cities.slice(2)),
  ).toBe('In 4 of 5 cities the air is fair, in 1 good.');
  expect(sentence('en', european('A', 'fair'), city('B', 40, null, 'eaqi'))).toBe(
    'In 1 of 2 cities the air is fair, in 1 good (US index); worst: A (PM10), falling.',
  );
});

it('cities without an index are counted apart, never as good', () => {
  expect(sentence('en', city('A', 50), city('B', null))).toBe(
    'In 1 city the air is good; worst: A 50. Without an index: 1.',
  );
  expect(sentence('en', city('A', null), city('B', null))).toBe('No recent values.');
});

it.each(LOCALES)(
  'a trend is an arrow whose name is its word, and nothing if unknown: %s',
  (locale) => {
    const marks = (['rising', 'falling', 'steady'] as const).map((one) => {
      const { text } = trendMark(locale, one) as { text: string };
      return / aria-label="(.+)"\s+title="\1">(.)</.exec(text)?.slice(1) ?? [];
    });
    expect(marks.map(([, arrow]) => arrow)).toEqual(['↗', '↘', '→']);
    expect(new Set(marks.map(([name]) => name)).size).toBe(3);
    expect(trendMark(locale, null)).toBe(false);
    expect(trendLine(locale, null)).toBe(false);
  },
);

it('the line of a trend has its arrow and word, and in Russian a steady one has the arrow alone', () => {
  const line = (locale: Locale, trend: 'rising' | 'steady') =>
    (trendLine(locale, trend) as { text: string }).text;
  expect(line('en', 'steady')).toContain('>→\u00a0steady <small>(the last hour against');
  expect(line('ru', 'rising')).toContain('>↗\u00a0растёт <small>(');
  expect(line('ru', 'steady')).toContain('>→</span> <small>(');
});

it('the line of a day has gaps where nothing was measured, on the scale of its list', () => {
  const day = (top: number, ...values: (number | null)[]) => ({
    trend: null,
    'pm2.5': [...values, ...NONE].slice(0, 24),
    top,
  });
  const pathOf = (one: ListedDay) =>
    / d="([^"]*)"/.exec(dayLine(one) ? (dayLine(one) as { text: string }).text : '')?.[1];
  expect(pathOf(day(15, 0, 15, null, 7.5))).toBe('M0 19h0l4 -18M12 6h0');
  expect(pathOf(day(30, 30, 0))).toBe('M0 1h0l4 18');
  expect(pathOf(day(150, 30, 0)), 'by its root').toBe('M0 11h0l4 8');
  expect(dayLine(day(15, 5))).toBe(false);
});

it('the scale of a list ends at its highest value, and not below the guideline of the WHO', () => {
  const day = (...values: (number | null)[]) => ({ trend: null, 'pm2.5': values });
  expect(topOf([day(1.2, null), day(3, 139), undefined])).toBe(139);
  expect(topOf([day(1.2, 2)])).toBe(15);
  expect(topOf([])).toBe(15);
});

const HOURS = Array.from({ length: 24 }, (_, n) => ({
  timestamp: `2026-11-${n < 9 ? '19' : '20'}T${String((n + 15) % 24).padStart(2, '0')}:00:00+04:00`,
  avg_pm10: 20 + n,
  avg_no2: n < 20 ? null : 30 + n,
  avg_wind_speed: 3,
  total_rain: n / 10,
}));

function tiles(values: object, more: object = {}): string {
  const subject = {
    values: { status: 'online', aqi: 40, 'pm2.5': 5, measurement_time: 'x', ...values },
    history: { '24h': HOURS },
    indices: {
      european_index: {
        index: 'very poor',
        timestamp: '2026-11-20T14:00:00+04:00',
        pollutants: { 'pm2.5': 'good', pm10: 'fair', no2: 'very poor', o3: null, so2: null },
        values: { 'pm2.5': 4, pm10: 41, no2: 52, o3: null, so2: null },
      },
    },
    at: new Date('2026-11-20T11:20:00Z'),
    verdict: city('Here', 40).verdict,
    ...more,
  } as unknown as Subject<Station>;
  return tilesPart('en', subject).text;
}
const tileOf = (text: string, name: string) =>
  text.split('<div class="tile').find((one) => one.includes(`<dt>${name}</dt>`)) ?? '';

it('particles and gases have the band of the European index as an edge and a word, unless suspect', () => {
  const text = tiles({ pm10: 43, no2: 53, o3: 20 });
  expect(tileOf(text, 'PM10')).toMatch(/^ band-fair">.*<dd class="word">Fair</);
  expect(tileOf(text, 'Nitrogen dioxide')).toMatch(
    /^ band-very-poor">.*<dd class="word">Very poor · 101 µg\/m³</,
  );
  expect(tileOf(text, 'Ozone')).toMatch(/^">/);
  expect(text).toContain('bands of the European index, hour from 20 Nov, 14:00');
  expect(tileOf(text, 'Nitrogen dioxide')).toContain('53.0 ppb<');
  const { verdict } = city('Here', ['very poor', 'no2', 99], null, 'eaqi');
  const european = tiles({ pm10: 43, no2: 53, o3: 20 }, { verdict });
  expect(tileOf(european, 'PM10'), 'the value of the hour of the band').toContain('41.0 µg/m³');
  expect(tileOf(european, 'Ozone'), 'no band, and of now').toContain('20.0 µg/m³');
  expect(tileOf(european, 'PM2.5')).toMatch(/^ band-good">/);
  expect(tileOf(european, 'Nitrogen dioxide'), 'is the headline').toBe('');
  const suspect = tiles({ pm10: 43 }, { suspect: 'its sensors disagree' });
  expect(tileOf(suspect, 'PM10')).toMatch(/^">.*<s>43\.0 µg\/m³<\/s>/);
});

it('a tile has the range of its day with the current value, or the time since which it has values', () => {
  const text = tiles({ pm10: 43, no2: 53 });
  expect(tileOf(text, 'PM10')).toContain('<small>24 h: 20.0 to 43.0</small>');
  expect(tileOf(text, 'Nitrogen dioxide')).toContain('<small>Since 11:00: 50.0 to 53.0</small>');
  const beyond = tiles({ pm10: 15.3, no2: 60 });
  expect(tileOf(beyond, 'PM10')).toContain('<small>24 h: 15.3 to 43.0</small>');
  expect(tileOf(beyond, 'Nitrogen dioxide')).toContain('<small>Since 11:00: 50.0 to 60.0</small>');
});

it('a tile without hours says that it has only the current value, and one with a single hour since when', () => {
  expect(tileOf(tiles({ pressure: 90_000 }), 'Pressure')).toContain(
    '<small>Only the current value</small>',
  );
  const history = { '24h': [...HOURS.slice(0, 23), { ...HOURS[23], avg_uv: 3 }] };
  expect(tileOf(tiles({ uv: 2 }, { history }), 'UV index')).toContain(
    '<small>Since 14:00: 2.0 to 3.0</small>',
  );
});

it('the tile of rain has its period, its sum and bars, the tile of wind an arrow to where it blows', () => {
  const text = tiles({ rain: 2.2, wind_speed: 3, wind_direction: 'WSW' });
  expect(tileOf(text, 'Rain')).toMatch(/2\.2 mm<\/dd><dd class="word">In the last hour<.*<rect /);
  expect(tileOf(text, 'Rain'), 'the current hour is a part of the last closed one').toContain(
    '<small>24 h: 27.6 mm in all</small>',
  );
  expect(tileOf(tiles({ rain: 5 }), 'Rain'), 'more than the last closed hour').toContain(
    '<small>24 h: 30.3 mm in all</small>',
  );
  const dry = HOURS.map((hour, n) => ({ ...hour, total_rain: n < 20 ? null : 0 }));
  expect(tileOf(tiles({ rain: 0.4 }, { history: { '24h': dry } }), 'Rain')).toContain(
    '<small>Since 11:00: 0.4 mm in all</small>',
  );
  expect(tileOf(text, 'Wind speed')).toMatch(/3\.0 m\/s <span>.*rotate\(427\.5\).* WSW</);
  expect(tileOf(text, 'Wind from'), 'stands with the speed').toBe('');
  expect(tileOf(tiles({ wind_direction: 'N' }), 'Wind from')).toMatch(/rotate\(180\).* N</);
});

it('the line of suspect particles is dashed where they are suspect, other lines are whole (C9)', () => {
  const flags = [{ kind: 'pm', since: '2026-11-20T10:00:00+04:00', until: null }];
  const text = tiles({ pm10: 43, no2: 53 }, { suspect: 'its sensors disagree', flags });
  const [whole = '', dashed = ''] = [...tileOf(text, 'PM10').matchAll(/<path([^>]*)\/>/g)].map(
    ([, path]) => path,
  );
  expect(whole).not.toContain('class');
  expect(whole).toMatch(/L72 [\d.]+h0"$/);
  expect(dashed).toMatch(/^ class="suspect" d="M72 .*L96 [\d.]+h0"$/);
  expect(tileOf(text, 'Nitrogen dioxide')).not.toContain('class="suspect"');
  expect(tileOf(tiles({ pm10: 43 }), 'PM10')).not.toContain('class="suspect"');
});

/** WCAG 2.2: the relative luminance of a colour, and the contrast of two. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = (hex.match(/\w\w/g) ?? []).map((one) => {
    const share = Number.parseInt(one, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
const contrast = (a: string, b: string) => {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
};

/** The colours of a scheme by their names, and those of a class. */
const SCHEMES = pageStyle().split('prefers-color-scheme: dark').slice(0, 2);
const colourIn = (css: string, name: string) =>
  new RegExp(`--${name}: (#\\w{6}|#fff|transparent);`).exec(css)?.[1]?.replace('#fff', '#ffffff') ??
  '';
/** What the class of a category sets. */
const setBy = (name: string, property: string) =>
  new RegExp(`\\.${name} \\{[^}]*${property}: ([^;]+);`).exec(pageStyle())?.[1];
/** Half of a colour, in the light: what color-mix makes of it with black. */
const halved = (hex: string) =>
  hex.replaceAll(/\w\w/g, (one) =>
    Math.round(Number.parseInt(one, 16) / 2)
      .toString(16)
      .padStart(2, '0'),
  );

describe.each([
  ['light', SCHEMES[0] ?? ''],
  ['dark', SCHEMES[1] ?? ''],
])('on %s', (_, css) => {
  const scales = [CATEGORIES.map(({ name }) => name), BANDS] as const;
  it.each(scales)('each category is darker than the one before it: %s, %s, …', (...names) => {
    const all = names.map((name) => luminance(colourIn(css, name)));
    expect(all).toEqual(all.toSorted((a, b) => b - a));
    expect(new Set(all).size).toBe(6);
  });

  it.each(scales.flat())(
    '%s has a contrast of 4.5 to its letters, and of 3 to both grounds',
    (name) => {
      const tone = colourIn(css, name);
      const letters = setBy(name, '--letters') ?? '#10151a';
      const written = letters === 'var(--on-dark)' ? colourIn(css, 'on-dark') : letters;
      expect(contrast(tone, written.replace('#fff', '#ffffff'))).toBeGreaterThanOrEqual(4.5);
      const edge = setBy(name, '--edge') ?? '';
      expect(['', 'color-mix(in srgb, var(--tone), #000 var(--shade))']).toContain(edge);
      const isHalved = edge !== '' && /--shade: (\d+)%/.exec(css)?.[1] === '50';
      const seen = isHalved ? halved(tone) : tone;
      for (const ground of ['ground', 'paper'])
        expect(contrast(seen, colourIn(css, ground)), ground).toBeGreaterThanOrEqual(3);
    },
  );
});
