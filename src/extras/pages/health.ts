/**
 * The health figures of a region: the WHO's guideline, cigarettes, and the limits of the EU from
 * 2030.
 */
import type { Region } from '../../contract/current.ts';
import type { Locale } from '../../contract/endpoints.ts';
import type { ExploreAnswer } from '../../contract/explore.ts';
import { EU_LIMITS } from '../../contract/limits.ts';
import { keyOf } from '../../contract/parameters.ts';
import { fill, formatValue, PM25, plural } from './format.ts';
import { type Html, html } from './html.ts';
import { formatNumber } from './numbers.ts';
import { WORDS } from './words.ts';

export type Limits = ExploreAnswer<'regionLimits'>;
type Pollutant = keyof Limits;
/** A pollutant against its limits; what has no limit is left out. */
type Counts = {
  mean?: number | null;
  days: number;
  days_above: number;
  hours?: number;
  hours_above?: number;
};

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
  const pollutants = (Object.keys(limits) as Pollutant[]).filter((name) => limits[name].days > 0);
  const micrograms = (value: number | null, digits = 1) =>
    formatValue(locale, value, { unit: 'µg/m³', digits });
  const limitWords = {
    hour: words.limitOfHour,
    '8 hours': words.targetOf8Hours,
    day: words.limit,
    year: words.limit,
  };
  const euRow = (name: Pollutant) => {
    const counts: Counts = limits[name];
    const line = ({ period, limit }: (typeof EU_LIMITS)[number]) => {
      const { mean = null, hours = 0, hours_above = 0, days, days_above } = counts;
      const measured = {
        hour: () => counted(words.hoursAbove, hours, hours_above),
        '8 hours': () => counted(words.ofDays, days, days_above),
        day: () => counted(words.ofDays, days, days_above),
        year: () => micrograms(mean),
      };
      return html`<div>${measured[period]()}
  <br>
  <small>${fill(limitWords[period], { value: micrograms(limit, 0) })}</small></div>`;
    };
    const own = EU_LIMITS.filter(({ parameter }) => keyOf(parameter) === name);
    return html`<tr><th scope="row">${words[name]}</th>
<td>${own.filter(({ period }) => period === 'year').map(line)}</td>
<td>${own.filter(({ period }) => period !== 'year').map(line)}</td></tr>`;
  };
  if (rows.length === 0 && pollutants.length === 0)
    return html`<section data-live="health"></section>`;
  return html`<section class="pair" data-live="health">
${
  rows.length > 0 &&
  html`<div class="card"><h2>${words.who}</h2>
<dl class="list">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></div>`
}
${
  pollutants.length > 0 &&
  html`<div class="card"><details class="folded" data-name="eu"><summary><h2>${words.eu}</h2></summary>
<table>
  <thead>
  <tr>
  <th scope="col">${words.pollutant}</th>
  <th scope="col">${words.yearMean}</th>
  <th scope="col">${words.aboveLimit}</th></tr></thead>
<tbody>${pollutants.map(euRow)}</tbody></table></details></div>`
}
</section>`;
}
