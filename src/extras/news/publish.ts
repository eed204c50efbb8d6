/** Feeds have this in common: their addresses and ids, and whose they are. */
import { ANY_ORIGIN, type Locale } from '../../contract/endpoints.ts';
import { titleIn } from '../../contract/words/siteTitle.ts';
import type { Offers } from '../../serve/app.ts';
import { type Document, type Kind, renderDocument } from '../../serve/document.ts';
import { writeAtom } from './atom.ts';

/** Readers fetch a whole feed each time, so it has the newest entries only. */
const MOST_ENTRIES = 100;

const ATOM: Kind = {
  type: 'application/atom+xml; charset=utf-8',
  headers: Object.entries(ANY_ORIGIN).flat(),
};

/** The service gives these for feeds. */
export type FeedSources = Parameters<Required<Offers>['feeds']>[0];

/** `key`: what tells it from other entries of its local day; `date`: an instant with its offset. */
export type FeedEntry = { date: string; key: string; title: string; html: string };

/** A station or region: among the titles, in addresses, and its page on the operator's site, or ''. */
export type FeedSubject = {
  kind: 'stations' | 'regions';
  key: string;
  path: string;
  url: string;
};

type Urls = FeedSources['urls'];

export const stationSubject = (urls: Urls, locale: Locale, id: number): FeedSubject => ({
  kind: 'stations',
  key: String(id),
  path: `station/${id}`,
  url: urls.station(locale, id),
});

/** `city`: of a district; null for a city. */
export const regionSubject = (
  urls: Urls,
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

export type Publish = (feed: FeedContent) => Document;

/** Makes feeds; the newest entries come first. */
export function makePublish({
  siteBaseUrl,
  pages,
  site,
}: Pick<FeedSources, 'siteBaseUrl' | 'pages' | 'site'>): Publish {
  // the host that makes the ids of entries its own
  const authority = hostOf(pages ?? '') ?? hostOf(siteBaseUrl) ?? 'localhost';
  /** The address of a path of ours; relative where our own is not known. */
  const addressOf = (path: string) => (pages ? new URL(pages + path).href : path);

  return ({ locale, name, subject, title, description, entries, since }) => {
    const { path: of = '', url = '' } = subject ?? {};
    const path = `/${locale}/explore/v1/${of === '' ? '' : `${of}/`}${name}`;
    // the document takes the place of a page where there are none
    const own = pages === undefined ? `${path}.json` : `/${locale}/${of}`;
    const author = titleIn(site, locale);
    const newest = entries
      .map((entry) => ({ ...entry, updated: new Date(entry.date) }))
      .sort((a, b) => b.updated.getTime() - a.updated.getTime())
      .slice(0, MOST_ENTRIES);
    const atom = writeAtom({
      locale,
      id: `tag:${authority},2026:${path}`,
      title: `${title} – ${author}`,
      description,
      updated: newest[0]?.updated ?? new Date(since), // nothing has happened since
      author,
      rights: site.license,
      link: url === '' ? addressOf(own) : new URL(url).href,
      self: addressOf(`${path}.atom`),
      entries: newest.map(({ date, key, ...entry }) => ({
        ...entry,
        id: `tag:${authority},${date.slice(0, 10)}:${path}/${key}`,
      })),
    });
    return renderDocument(locale, atom, ATOM);
  };
}

/** Undefined for an address that is not known. */
const hostOf = (address: string) => (address === '' ? undefined : new URL(address).hostname);
