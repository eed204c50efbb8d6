/** The limits of the EU in words: what was measured against each, and the verdict of the API on it. */
import type { Locale } from '../../contract/endpoints.ts';
import type { ExploreAnswer } from '../../contract/explore.ts';
import type { LimitVerdict } from '../../contract/limits.ts';
import { COMMON_WORDS } from '../../contract/words/words.ts';
import { fill, formatValue, plural } from './format.ts';
import { type Html, html } from './html.ts';
import { WORDS } from './words.ts';

export type Limits = ExploreAnswer<'regionLimits'>;
export type LimitsOfYear = ExploreAnswer<'regionLimitsOfYear'>;

const POLLUTANTS = ['pm2.5', 'pm10', 'no2', 'so2', 'o3'] as const;
export type Pollutant = (typeof POLLUTANTS)[number];

/** A pollutant against its limits; what has no limit is left out. */
type Counts = {
  mean?: number | null;
  mean_limit?: number;
  mean_verdict?: LimitVerdict;
  days: number;
  days_above: number;
  days_limit: number;
  days_allowed: number;
  days_verdict: LimitVerdict;
  days_change?: number | null;
  hours?: number;
  hours_above?: number;
  hours_limit?: number;
  hours_allowed?: number;
  hours_verdict?: LimitVerdict;
};

/** A limit, and what was measured, each as a text. */
type Line = { limit: string; measured: string; verdict: LimitVerdict };

/** The sheet of a station or region, such as `region/velmora`. */
export const sheetPath = (locale: Locale, path: string) => `/${locale}/${path}/limits`;

/** The pollutants that were measured in any of the periods. */
export const measuredIn = (all: readonly Limits[]): Pollutant[] =>
  POLLUTANTS.filter((name) => all.some((limits) => limits[name].days > 0));

export const countsOf = (limits: Limits | LimitsOfYear, name: Pollutant): Counts => limits[name];

export const micrograms = (locale: Locale, value: number | null, digits = 0) =>
  formatValue(locale, value, { unit: 'µg/m³', digits });

/** Each limit of a pollutant, the mean of a year first. */
export function linesOf(locale: Locale, limits: Limits, name: Pollutant): Line[] {
  const counts = countsOf(limits, name);
  return [
    meanLine(locale, counts),
    hoursLine(locale, counts, limits.expected_hours),
    daysLine(locale, counts, limits.expected_days, name),
  ].filter((line) => line !== undefined);
}

function meanLine(locale: Locale, counts: Counts): Line | undefined {
  const { mean = null, mean_limit: limit, mean_verdict: verdict, days } = counts;
  if (limit === undefined || verdict === undefined) return undefined;
  const words = WORDS[locale];
  const value = micrograms(locale, mean, 1);
  const isOfYear = verdict === 'kept' || verdict === 'exceeded';
  return {
    limit: fill(words.limitOfYear, { value: micrograms(locale, limit) }),
    measured: isOfYear ? value : fill(plural(locale, words.meanOfDays, days), { value, n: days }),
    verdict,
  };
}

function hoursLine(locale: Locale, counts: Counts, expected: number): Line | undefined {
  const { hours = 0, hours_above: above = 0, hours_limit: limit } = counts;
  const { hours_allowed: n = 0, hours_verdict: verdict } = counts;
  if (limit === undefined || verdict === undefined) return undefined;
  const words = WORDS[locale];
  return {
    limit: fill(words.limitOfHour, { value: micrograms(locale, limit), n }),
    measured: counted(locale, words.hoursAbove, above, hours, expected),
    verdict,
  };
}

function daysLine(locale: Locale, counts: Counts, expected: number, name: Pollutant): Line {
  const { days, days_above: above, days_limit: limit, days_allowed: n, days_verdict } = counts;
  const words = WORDS[locale];
  const text = name === 'o3' ? words.targetOf8Hours : words.limitOfDay;
  return {
    limit: fill(text, { value: micrograms(locale, limit), n }),
    measured: counted(locale, words.ofDays, above, days, expected),
    verdict: days_verdict,
  };
}

/** `4 of 300 days measured`, and of how many where some are missing. */
function counted(locale: Locale, forms: string, above: number, n: number, expected: number) {
  const text = fill(plural(locale, forms, n), { above, n });
  return n === expected ? text : fill(WORDS[locale].ofExpected, { text, n: expected });
}

/** `Exceeded: 137 of 365 days measured`. */
export const verdictOn = (locale: Locale, { measured, verdict }: Line): Html =>
  html`<b>${COMMON_WORDS[locale].verdicts[verdict]}</b>${WORDS[locale].colon} ${measured}`;

/** The pollutants that were measured in a period, each with its limits and verdicts. */
export const limitsTable = (locale: Locale, limits: Limits): Html =>
  html`<table><tbody>${measuredIn([limits]).map(
    (name) => html`<tr><th scope="row">${WORDS[locale][name]}</th>
<td>${linesOf(locale, limits, name).map(
      (line) => html`<div>${verdictOn(locale, line)}<br>
  <small>${line.limit}</small></div>`,
    )}</td></tr>`,
  )}</tbody></table>`;
