/**
 * The health figures of a region: the WHO's guideline, cigarettes, and the limits of the EU from
 * 2030.
 */
import type { Region } from '../../contract/current.ts';
import type { Locale } from '../../contract/endpoints.ts';
import { fill, formatValue, PM25, plural } from './format.ts';
import { type Html, html } from './html.ts';
import { type Limits, limitsTable, measuredIn, sheetPath } from './limits.ts';
import { formatNumber } from './numbers.ts';
import { WORDS } from './words.ts';

export function healthPart(locale: Locale, region: Region, limits: Limits): Html {
  const words = WORDS[locale];
  const { days } = limits['pm2.5'];
  const counted = (forms: string, n: number, above: number | string = '') =>
    fill(plural(locale, forms, n), { n, above });
  const against = (mean: number, guideline: number, times: number | null) => {
    const n = times === null ? '' : formatNumber(locale, times, 1);
    const excess = times === null ? words.slightlyAbove : fill(words.times, { n });
    const verdict = mean <= guideline ? words.withinGuideline : excess;
    return `${formatValue(locale, mean, PM25)}, ${verdict}`;
  };
  const {
    who_daily_exceedance: daily,
    who_yearly_exceedance: yearly,
    month_cigarettes: cigarettes,
  } = region;
  const day = region['who_daily_pm2.5'];
  const year = region['who_year_pm2.5'];
  const note = days < 365 ? ` (${counted(words.daysMeasured, days)})` : '';
  const smoked = (n: number) =>
    fill(plural(locale, words.cigarettesUnit, n), { text: formatNumber(locale, n, 1) });
  const above = counted(words.ofDays, days, region['who_pm2.5_exceedance_days']);
  const rows = [
    day !== null && ([words.whoDaily, against(day, 15, daily)] as const),
    year !== null && ([words.whoYearly, `${against(year, 5, yearly)}${note}`] as const),
    days > 0 && ([words.exceedanceDays, above] as const),
    cigarettes !== null && ([words.cigarettes, smoked(cigarettes)] as const),
  ].filter((row) => row !== false);
  const isLimited = measuredIn([limits]).length > 0;
  if (rows.length === 0 && !isLimited) return html`<section data-live="health"></section>`;
  return html`<section class="pair" data-live="health">
${
  rows.length > 0 &&
  html`<div class="card"><h2>${words.who}</h2>
<dl class="list">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></div>`
}
${
  isLimited &&
  html`<div class="card"><details class="folded" data-name="eu"><summary><h2>${words.eu}</h2></summary>
${limitsTable(locale, limits)}
<p><a href="${sheetPath(locale, `region/${region.slug}`)}">${words.limitsSheet}</a></p></details></div>`
}
</section>`;
}
