/** The part of a region's page on health: what is above the limits of the EU. */
import { expect, it } from 'vitest';
import type { Region } from '../../../src/contract/current.ts';
import { healthPart, type Limits } from '../../../src/extras/pages/health.ts';

const REGION = {
  'who_daily_pm2.5': null,
  'who_year_pm2.5': null,
  'who_pm2.5_exceedance_days': 0,
  month_cigarettes: null,
} as Region;
const NOTHING = { mean: null, days: 0, days_above: 0, hours: 0, hours_above: 0 };
const LIMITS: Limits = {
  'pm2.5': { mean: null, days: 0, days_above: 0 },
  pm10: { mean: null, days: 0, days_above: 0 },
  no2: { mean: 21.5, days: 300, days_above: 4, hours: 7_100, hours_above: 2 },
  so2: NOTHING,
  o3: { days: 290, days_above: 19 },
};

const textOf = (locale: 'en' | 'ru' | 'hy', limits: Limits) =>
  healthPart(locale, REGION, limits)
    .text.replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

it('the limits of an hour, of a day and of eight hours of ozone are shown for what was measured', () => {
  const text = textOf('en', LIMITS);
  expect(text).toContain(
    'Nitrogen dioxide 21.5 µg/m³ Limit 20 µg/m³ 2 of 7100 hours measured Limit 200 µg/m³ in an hour 4 of 300 days measured Limit 50 µg/m³ ',
  );
  expect(text).toContain('Ozone 19 of 290 days measured Target 120 µg/m³, highest mean of 8 hours');
  expect(text).not.toMatch(/PM10|Sulphur/);
  expect(textOf('ru', LIMITS)).toContain('2 из 7100 измеренных часов Предел 200 мкг/м³ за час');
  expect(textOf('hy', LIMITS)).toContain('չափված 7100 ժամից 2-ը Սահմանը՝ 200 մկգ/մ³ մեկ ժամում');
});

it('a region that has measured nothing has no table of limits', () => {
  const none = { ...LIMITS, no2: NOTHING, o3: { days: 0, days_above: 0 } };
  expect(textOf('en', none).trim()).toBe('');
});
