/** Renders the Atom feeds of changes (R1). */
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
import { type Entry, earlier, type Row, validityOf } from './entry.ts';
import { found, noSuchStation } from './paths.ts';
import type { ReadRow } from './readRow.ts';

type ChangeSources = Publisher & {
  readRow: ReadRow;
  db: ApiDb;
  reader: NetworkReader;
  clock: Clock;
  /** The pages of the operator's site. */
  urls: SiteUrls;
};

type Changes = Row & { since: string; changes: string };

/** The station or region of a feed, and more of its events. */
type About = Omit<Events, 'changes'> & { subject?: FeedSubject };

/** How each feed is rendered. */
export function makeChangeFeeds({
  readRow,
  db,
  reader,
  clock,
  urls,
  ...publisher
}: ChangeSources): Documents<Extract<ExploreName, `${string}hangesFeed`>> {
  const renderFeed = makeAtom(publisher);

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
    async changesFeed(values) {
      return await presentFeed(values.locale, await readRow('changes', values));
    },

    async stationChangesFeed(values) {
      const { locale, id } = values;
      const [row, [notices]] = await Promise.all([
        readRow('stationChanges', values),
        callApi(db, 'station_notices_json', { at: clock(), only_station: id }),
      ]);
      const { flags, silences, ...ofNotices } = found(notices, noSuchStation(id));
      const entry = await presentFeed(locale, row, {
        subject: stationSubject(urls, locale, id),
        flags: JSON.parse(flags),
        silences: JSON.parse(silences),
      });
      return { ...entry, ...earlier(entry, validityOf([ofNotices])) };
    },

    async regionChangesFeed(values) {
      const { locale, slug } = values;
      const row = await readRow('regionChanges', values);
      const subject = regionSubject(urls, locale, slug, row.city_slug);
      return await presentFeed(locale, row, { subject });
    },
  };
}
