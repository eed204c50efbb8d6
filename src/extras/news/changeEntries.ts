/** The entries of feeds of changes: changes, and the flags and silences of a station. */
import type { Locale } from '../../contract/endpoints.ts';
import { type Change, isFlagOnly, whyOf } from '../../contract/words/changes.ts';
import { fill } from '../../contract/words/form.ts';
import type { Titles } from '../../serve/localizedText.ts';
import { escaped, paragraphs } from './atom.ts';
import type { FeedEntry } from './publish.ts';
import { WORDS } from './words.ts';

const NAMES_IN_TITLE = 3;
const MOST_NAMES = 20;

type Flag = {
  kind: 'thp' | 'pm';
  test: string;
  sensor_id: number | null;
  since: string | null;
  until: string | null;
};

/**
 * Full hours without a reading. `last_reading`: before them; null where it is no longer kept.
 * `noticed_at`: when they were enough to be called a silence.
 */
type Silence = {
  since: string;
  last_reading: string | null;
  noticed_at: string;
  until: string | null;
};

/** What happened to the published numbers of all, or of a station or region. */
export type Events = {
  changes: readonly Change[];
  flags?: readonly Flag[];
  silences?: readonly Silence[];
};

/** `place`: the name of the station or region, with which every title begins; undefined: all. */
export function entriesOf(
  locale: Locale,
  { changes, flags = [], silences = [] }: Events,
  titles: Titles,
  place: string | undefined,
): FeedEntry[] {
  const entries = [
    ...changes.map((change) => ofChange(locale, change, titles)),
    ...flags.flatMap((flag) => ofFlag(locale, flag)),
    ...silences.flatMap((silence) => ofSilence(locale, silence)),
  ];
  if (place === undefined) return entries;
  return entries.map((entry) => ({ ...entry, title: `${place}: ${entry.title}` }));
}

function ofChange(locale: Locale, change: Change, titles: Titles): FeedEntry {
  const { hours, flaggedHours, span } = WORDS[locale].changes;
  const spans = change.hours
    .map((range) => fill(span, { first: timeOf(range.first_hour), last: timeOf(range.last_hour) }))
    .join(', ');
  const text = fill(isFlagOnly(change) ? flaggedHours : hours, { spans });
  return {
    date: change.shown_at,
    key: change.reason,
    title: whyOf(locale, change, titles, NAMES_IN_TITLE),
    html: paragraphs([text, whyOf(locale, change, titles, MOST_NAMES)]),
  };
}

function ofFlag(locale: Locale, { kind, test, sensor_id, since, until }: Flag): FeedEntry[] {
  const words = WORDS[locale].changes;
  const tests: Readonly<Record<string, string>> = words.tests;
  const what = { what: words[kind], test: tests[test] ?? test };
  const key = `${kind}/${test}/${sensor_id ?? 'station'}`;
  return [
    ...notice(since, `raised/${key}`, fill(words.raised, what)),
    ...notice(until, `lifted/${key}`, fill(words.lifted, what)),
  ];
}

function ofSilence(locale: Locale, silence: Silence): FeedEntry[] {
  const { since, last_reading, noticed_at, until } = silence;
  const words = WORDS[locale].changes;
  const last = timeOf(last_reading ?? since);
  return [
    ...notice(noticed_at, 'silent', fill(words.silent, { time: last })),
    ...notice(until, 'again', fill(words.again, { time: timeOf(until ?? since) })),
  ];
}

/** An entry with its time in its key, since a day may have several; none without a time. */
function notice(time: string | null, key: string, text: string): FeedEntry[] {
  if (time === null) return [];
  return [{ date: time, key: `${key}/${time.slice(11, 19)}`, title: text, html: escaped(text) }];
}

/** `2026-11-20T13:00:00+04:00` as `2026-11-20 13:00`. */
const timeOf = (time: string): string => time.slice(0, 16).replace('T', ' ');
