/**
 * The five documents of the API, and how each is rendered: from one query, or a few for the list of
 * stations.
 */
import type { Clock } from '../base/clock.ts';
import type { EndpointName, Locale } from '../contract/endpoints.ts';
import type { ApiDb } from '../database/apiDb.ts';
import type { RenderedDocument, Validity } from './cache.ts';
import {
  type Network,
  presentRegion,
  presentStation,
  presentStationsList,
  queryNetwork,
  queryProviders,
  queryRegion,
  queryStation,
  queryTitles,
  type SiteUrls,
  type Titles,
} from './current.ts';
import { renderDocument, renderPieces } from './document.ts';
import { makeWindows, presentHistory, queryRegionHistory, queryStationHistory } from './history.ts';
import { type LastDays, type Places, queryLastDays } from './lastDays.ts';
import { noSuchRegion, noSuchStation, type PathValues } from './paths.ts';

/** All of a rendering but the route, which the app knows. */
export type Rendered = Omit<RenderedDocument, 'route'>;

/**
 * Each renders a document as of the moment of the call, unless the signal is aborted before.
 * Rejects with Problem 404 where there is no such station or region.
 */
export type Documents<Name extends string, Values = PathValues> = Record<
  Name,
  (values: Values, signal?: AbortSignal) => Promise<Rendered>
>;

/** Those of the five endpoints. */
type CurrentDocuments = Documents<EndpointName, Pick<PathValues, 'locale' | 'id' | 'slug'>>;

/** Returns a reader that all documents made from the same data share (see `shareWhileCurrent`). */
type Share = <T extends Validity>(read: (at: Date) => Promise<T>) => () => Promise<T>;

/** All providers, stations and regions, hidden ones too, and their titles. */
export type NetworkReader = {
  network(): Promise<Network & Validity>;
  titles(): Promise<{ titles: Record<Locale, Titles> } & Validity>;
  providers(locale: Locale): Promise<Network['providers']>;
  /** The trend and the last 24 hours of some places. */
  lastDays(places: Places): Promise<LastDays & Validity>;
};

/** `wholeNetwork`: for queries whose cost grows with the network. */
export function makeNetworkReader(wholeNetwork: ApiDb, clock: Clock, share: Share): NetworkReader {
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
    providers: (locale) => queryProviders(wholeNetwork, locale),
    async lastDays(places) {
      const { rows, ...lastDays } = await queryLastDays(wholeNetwork, clock(), places);
      return { ...lastDays, ...validityOf(rows) };
    },
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
      return rendered(locale, JSON.stringify(presentStation(row, locale, site)), row);
    },

    async stationHistory({ locale, id }) {
      const history = await queryStationHistory(db, await windowsAt(clock()), id);
      if (history === undefined) throw noSuchStation(id);
      return rendered(locale, presentHistory(history), history);
    },

    async region({ locale, slug }) {
      const row = await queryRegion(db, clock(), locale, slug);
      if (row === undefined) throw noSuchRegion(slug);
      return rendered(locale, JSON.stringify(presentRegion(row, locale, site)), row);
    },

    async regionHistory({ locale, slug }) {
      const history = await queryRegionHistory(db, await windowsAt(clock()), slug);
      if (history === undefined) throw noSuchRegion(slug);
      return rendered(locale, presentHistory(history), history);
    },
  };
}

/**
 * Columns of every row that a document is made of: the first instant at which it changes without
 * new data, and the data version.
 */
export type Row = { valid_until?: string | null; data_version: number | null };

/** The last instant that a Date can hold. */
export const NEVER = 8.64e15;

/**
 * The validity of a document that is made of these rows; version 0 without any, since an empty
 * network isn't worth keeping.
 */
export function validityOf(rows: readonly Row[]): Validity {
  let end = NEVER;
  let version = rows.length === 0 ? 0 : Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.valid_until) end = Math.min(end, Date.parse(row.valid_until));
    version = Math.min(version, row.data_version ?? 0);
  }
  return { validUntil: new Date(end), version };
}

/** The validity of a document that is made of both. */
export const earlier = (a: Validity, b: Validity): Validity => ({
  validUntil: a.validUntil < b.validUntil ? a.validUntil : b.validUntil,
  version: Math.min(a.version, b.version),
});

export const rendered = (locale: Locale, json: string, row: Row): Rendered => ({
  document: renderDocument(locale, json),
  ...validityOf([row]),
});
