/** Renders the feeds of changes (R1). */
import type { Locale } from '../../contract/endpoints.ts';
import type { FeedName } from '../../contract/explore.ts';
import { fill } from '../../contract/words/form.ts';
import { COMMON_WORDS } from '../../contract/words/words.ts';
import { query } from '../../database/query.ts';
import type { Documents } from '../../serve/documents.ts';
import { type Entry, earlier, type Row, validityOf } from '../../serve/entry.ts';
import { type Events, entriesOf } from './changeEntries.ts';
import {
  type FeedSources,
  type FeedSubject,
  type Publish,
  regionSubject,
  stationSubject,
} from './publish.ts';

type Changes = Row & { since: string; changes: string };
type Notices = Row & { flags: string; silences: string };

/** The station or region of a feed, and more of its events. */
type About = Omit<Events, 'changes'> & { subject?: FeedSubject };

/** How each feed is rendered. */
export function makeChangeFeeds(
  { readRow, db, reader, clock, urls }: FeedSources,
  publish: Publish,
): Documents<Extract<FeedName, `${string}hangesFeed`>> {
  async function presentFeed(
    locale: Locale,
    row: Changes,
    { subject, ...more }: About = {},
  ): Promise<Entry> {
    const { titles: all, ...ofTitles } = await reader.titles();
    const titles = all[locale];
    const { feeds } = COMMON_WORDS[locale];
    const place = subject && (titles[subject.kind].get(subject.key) ?? subject.key);
    const events = { ...more, changes: JSON.parse(row.changes) };
    const document = publish({
      locale,
      name: 'changes',
      subject,
      title: place === undefined ? feeds.changes : fill(feeds.changesOf, { place }),
      entries: entriesOf(locale, events, titles, place),
      since: row.since,
    });
    return { document, ...earlier(validityOf([row]), ofTitles) };
  }

  /** There are none of a station that does not exist. */
  async function readNotices(id: number): Promise<Notices> {
    const [row] = await query(db, 'select * from api.station_notices_json($1, $2)', [clock(), id]);
    return row as Notices;
  }

  return {
    async changesFeed(values) {
      return await presentFeed(values.locale, await readRow('changes', values));
    },

    async stationChangesFeed(values) {
      const { locale, id } = values;
      const [row, { flags, silences, ...ofNotices }] = await Promise.all([
        readRow('stationChanges', values), // rejects where there is no such station
        readNotices(id),
      ]);
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
