/** Renders the documents of changes (R1) and their feeds. */
import type { Clock } from '../base/clock.ts';
import type { Locale } from '../contract/endpoints.ts';
import type { ExploreName } from '../contract/explore.ts';
import type { ApiDb } from '../database/apiDb.ts';
import { callApi } from '../database/query.ts';
import {
  type FeedSubject,
  makeAtom,
  type Publisher,
  regionSubject,
  stationSubject,
} from './atom.ts';
import { type Events, entriesOf } from './changesFeed.ts';
import { CHANGE_WORDS, fill } from './changeWords.ts';
import type { SiteUrls } from './current.ts';
import type { Documents, NetworkReader } from './documents.ts';
import { type Entry, earlier, entryOf, type Row, validityOf } from './entry.ts';
import { found, noSuchRegion, noSuchStation } from './paths.ts';

export type ChangeName = Extract<ExploreName, `${string}hanges${string}`>;

type ChangeSources = Publisher & {
  db: ApiDb;
  wholeNetwork: ApiDb;
  reader: NetworkReader;
  clock: Clock;
  /** The pages of the operator's site. */
  urls: SiteUrls;
};

type Changes = Row & { since: string; first_hour?: string | null; changes: string };

/** The station or region of a feed, and more of its events. */
type About = Omit<Events, 'changes'> & { subject?: FeedSubject };

/** How each document of changes and each feed is rendered. */
export function makeChanges({
  db,
  wholeNetwork,
  reader,
  clock,
  urls,
  ...publisher
}: ChangeSources): Documents<ChangeName> {
  const renderFeed = makeAtom(publisher);
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

  async function presentFeed(
    locale: Locale,
    row: Changes,
    { subject, ...more }: About = {},
  ): Promise<Entry> {
    const { titles: all, ...ofTitles } = await reader.titles();
    const titles = all[locale];
    const { feed, feedOf } = CHANGE_WORDS[locale];
    const place = subject && (titles[subject.kind].get(subject.key) ?? subject.key);
    const events = { ...more, changes: JSON.parse(row.changes) };
    const document = renderFeed({
      locale,
      name: 'changes',
      subject,
      title: place === undefined ? feed : fill(feedOf, { place }),
      entries: entriesOf(locale, events, titles, place),
      since: row.since,
    });
    return { document, ...earlier(validityOf([row]), ofTitles) };
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
        subject: stationSubject(urls, locale, id),
        flags: JSON.parse(flags),
        silences: JSON.parse(silences),
      });
      return { ...entry, ...earlier(entry, validityOf([ofNotices])) };
    },

    async regionChangesFeed({ locale, slug }) {
      const row = await readRegion(slug);
      const subject = regionSubject(urls, locale, slug, row.city_slug);
      return await presentFeed(locale, row, { subject });
    },
  };
}

function presentChanges(locale: Locale, { since, first_hour, changes, ...row }: Changes): Entry {
  const begun = first_hour === undefined ? '' : `"first_hour":${JSON.stringify(first_hour)},`;
  return entryOf(locale, `{"since":"${since}",${begun}"changes":${changes}}`, row);
}
