/** Atom 1.0 feeds (RFC 4287): the frame and the escapes, which all feeds of the API have in common. */
import { Feed } from 'feed';
import type { Locale } from '../contract/endpoints.ts';
import { type SiteTitles, titleIn } from '../contract/siteTitle.ts';
import type { SiteUrls } from './current.ts';
import { ATOM_KIND, type Document, renderDocument } from './document.ts';

/** Readers fetch a whole feed each time, so it has the newest entries only. */
const MOST_ENTRIES = 100;

/** Who publishes the feeds, and where. */
export type Publisher = {
  /** Base of the pages of the operator's site; '' where there are none. */
  siteBaseUrl: string;
  /** Where readers reach our pages, '' for the address of the API; undefined: there are none. */
  pages: string | undefined;
  site: { titles: SiteTitles; license: string };
};

/** `key`: what tells it from other entries of its local day; `date`: an instant with its offset. */
export type FeedEntry = { date: string; key: string; title: string; html: string };

/** A station or region: among the titles, in addresses, and its page on the operator's site, or ''. */
export type FeedSubject = {
  kind: 'stations' | 'regions';
  key: string;
  path: string;
  url: string;
};

export const stationSubject = (urls: SiteUrls, locale: Locale, id: number): FeedSubject => ({
  kind: 'stations',
  key: String(id),
  path: `station/${id}`,
  url: urls.station(locale, id),
});

/** `city`: of a district; null for a city. */
export const regionSubject = (
  urls: SiteUrls,
  locale: Locale,
  slug: string,
  city: string | null,
): FeedSubject => ({
  kind: 'regions',
  key: slug,
  path: `region/${slug}`,
  url: city === null ? urls.city(locale, slug) : urls.district(locale, city, slug),
});

type FeedContent = {
  locale: Locale;
  /** The name of its document, such as `changes`. */
  name: string;
  /** Undefined: the feed is of all. */
  subject?: FeedSubject | undefined;
  title: string;
  description?: string;
  entries: readonly FeedEntry[];
  /** The instant from which entries are listed. */
  since: string;
};

/**
 * Stands for an origin that is not known, since the library takes no relative address. Readers
 * resolve these against the address of the feed.
 */
const UNKNOWN_ORIGIN = 'http://origin.invalid';

/** Makes feeds; the newest entries come first. */
export function makeAtom({ siteBaseUrl, pages, site }: Publisher): (feed: FeedContent) => Document {
  const origin = pages === undefined || pages === '' ? UNKNOWN_ORIGIN : pages;
  // the host that makes the ids of entries its own
  const authority = hostOf(pages ?? '') ?? hostOf(siteBaseUrl) ?? 'localhost';
  const absolute = (address: string) => (address.startsWith('/') ? origin + address : address);

  return ({ locale, name, subject, title, description, entries, since }) => {
    const { path: of = '', url = '' } = subject ?? {};
    const path = `/${locale}/explore/v1/${of === '' ? '' : `${of}/`}${name}`;
    // the document takes the place of a page where there are none
    const own = pages === undefined ? `${path}.json` : `/${locale}/${of}`;
    const link = url === '' ? absolute(own) : url;
    const siteTitle = titleIn(site, locale);
    const sorted = entries
      .map((entry) => ({ ...entry, instant: new Date(entry.date) }))
      .sort((a, b) => b.instant.getTime() - a.instant.getTime());
    const feed = new Feed({
      id: `tag:${authority},2026:${path}`,
      title: plain(`${title} – ${siteTitle}`),
      ...(description !== undefined && { description: plain(description) }),
      updated: sorted[0]?.instant ?? new Date(since), // nothing has happened since
      generator: 'airseries',
      author: { name: plain(siteTitle) },
      link,
      feed: absolute(`${path}.atom`),
      ...(site.license !== '' && { copyright: plain(site.license) }),
    });
    for (const { instant, date, key, title: what, html } of sorted.slice(0, MOST_ENTRIES)) {
      feed.addItem({
        id: `tag:${authority},${date.slice(0, 10)}:${path}/${key}`,
        title: escapeHtml(what),
        content: html,
        link,
        date: instant,
      });
    }
    const text = feed
      .atom1()
      .replace('<feed ', `<feed xml:lang="${locale}" xml:base="${absolute(`${path}.atom`)}" `)
      .replaceAll(`="${UNKNOWN_ORIGIN}`, '="');
    return renderDocument(locale, text, ATOM_KIND);
  };
}

/** Paragraphs of plain text, as HTML. */
export const paragraphs = (lines: readonly string[]): string =>
  lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('');

/** Escapes text in an element that holds HTML. */
export const escapeHtml = (text: string): string =>
  inXml(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** `2026-11-20T13:00:00+04:00` as `2026-11-20 13:00`. */
export const timeOf = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** Escapes plain text: the library undoes `&amp;` before it escapes. */
const plain = (text: string) => inXml(text).replaceAll('&', '&amp;');

/** Without the characters that XML 1.0 cannot hold. */
const inXml = (text: string) =>
  text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');

/** Undefined for an address that is not known. */
const hostOf = (address: string) => (address === '' ? undefined : new URL(address).hostname);
