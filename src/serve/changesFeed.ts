/** Atom 1.0 feeds (RFC 4287) of changes, and of the flags and silences of a station. */
import { Feed } from 'feed';
import type { Locale } from '../contract/endpoints.ts';
import { CHANGE_WORDS, type Change, fill, whyOf } from './changeWords.ts';
import type { Titles } from './localizedText.ts';
import { type SiteTitles, titleIn } from './siteTitle.ts';

/** Readers fetch a whole feed each time, so it has the newest entries only. */
const MOST_ENTRIES = 100;
const NAMES_IN_TITLE = 3;
const MOST_NAMES = 20;

type Flag = {
  kind: 'thp' | 'pm';
  test: string;
  sensor_id: number | null;
  since: string | null;
  until: string | null;
};

/** Full hours without a reading; `noticed_at`: when they were enough to be called a silence. */
type Silence = { since: string; noticed_at: string; until: string | null };

export type FeedContent = {
  locale: Locale;
  /** Where the documents are reached, such as `https://air.example`; empty: unknown. */
  origin: string;
  /** The host that makes the ids of entries its own. */
  authority: string;
  /** The page that the feed belongs to; undefined: its document takes the place of one. */
  page: string | undefined;
  site: { titles: SiteTitles; license: string };
  titles: Titles;
  /** The station or region, with its path in addresses; undefined: the feed is of all. */
  subject?: { kind: 'stations' | 'regions'; key: string; path: string };
  since: string;
  changes: readonly Change[];
  flags?: readonly Flag[];
  silences?: readonly Silence[];
};

/** `key`: what tells it from other entries of its local day. */
type Entry = { shownAt: string; key: string; title: string; html: string };

/**
 * Stands for an origin that is not known, since the library takes no relative address. Readers
 * resolve these against the address of the feed.
 */
const UNKNOWN_ORIGIN = 'http://origin.invalid';

export function renderFeed(content: FeedContent): string {
  const { locale, authority, page, site, titles, subject, since } = content;
  const { changes, flags = [], silences = [] } = content;
  const words = CHANGE_WORDS[locale];
  const place = subject && (titles[subject.kind].get(subject.key) ?? subject.key);
  const path = `/${locale}/explore/v1/${subject === undefined ? '' : `${subject.path}/`}changes`;
  const origin = content.origin === '' ? UNKNOWN_ORIGIN : content.origin;
  const absolute = (address: string) => (address.startsWith('/') ? origin + address : address);
  const link = absolute(page ?? `${path}.json`);
  const siteTitle = titleIn(site, locale);
  const title = place === undefined ? words.feed : fill(words.feedOf, { place });
  const entries = [
    ...changes.map((change) => ofChange(locale, change, titles)),
    ...flags.flatMap((flag) => ofFlag(locale, flag)),
    ...silences.flatMap((silence) => ofSilence(locale, silence)),
  ]
    .map((entry) => ({ ...entry, date: new Date(entry.shownAt) }))
    .sort((a, b) => b.date.getTime() - a.date.getTime());
  const feed = new Feed({
    id: `tag:${authority},2026:${path}`,
    title: plain(`${title} – ${siteTitle}`),
    updated: entries[0]?.date ?? new Date(since), // nothing has changed since
    generator: 'airseries',
    author: { name: plain(siteTitle) },
    link,
    feed: absolute(`${path}.atom`),
    ...(site.license !== '' && { copyright: plain(site.license) }),
  });
  for (const { date, shownAt, key, title: what, html } of entries.slice(0, MOST_ENTRIES)) {
    feed.addItem({
      id: `tag:${authority},${shownAt.slice(0, 10)}:${path}/${key}`,
      title: escapeHtml(place === undefined ? what : `${place}: ${what}`),
      content: html,
      link,
      date,
    });
  }
  return feed
    .atom1()
    .replace('<feed ', `<feed xml:lang="${locale}" `)
    .replaceAll(`href="${UNKNOWN_ORIGIN}`, 'href="');
}

function ofChange(locale: Locale, change: Change, titles: Titles): Entry {
  const { hours } = CHANGE_WORDS[locale];
  const span = { first: timeOf(change.first_hour), last: timeOf(change.last_hour) };
  return {
    shownAt: change.shown_at,
    key: change.reason,
    title: whyOf(locale, change, titles, NAMES_IN_TITLE),
    html: [fill(hours, span), whyOf(locale, change, titles, MOST_NAMES)]
      .map((line) => `<p>${escapeHtml(line)}</p>`)
      .join(''),
  };
}

function ofFlag(locale: Locale, { kind, test, sensor_id, since, until }: Flag): Entry[] {
  const words = CHANGE_WORDS[locale];
  const what = { what: words[kind], test: words.tests[test] ?? test };
  const key = `${kind}/${test}/${sensor_id ?? 'station'}`;
  return [
    ...notice(since, `raised/${key}`, fill(words.raised, what)),
    ...notice(until, `lifted/${key}`, fill(words.lifted, what)),
  ];
}

function ofSilence(locale: Locale, { since, noticed_at, until }: Silence): Entry[] {
  const words = CHANGE_WORDS[locale];
  return [
    ...notice(noticed_at, 'silent', fill(words.silent, { time: timeOf(since) })),
    ...notice(until, 'again', fill(words.again, { time: timeOf(until ?? since) })),
  ];
}

/** An entry with its time in its key, since a day may have several; none without a time. */
function notice(time: string | null, key: string, text: string): Entry[] {
  if (time === null) return [];
  return [
    { shownAt: time, key: `${key}/${time.slice(11, 19)}`, title: text, html: escapeHtml(text) },
  ];
}

/** `2026-11-20T13:00:00+04:00` as `2026-11-20 13:00`. */
const timeOf = (time: string) => time.slice(0, 16).replace('T', ' ');

/** Without the characters that XML 1.0 cannot hold. */
const inXml = (text: string) =>
  text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');

/** Escapes plain text: the library undoes `&amp;` before it escapes. */
const plain = (text: string) => inXml(text).replaceAll('&', '&amp;');

/** Escapes text in an element that holds HTML. */
const escapeHtml = (text: string) =>
  inXml(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
