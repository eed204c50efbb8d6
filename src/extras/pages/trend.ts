/** Where the air is going: a word, a sentence about all cities, and the line of a day in lists. */
import type { Region } from '../../contract/current.ts';
import type { Locale } from '../../contract/endpoints.ts';
import { fill, plural } from './format.ts';
import { type Html, html } from './html.ts';
import type { LastDay } from './lastDays.ts';
import { categoryOf, GUIDELINES } from './scale.ts';
import { WORDS } from './words.ts';

/** The arrow of each trend, beside its word. */
const ARROWS = { rising: '↗', falling: '↘', steady: '→' } as const;

/** `↗ rising`; nothing where it isn't known. */
export function trendText(locale: Locale, trend: LastDay['trend']): string {
  return trend === null ? '' : `${ARROWS[trend]}\u00a0${WORDS[locale][trend]}`;
}

/** The trend with what it compares, beneath a headline. */
export const trendLine = (locale: Locale, trend: LastDay['trend']): Html | false =>
  trend !== null &&
  html`<p class="trend">${trendText(locale, trend)} <small>${WORDS[locale].trendNote}</small></p>`;

type City = Region & { day?: LastDay | undefined };

/**
 * In how many cities the air is of the worst category that there is, and which city is worst.
 * Cities without an index are counted apart: nothing is known of them.
 */
export function overviewSentence(
  locale: Locale,
  cities: readonly City[],
  pathOf: (city: City) => string,
): Html {
  const words = WORDS[locale];
  const [worst, ...others] = cities
    .filter(({ aqi }) => aqi !== null)
    .toSorted((a, b) => Number(b.aqi) - Number(a.aqi));
  if (worst === undefined) return html`${words.nothingRecent}`;
  const category = categoryOf(worst.aqi);
  const known = [worst, ...others];
  const count = known.filter(({ aqi }) => categoryOf(aqi) === category).length;
  const name = words[category];
  const text = count === known.length ? words.overviewAll : words.overviewSome;
  const said = fill(plural(locale, text, known.length), {
    n: count,
    all: known.length,
    category: locale === 'en' ? name.toLowerCase() : name,
  });
  const trend = worst.day?.trend ?? null;
  const values = [worst.aqi, ...(trend === null ? [] : [words[trend]])].join(', ');
  const [before, after = ''] = words.overviewWorst.split('{place}');
  const unknown = cities.length - known.length;
  return html`${said}${before}
    <a href="${pathOf(worst)}">${worst.title}</a>
    ${fill(after, { values })}${unknown > 0 && ` ${fill(words.overviewUnknown, { n: unknown })}`}`;
}

const WIDTH = 92;
const HEIGHT = 20;
const STEP = 4;

/**
 * PM2.5 of 24 hours as a line from 0, in whole pixels, since a page may have a thousand. Low values
 * stay low: its top is at least the WHO's guideline for a day.
 */
export function dayLine({ 'pm2.5': hours }: LastDay): Html | false {
  const known = hours.filter((value) => value !== null);
  if (known.length < 2) return false;
  const top = Math.max(GUIDELINES['pm2.5']?.day ?? 0, ...known);
  let last: number | undefined;
  const steps = hours.map((value, n) => {
    const before = last;
    last = value === null ? undefined : Math.round(HEIGHT - 1 - (value / top) * (HEIGHT - 2));
    if (last === undefined) return '';
    return before === undefined ? `M${n * STEP} ${last}h0` : `l${STEP} ${last - before}`;
  });
  return html`<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"
    aria-hidden="true">
    <path d="${steps.join('')}"/></svg>`;
}
