/** The line that says when numbers on a page were recomputed, and why (R1). */
import type { Locale } from '../../contract/endpoints.ts';
import { EXPLORE, type ExploreAnswer } from '../../contract/explore.ts';
import { type Change, isFlagOnly, whyOf } from '../../contract/words/changes.ts';
import { fill, formatDate } from './format.ts';
import { type Html, html } from './html.ts';
import { WORDS } from './words.ts';

export type Changes = ExploreAnswer<'stationChanges'> | ExploreAnswer<'regionChanges'>;

/** Older changes are in the document. In days. */
const NEWS_DAYS = 35;
const MOST_NAMES = 3;

/**
 * The newest change; none where nothing changed lately. `path`: of the subject, such as
 * `station/1`; `stations`: the names of those that may be the cause.
 */
export function changesPart(
  locale: Locale,
  path: string,
  { changes }: Changes,
  { at, stations }: { at: Date; stations: readonly { id: number; title: string }[] },
): Html {
  const words = WORDS[locale];
  const oldest = at.getTime() - NEWS_DAYS * 86_400_000;
  const newest = (changes as readonly Change[]).find(
    (one) => Date.parse(one.shown_at) >= oldest && !isFlagOnly(one),
  );
  if (newest === undefined) return html`<div data-live="changes"></div>`;
  const titles = new Map(stations.map(({ id, title }) => [String(id), title]));
  const text = fill(words.recomputed, {
    period: periodsOf(locale, newest),
    when: formatDate(locale, newest.shown_at, 'date'),
    why: whyOf(locale, newest, { stations: titles, regions: new Map() }, MOST_NAMES),
  });
  const href = EXPLORE.changes.path
    .replace('{locale}', locale)
    .replace('changes', `${path}/changes`);
  return html`<div data-live="changes"><p class="soft">${text} <a
    href="${href}">${words.recomputedAll}</a></p></div>`;
}

/** Its ranges of hours; of more than a sentence bears, the first and the last day. */
function periodsOf(locale: Locale, { hours }: Change): string {
  const named = hours.length <= MOST_NAMES ? hours : [{ ...hours[0], ...lastOf(hours) }];
  return [...new Set(named.map((range) => periodOf(locale, range as Range)))].join(', ');
}

type Range = Change['hours'][number];
const lastOf = (hours: readonly Range[]) => ({ last_hour: hours.at(-1)?.last_hour });

/** A day, a month as a whole, or from one day to another. */
function periodOf(locale: Locale, { first_hour: first, last_hour: last }: Range): string {
  if (first.slice(0, 10) === last.slice(0, 10)) return formatDate(locale, first, 'date');
  const isWhole = /^.{8}01T00/.test(first) && isEndOfMonth(last);
  if (isWhole && first.slice(0, 7) === last.slice(0, 7)) return formatDate(locale, first, 'month');
  return fill(WORDS[locale].recomputedSpan, {
    first: formatDate(locale, first, 'date'),
    last: formatDate(locale, last, 'date'),
  });
}

function isEndOfMonth(hour: string): boolean {
  const next = new Date(`${hour.slice(0, 13)}:00Z`);
  next.setUTCHours(next.getUTCHours() + 1);
  return next.getUTCDate() === 1 && next.getUTCHours() === 0;
}
