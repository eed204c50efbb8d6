/** The limits of the EU on a sheet to print: a year beside the one before, and how they differ. */
import type { Locale } from '../../contract/endpoints.ts';
import { fill, formatDate, plural } from './format.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';
import {
  countsOf,
  type LimitsOfYear,
  linesOf,
  measuredIn,
  micrograms,
  type Pollutant,
  sheetPath,
  verdictOn,
} from './limits.ts';
import { RULES } from './rules.ts';
import { WORDS } from './words.ts';

const DIRECTIVE = 'https://eur-lex.europa.eu/eli/dir/2024/2881/oj';

/** `path`: of the station or region, such as `region/velmora`; `later`: the next year has begun. */
type Shown = {
  path: string;
  title: string;
  year: LimitsOfYear;
  before: LimitsOfYear;
  later: boolean;
};

export function limitsSheet(locale: Locale, shown: Shown): Page {
  const words = WORDS[locale];
  const { path, title, year, before } = shown;
  const heading = fill(words.limitsOf, { place: title, year: before.year, next: year.year });
  const isMeasured = measuredIn([year, before]).length > 0;
  return {
    locale,
    path: `${path}/limits/${year.year}`,
    title: heading,
    scripts: [],
    body: html`<p class="path">
    <a href="/${locale}/">${words.overview}</a> › <a href="/${locale}/${path}">${title}</a>${otherYears(locale, shown)}</p>
<article class="sheet"><h1>${heading}</h1>
${
  isMeasured
    ? html`<p class="lead">${summary(locale, year)}</p>
${table(locale, [year, before])}`
    : html`<p>${words.neverSent}</p>`
}
<p>${RULES.EU[locale]}</p>
<p>${RULES.limits[locale]}</p>
<p class="soft"><a href="${DIRECTIVE}">${DIRECTIVE}</a></p></article>`,
  };
}

/** Links to the sheets of the year before, where it was measured, and of the next. */
function otherYears(locale: Locale, { path, year, before, later }: Shown): Html[] {
  const link = (n: number) =>
    html` · <a href="${sheetPath(locale, path)}/${n}">${fill(WORDS[locale].wholeYear, { year: n })}</a>`;
  return [
    ...(measuredIn([before]).length > 0 ? [link(before.year)] : []),
    ...(later ? [link(year.year + 1)] : []),
  ];
}

const isOver = ({ year, last_day: last }: LimitsOfYear) => last === `${year}-12-31`;

/** `2025`, or `2026, up to 19 Nov`. */
function periodOf(locale: Locale, limits: LimitsOfYear): string {
  const { year, last_day: last } = limits;
  const words = WORDS[locale];
  return isOver(limits) || last === null
    ? fill(words.wholeYear, { year })
    : fill(words.yearUpTo, { year, date: formatDate(locale, last, 'day') });
}

/** The days above the limit in a sentence, of the first pollutant that was measured. */
function summary(locale: Locale, limits: LimitsOfYear): string {
  const [name = 'pm2.5'] = measuredIn([limits]);
  const { days_above: n, days_limit, days_allowed: allowed, days_change } = countsOf(limits, name);
  const words = WORDS[locale];
  return fill(plural(locale, words.limitsOfYear, n), {
    period: periodOf(locale, limits),
    n,
    name: name.startsWith('pm') ? words[name] : words[name].toLowerCase(),
    value: micrograms(locale, days_limit),
    allowed,
    change: changeText(locale, limits, days_change ?? null),
  });
}

/** `, 30 fewer than in 2025`; empty where the years can't be compared. */
function changeText(locale: Locale, limits: LimitsOfYear, change: number | null): string {
  if (change === null) return '';
  const words = WORDS[locale];
  const when = fill(isOver(limits) ? words.inYear : words.inYearByThen, { year: limits.year - 1 });
  const unequal = change < 0 ? words.fewerDays : words.moreDays;
  return fill(change === 0 ? words.asManyDays : unequal, { n: Math.abs(change), when });
}

/** A row for each limit, a column for each year. */
function table(locale: Locale, years: readonly [LimitsOfYear, LimitsOfYear]): Html {
  const words = WORDS[locale];
  const verdicts = (year: LimitsOfYear, name: Pollutant) =>
    linesOf(locale, year, name).map((line) =>
      year[name].days === 0 ? words.noValue : verdictOn(locale, line),
    );
  const rows = measuredIn(years).flatMap((name) => {
    const columns = years.map((year) => verdicts(year, name));
    return linesOf(locale, years[0], name).map(
      ({ limit }, n) => html`<tr><th scope="row">${words[name]}<br>
  <small>${limit}</small></th>${columns.map((column) => html`<td>${column[n]}</td>`)}</tr>\n`,
    );
  });
  const heads = [words.pollutant, ...years.map((year) => periodOf(locale, year))];
  return html`<table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`;
}
