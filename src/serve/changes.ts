/** Renders the documents of changes (R1) and their feeds. */
import type { Clock } from '../base/clock.ts';
import type { Locale } from '../contract/endpoints.ts';
import type { ExploreName } from '../contract/explore.ts';
import type { ApiDb } from '../database/apiDb.ts';
import { callApi } from '../database/query.ts';
import { type FeedContent, renderFeed } from './changesFeed.ts';
import type { SiteUrls } from './current.ts';
import { ATOM_KIND, renderDocument } from './document.ts';
import type { Documents, NetworkReader } from './documents.ts';
import { type Entry, earlier, entryOf, type Row, validityOf } from './entry.ts';
import { found, noSuchRegion, noSuchStation } from './paths.ts';

export type ChangeName = Extract<ExploreName, `${string}hanges${string}`>;

type ChangeSources = {
  db: ApiDb;
  wholeNetwork: ApiDb;
  reader: NetworkReader;
  clock: Clock;
  /** The pages of the operator's site: their base, and each; empty strings where there are none. */
  siteBaseUrl: string;
  urls: SiteUrls;
  /** Where readers reach our pages, '' for the address of the API; undefined: there are none. */
  pages: string | undefined;
  site: FeedContent['site'];
};

type Changes = Row & { since: string; first_hour?: string | null; changes: string };

/** The parts of a feed of a station or region beside its changes. */
type About = Pick<FeedContent, 'subject' | 'flags' | 'silences'> & {
  /** Its page on the operator's site. */
  url: string;
};

/** How each document of changes and each feed is rendered. */
export function makeChanges({
  db,
  wholeNetwork,
  reader,
  clock,
  siteBaseUrl,
  urls,
  pages,
  site,
}: ChangeSources): Documents<ChangeName> {
  const readStation = async (id: number) => {
    const [row] = await callApi(db, 'station_changes_json', { at: clock(), only_station: id });
    return found(row, noSuchStation(id));
  };
  const readRegion = async (slug: string) => {
    const [row] = await callApi(db, 'region_changes_json', { at: clock(), only_region: slug });
    return found(row, noSuchRegion(slug));
  };
  const readAll = async () => {
    const [row] = await callApi(wholeNetwork, 'changes_json', { at: clock() });
    return row as NonNullable<typeof row>;
  };
  const origin = pages ?? '';

  async function presentFeed(locale: Locale, row: Changes, about?: About): Promise<Entry> {
    const { titles, ...ofTitles } = await reader.titles();
    const { url = '', ...more } = about ?? {};
    const own =
      pages === undefined ? undefined : `${pages}/${locale}/${about?.subject?.path ?? ''}`;
    const text = renderFeed({
      locale,
      origin,
      authority: hostOf(origin) ?? hostOf(siteBaseUrl) ?? 'localhost',
      page: url === '' ? own : url,
      site,
      titles: titles[locale],
      since: row.since,
      changes: JSON.parse(row.changes),
      ...more,
    });
    return {
      document: renderDocument(locale, text, ATOM_KIND),
      ...earlier(validityOf([row]), ofTitles),
    };
  }

  return {
    changes: async ({ locale }) => presentChanges(locale, await readAll()),

    stationChanges: async ({ locale, id }) => presentChanges(locale, await readStation(id)),

    regionChanges: async ({ locale, slug }) => presentChanges(locale, await readRegion(slug)),

    changesFeed: async ({ locale }) => presentFeed(locale, await readAll()),

    async stationChangesFeed({ locale, id }) {
      const args = { at: clock(), only_station: id };
      const [row, [notices]] = await Promise.all([
        readStation(id),
        callApi(db, 'station_notices_json', args),
      ]);
      const { flags, silences, ...ofNotices } = found(notices, noSuchStation(id));
      const entry = await presentFeed(locale, row, {
        subject: { kind: 'stations', key: String(id), path: `station/${id}` },
        flags: JSON.parse(flags),
        silences: JSON.parse(silences),
        url: urls.station(locale, id),
      });
      return { ...entry, ...earlier(entry, validityOf([ofNotices])) };
    },

    async regionChangesFeed({ locale, slug }) {
      const row = await readRegion(slug);
      return await presentFeed(locale, row, {
        subject: { kind: 'regions', key: slug, path: `region/${slug}` },
        url:
          row.city_slug === null
            ? urls.city(locale, slug)
            : urls.district(locale, row.city_slug, slug),
      });
    },
  };
}

/** Undefined for an address that is not known. */
const hostOf = (address: string) => (address === '' ? undefined : new URL(address).hostname);

function presentChanges(locale: Locale, { since, first_hour, changes, ...row }: Changes): Entry {
  const begun = first_hour === undefined ? '' : `"first_hour":${JSON.stringify(first_hour)},`;
  return entryOf(locale, `{"since":"${since}",${begun}"changes":${changes}}`, row);
}
