/** The limits of the EU in words: on the page of a region, and on the sheet to print. */
import { expect, it } from 'vitest';
import type { Region } from '../../../src/contract/current.ts';
import type { Locale } from '../../../src/contract/endpoints.ts';
import type { LimitVerdict } from '../../../src/contract/limits.ts';
import { healthPart } from '../../../src/extras/pages/health.ts';
import type { Html } from '../../../src/extras/pages/html.ts';
import type { Limits, LimitsOfYear } from '../../../src/extras/pages/limits.ts';
import { limitsSheet } from '../../../src/extras/pages/limitsSheet.ts';

const REGION = {
  slug: 'town',
  'who_daily_pm2.5': null,
  'who_year_pm2.5': null,
  'who_pm2.5_exceedance_days': 0,
  month_cigarettes: null,
} as Region;

const mean = (value: number | null, limit: number, verdict: LimitVerdict) => ({
  mean: value,
  mean_limit: limit,
  mean_verdict: verdict,
});
const days = (all: number, above: number, limit: number, verdict: LimitVerdict) => ({
  days: all,
  complete_days: all,
  days_above: above,
  days_limit: limit,
  days_allowed: 18,
  days_verdict: verdict,
});
const hours = (all: number, above: number, limit: number, verdict: LimitVerdict) => ({
  hours: all,
  hours_above: above,
  hours_limit: limit,
  hours_allowed: 3,
  hours_verdict: verdict,
});
const few = 'insufficient_data';
const NOTHING: Limits = {
  first_day: '2025-11-20',
  last_day: '2026-11-19',
  expected_days: 365,
  expected_hours: 8_760,
  'pm2.5': { ...mean(null, 10, few), ...days(0, 0, 25, few) },
  pm10: { ...mean(null, 20, few), ...days(0, 0, 45, few) },
  no2: { ...mean(null, 20, few), ...days(0, 0, 50, few), ...hours(0, 0, 200, few) },
  so2: { ...mean(null, 20, few), ...days(0, 0, 50, few), ...hours(0, 0, 350, few) },
  o3: days(0, 0, 120, few),
};
const LIMITS: Limits = {
  ...NOTHING,
  'pm2.5': { ...mean(24.4, 10, 'exceeded'), ...days(365, 137, 25, 'exceeded') },
  no2: { ...mean(21.5, 20, few), ...days(300, 4, 50, few), ...hours(8_000, 2, 200, 'kept') },
  o3: days(290, 19, 120, 'exceeded'),
};

const textOf = ({ text }: Html) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const health = (locale: Locale, limits: Limits) => textOf(healthPart(locale, REGION, limits));

it('each limit has its verdict, of how many measured days, and a mean of fewer days is not that of a year', () => {
  const text = health('en', LIMITS);
  for (const line of [
    'PM2.5 Exceeded : 24.4 µg/m³ Limit 10 µg/m³ as the mean of a year Exceeded : 137 of 365 days measured Limit 25 µg/m³ in a day, exceeded at most 18 times a year',
    'Nitrogen dioxide Too few data for a verdict : 21.5 µg/m³, mean of 300 days Limit',
    'Kept : 2 of 8000 hours measured (of 8760) Limit 200 µg/m³ in an hour',
    'Too few data for a verdict : 4 of 300 days measured (of 365) Limit 50',
    'Ozone Exceeded : 19 of 290 days measured (of 365) Target 120 µg/m³, highest mean of 8 hours',
  ])
    expect(text).toContain(line);
  expect(text).not.toMatch(/PM10|Sulphur/);
  expect(health('ru', LIMITS)).toContain('Превышено : 137 из 365 измеренных дней Предел 25 мкг/м³');
  expect(health('hy', LIMITS)).toContain(
    'Գերազանցված է ՝ չափված 365 օրից 137-ը Սահմանը՝ 25 մկգ/մ³',
  );
});

it('a mean is within the guideline, up to 15 % above it, or so many times it', () => {
  const measured = {
    ...{ 'who_daily_pm2.5': 15, who_daily_exceedance: null },
    ...{ 'who_year_pm2.5': 5.6, who_yearly_exceedance: null },
    ...{ 'who_pm2.5_exceedance_days': 3, month_cigarettes: 12.5 },
  };
  const year = { ...NOTHING, 'pm2.5': { ...NOTHING['pm2.5'], days: 200 } };
  const said = (more: Partial<Region>) =>
    textOf(healthPart('en', { ...REGION, ...measured, ...more }, year));
  const text = said({});
  for (const line of [
    'PM2.5, last 24 hours (15 µg/m³) 15.0 µg/m³, within the guideline ',
    '(5 µg/m³) 5.6 µg/m³, up to 15 % above the guideline (200 days measured) ',
    'Days above 15 µg/m³ 3 of 200 days measured ',
    'As bad for health as smoking, in 30 days 12.5 cigarettes ',
  ])
    expect(text).toContain(line);
  expect(said({ 'who_daily_pm2.5': 45, who_daily_exceedance: 3 })).toContain(
    '45.0 µg/m³, 3.0 times the guideline ',
  );
});

it('a region that has measured nothing has no table of limits', () => {
  const { text } = healthPart('en', REGION, NOTHING);
  expect(text).toBe('<section data-live="health"></section>');
});

const yearOf = (year: number, last: string, change: number | null): LimitsOfYear => {
  const none = { days_change: null };
  const { 'pm2.5': pm25, pm10, no2, so2 } = LIMITS;
  return {
    ...LIMITS,
    year,
    last_day: last,
    'pm2.5': { ...pm25, days_change: change },
    pm10: { ...pm10, ...none },
    no2: { ...no2, ...none },
    so2: { ...so2, ...none },
  };
};
const summaryOf = (locale: Locale, year: LimitsOfYear) => {
  const before = yearOf(year.year - 1, '2025-12-31', null);
  const sheet = { path: 'region/town', title: 'Town', year, before, later: false };
  const { body } = limitsSheet(locale, sheet);
  return /<p class="lead">(.*?)<\/p>/.exec(body.text)?.[1];
};

it.each([
  [
    'en',
    yearOf(2026, '2026-12-31', -30),
    '2026: 137 days with PM2.5 above 25 µg/m³, 30 fewer than in 2025; 18 are allowed.',
  ],
  [
    'en',
    yearOf(2026, '2026-11-19', 1),
    '2026, up to 19 Nov: 137 days with PM2.5 above 25 µg/m³, 1 more than in 2025 by the same day; 18 are allowed.',
  ],
  [
    'ru',
    yearOf(2026, '2026-12-31', null),
    '2026 год: 137 дней, когда PM2.5 выше 25 мкг/м³; допускается 18.',
  ],
  [
    'hy',
    yearOf(2026, '2026-12-31', 0),
    '2026 թ.՝ 25 մկգ/մ³-ից բարձր PM2.5 է եղել 137 օր, նույնքան, որքան 2025-ին։ Թույլատրելի է 18 օր։',
  ],
] as const)(
  '%s: the sheet says in a sentence how a year differs from the one before',
  (locale, year, sentence) => {
    expect(summaryOf(locale, year)).toBe(sentence);
  },
);
