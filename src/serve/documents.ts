/**
 * The five documents of the API, and how each is rendered: from one query, or a few for the list of
 * stations.
 */
import type { Clock } from '../base/clock.ts';
import type { EndpointName, Locale } from '../contract/endpoints.ts';
import type { ApiDb } from '../database/apiDb.ts';
import {
  presentRegion,
  presentStation,
  queryRegion,
  queryStation,
  type SiteUrls,
} from './current.ts';
import { renderPieces } from './document.ts';
import { type Entry, earlier, entryOf, type Validity, validityOf } from './entry.ts';
import { type European, queryEuropean } from './european.ts';
import { makeWindows, presentHistory, queryRegionHistory, queryStationHistory } from './history.ts';
import { queryTitles, type Titles } from './localizedText.ts';
import { noSuchRegion, noSuchStation, type PathValues } from './paths.ts';
import { type Network, presentStationsList, queryNetwork, queryProviders } from './stationsList.ts';

/**
 * Each renders a document as of the moment of the call, unless the signal is aborted before.
 * Rejects with Problem 404 where there is no such station or region.
 */
export type Documents<Name extends string, Values = PathValues> = Record<
  Name,
  (values: Values, signal?: AbortSignal) => Promise<Entry>
>;

/** The documents of the five endpoints. */
type CurrentDocuments = Documents<EndpointName, Pick<PathValues, 'locale' | 'id' | 'slug'>>;

/** Returns a reader that all documents made from the same data share (see `shareWhileCurrent`). */
type Share = <T extends Validity>(read: (at: Date) => Promise<T>) => () => Promise<T>;

/** All providers, stations and regions, hidden ones too, and their titles. */
export type NetworkReader = {
  network(): Promise<Network & Validity>;
  titles(): Promise<{ titles: Record<Locale, Titles> } & Validity>;
  providers(locale: Locale): Promise<Network['providers']>;
  european(): Promise<European & Validity>;
};

/** `wholeNetwork`: for queries whose cost grows with the network. */
export function makeNetworkReader(wholeNetwork: ApiDb, share: Share): NetworkReader {
  const network = share(async (at) => {
    const read = await queryNetwork(wholeNetwork, at);
    return { ...read, ...validityOf([...read.providers, ...read.stations, ...read.regions]) };
  });
  const titles = share(async () => {
    const { rows, ...read } = await queryTitles(wholeNetwork);
    return { ...read, ...validityOf(rows) };
  });
  return {
    network,
    titles,
    european: share((at) => queryEuropean(wholeNetwork, at)),
    providers: (locale) => queryProviders(wholeNetwork, locale),
  };
}

type Sources = { db: ApiDb; reader: NetworkReader; clock: Clock; site: SiteUrls };

/** How the document of each endpoint is rendered. */
export function makeDocuments({ db, reader, clock, site }: Sources): CurrentDocuments {
  const windowsAt = makeWindows(db);
  return {
    async stations({ locale }) {
      const [network, { titles, ...ofTitles }] = await Promise.all([
        reader.network(),
        reader.titles(),
      ]);
      const document = await renderPieces(
        locale,
        presentStationsList(network, titles[locale], locale, site),
      );
      return { document, ...earlier(network, ofTitles) };
    },

    async station({ locale, id }) {
      const row = await queryStation(db, clock(), locale, id);
      if (row === undefined) throw noSuchStation(id);
      return entryOf(locale, JSON.stringify(presentStation(row, locale, site)), row);
    },

    async stationHistory({ locale, id }) {
      const history = await queryStationHistory(db, await windowsAt(clock()), id);
      if (history === undefined) throw noSuchStation(id);
      return entryOf(locale, presentHistory(history), history);
    },

    async region({ locale, slug }) {
      const row = await queryRegion(db, clock(), locale, slug);
      if (row === undefined) throw noSuchRegion(slug);
      return entryOf(locale, JSON.stringify(presentRegion(row, locale, site)), row);
    },

    async regionHistory({ locale, slug }) {
      const history = await queryRegionHistory(db, await windowsAt(clock()), slug);
      if (history === undefined) throw noSuchRegion(slug);
      return entryOf(locale, presentHistory(history), history);
    },
  };
}
