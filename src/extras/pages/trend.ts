/** Where the air is going: an arrow, a sentence about all cities, and the line of a day in lists. */
import type { Region } from '../../contract/current.ts';
import type { Locale } from '../../contract/endpoints.ts';
import type { ExploreAnswer } from '../../contract/explore.ts';
import { INDEX_WORDS } from '../../contract/words/indices.ts';
import { fill, plural } from './format.ts';
import { type Html, html } from './html.ts';
import { GUIDELINES, POLLUTANTS, rankOf } from './scale.ts';
import { boxOf, hasTrend, type Verdict } from './verdict.ts';
import { WORDS } from './words.ts';

/** PM2.5 of the last 24 closed hours, in the order of time, and its trend. */
export type LastDay = Pick<ExploreAnswer<'lastDay'>['regions'][number], 'trend' | 'pm2.5'>;
type Trend = LastDay['trend'];

/** The arrow of each trend, beside its word or in place of it. */
const ARROWS = { rising: '↗', falling: '↘', steady: '→' } as const;

/** The arrow alone, which has the word as its name; false where the trend isn't known. */
export const trendMark = (locale: Locale, trend: Trend): Html | false =>
  trend !== null &&
  html`<span role="img" aria-label="${WORDS[locale][trend]}"
    title="${WORDS[locale][trend]}">${ARROWS[trend]}</span>`;

/** The trend with what it compares, beneath a headline. */
export function trendLine(locale: Locale, trend: Trend): Html | false {
  if (trend === null) return false;
  const words = WORDS[locale];
  const said =
    locale === 'ru' && trend === 'steady'
      ? trendMark(locale, trend) // «без изменений» would be said of the last hour
      : html`${ARROWS[trend]}\u00a0${words[trend]}`;
  return html`<p class="trend">${said} <small>(${words.trendNote})</small></p>`;
}

type City = Pick<Region, 'slug' | 'title'> & { day?: LastDay | undefined; verdict: Verdict };

/** More cities are not named as the worst: the sentence has said how many they are. */
const MOST_NAMED = 3;

/**
 * The number of cities by category of their air, worst first, and the worst city. Cities
 * without an index are counted apart: nothing is known of them.
 */
export function overviewSentence(
  locale: Locale,
  cities: readonly City[],
  pathOf: (city: City) => string,
): Html {
  const words = WORDS[locale];
  const rank = ({ verdict }: City) => rankOf(verdict.grade);
  const known = cities
    .filter(({ verdict }) => verdict.by !== undefined)
    .toSorted((a, b) => rank(b) - rank(a));
  const [worst] = known;
  if (worst === undefined) return html`${words.nothingRecent}`;
  const categories = [...new Map(known.map(({ verdict }) => [verdict.look, verdict])).values()];
  const said = categories.map((verdict, n) => {
    const count = known.filter((one) => one.verdict.look === verdict.look).length;
    const ofSome = n === 0 ? words.overviewSome : words.overviewAlso;
    const text = categories.length === 1 ? words.overviewAll : ofSome;
    return fill(plural(locale, text, known.length), {
      n: count,
      all: known.length,
      category: categoryIn(locale, verdict),
    });
  });
  const unknown = cities.length - known.length;
  return html`${said.join('')}${worstOf(
    locale,
    known.filter((one) => rank(one) === rank(worst) && one.verdict.look === worst.verdict.look),
    known.length,
    pathOf,
  )}${unknown > 0 && ` ${fill(words.overviewUnknown, { n: unknown })}`}`;
}

/** The category within a sentence, with the name of its index where INDEX names the other one. */
function categoryIn(locale: Locale, { look, by, isOther }: Verdict): string {
  const name = locale === 'en' ? WORDS[locale][look].toLowerCase() : `«${WORDS[locale][look]}»`;
  return isOther && by !== undefined ? `${name} (${INDEX_WORDS[by.index].short[locale]})` : name;
}

/**
 * The end of the sentence: the cities that no other is worse than, which by a number is mostly one,
 * and by the European index all of a band. If it is one, with what makes the index, and whether it
 * rises or falls.
 * None is named where all are in one band.
 */
function worstOf(
  locale: Locale,
  worst: readonly City[],
  all: number,
  pathOf: (city: City) => string,
): Html {
  const words = WORDS[locale];
  const links = worst.map(
    (city, n) => html`${n > 0 && ', '}<a href="${pathOf(city)}">${city.title}</a>`,
  );
  const [before, after = ''] = words.overviewWorst.split('{place}');
  const [{ verdict, day } = worst[0] as City, ...others] = worst;
  const isByNumber = typeof verdict.grade === 'number';
  if (worst.length > MOST_NAMED || (!isByNumber && all > 1 && worst.length === all))
    return html`${after}`;
  const trend = others.length === 0 && hasTrend(verdict) ? (day?.trend ?? 'steady') : 'steady';
  const index = isByNumber ? boxOf(verdict) : `(${POLLUTANTS[verdict.maker ?? '']})`;
  const values =
    trend === 'steady' ? index : fill(words.overviewTrend, { index, trend: words[trend] });
  return html`${before}${links}${(isByNumber || others.length === 0) && ` ${values}`}${after}`;
}

const WIDTH = 92;
const HEIGHT = 20;
const STEP = 4;

/** A day in a list, whose lines all end at `top`. */
export type ListedDay = LastDay & { top: number };

/** The highest PM2.5 of a list, at least the WHO's guideline for a day: low values stay low. */
export const topOf = (days: readonly (LastDay | undefined)[]): number =>
  days
    .flatMap((day) => day?.['pm2.5'] ?? [])
    .reduce((top: number, value) => Math.max(top, value ?? 0), GUIDELINES['pm2.5']?.day ?? 0);

/**
 * PM2.5 of 24 hours as a line from 0 to `top`, in whole pixels, since a page may have a thousand. By
 * roots: on a plain scale one place in smoke would flatten all others.
 */
export function dayLine({ 'pm2.5': hours, top }: ListedDay): Html | false {
  if (hours.filter((value) => value !== null).length < 2) return false;
  let last: number | undefined;
  const steps = hours.map((value, n) => {
    const before = last;
    last =
      value === null ? undefined : Math.round(HEIGHT - 1 - Math.sqrt(value / top) * (HEIGHT - 2));
    if (last === undefined) return '';
    return before === undefined ? `M${n * STEP} ${last}h0` : `l${STEP} ${last - before}`;
  });
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"
    aria-hidden="true">
    <path d="${steps.join('')}"/></svg>`;
}
