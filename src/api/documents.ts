/** The five documents of the API: what a path names, and how it is rendered: from one query, or a few for the list of stations. */
import type { Request } from 'express';
import type { Clock } from '../clock.ts';
import {
  ENDPOINTS,
  type EndpointName,
  LOCALES,
  type Locale,
  MAX_STATION_ID,
  PATH_PARAMETERS,
} from '../contract/endpoints.ts';
import type { ApiDb } from '../database/pools.ts';
import { type Document, renderDocument, renderPieces } from '../documents/document.ts';
import type { Validity } from '../documents/validity.ts';
import { notFound, type Problem, quoted, truncate } from '../http/send.ts';
import {
  type Network,
  presentRegion,
  presentStation,
  presentStationsList,
  queryNetwork,
  queryRegion,
  queryStation,
  queryTitles,
  type SiteUrls,
  type Titles,
} from './current.ts';
import { makeWindows, presentHistory, queryRegionHistory, queryStationHistory } from './history.ts';

/** The values of the parameters in a path. */
type PathValues = { locale: Locale; id: number; slug: string };

/** Each renders a document as of the moment of the call. Rejects with Problem 404 where there is no such station or region. */
export type Documents = Record<EndpointName, (values: PathValues) => Promise<Validity & { document: Document }>>;

/**
 * The values in the path of a request, which its pattern has checked; those of parameters that the path doesn't have mean nothing. Throws
 * Problem 404 for a number that no station can have.
 */
export function pathValues({ params }: Request): PathValues {
  const { locale, id, slug } = params as Record<keyof PathValues, string>;
  if (Number(id) > MAX_STATION_ID) throw noSuchStation(id);
  return { locale: locale as Locale, id: Number(id), slug };
}

/** Returns what reads something once for all documents that are made of it (see `validity.ts`). */
type Share = <T extends Validity>(read: (at: Date) => Promise<T>) => () => Promise<T>;

/** All that is listed, hidden or not, and what it is called. */
export type NetworkReader = {
  network(): Promise<Network & Validity>;
  titles(locale: Locale): Promise<Titles & Validity>;
};

/** `wholeNetwork`: for queries that take longer the larger the network. */
export function makeNetworkReader(wholeNetwork: ApiDb, share: Share): NetworkReader {
  const network = share(async (at) => {
    const read = await queryNetwork(wholeNetwork, at);
    return { ...read, ...validityOf([...read.stations, ...read.regions]) };
  });
  const titles = Object.fromEntries(
    LOCALES.map((locale) => [
      locale,
      share(async () => {
        const { rows, ...read } = await queryTitles(wholeNetwork, locale);
        return { ...read, ...validityOf(rows) };
      }),
    ]),
  ) as Record<Locale, () => Promise<Titles & Validity>>;
  return { network, titles: (locale) => titles[locale]() };
}

type Sources = { db: ApiDb; reader: NetworkReader; clock: Clock; site: SiteUrls };

/** How the document of each endpoint is rendered. */
export function makeDocuments({ db, reader, clock, site }: Sources): Documents {
  const windowsAt = makeWindows(db);
  return {
    async stations({ locale }) {
      const [network, titles] = await Promise.all([reader.network(), reader.titles(locale)]);
      const { validUntil, version } = network;
      const document = await renderPieces(locale, presentStationsList(network, titles, locale, site));
      return { document, validUntil, version };
    },

    async station({ locale, id }) {
      const row = await queryStation(db, clock(), locale, id);
      if (row === undefined) throw noSuchStation(id);
      return rendering(locale, JSON.stringify(presentStation(row, locale, site)), row);
    },

    async stationHistory({ locale, id }) {
      const history = await queryStationHistory(db, await windowsAt(clock()), id);
      if (history === undefined) throw noSuchStation(id);
      return rendering(locale, presentHistory(history), history);
    },

    async region({ locale, slug }) {
      const row = await queryRegion(db, clock(), locale, slug);
      if (row === undefined) throw noSuchRegion(slug);
      return rendering(locale, JSON.stringify(presentRegion(row, locale, site)), row);
    },

    async regionHistory({ locale, slug }) {
      const history = await queryRegionHistory(db, await windowsAt(clock()), slug);
      if (history === undefined) throw noSuchRegion(slug);
      return rendering(locale, presentHistory(history), history);
    },
  };
}

/** Columns of every row that a document is made of: the first instant at which it changes without new data, and the data version. */
type Row = { valid_until?: string | null; data_version: number | null };

/** The last instant that a Date can hold. */
const NEVER = 8.64e15;

/** Of a document that is made of these rows; version 0 without any: an empty network isn't worth keeping. */
function validityOf(rows: readonly Row[]): Validity {
  let [end, version] = [NEVER, rows.length === 0 ? 0 : Number.POSITIVE_INFINITY];
  for (const row of rows) {
    if (row.valid_until) end = Math.min(end, Date.parse(row.valid_until));
    version = Math.min(version, row.data_version ?? 0);
  }
  return { validUntil: new Date(end), version };
}

const rendering = (locale: Locale, json: string, row: Row): Validity & { document: Document } => ({
  document: renderDocument(locale, json),
  ...validityOf([row]),
});

const noSuchLocale = (locale: string) =>
  notFound(
    `There is no locale ${quoted(locale)}. Use one of ${LOCALES.join(', ')}, as in /en/air-quality-app/v1/stations.json.`,
  );

const noSuchStation = (id: number | string) =>
  notFound(
    `There is no station ${truncate(String(id))}. The ids of all listed stations are in stations.json, as stations[].id.`,
  );

const noSuchRegion = (slug: string) =>
  notFound(
    `There is no region ${quoted(slug)}. The slugs of all cities and districts are in stations.json, as regions[].slug.`,
  );

const SUBJECT = /^\/[^/]+\/air-quality-app\/v1\/(station|region)\/(.*?)(?:-history)?\.json$/s;

/** The 404 for a path that matches no endpoint, as specific as the path allows. */
export function unknownPath(path: string): Problem {
  const [, locale] = /^\/([^/]*)\/air-quality-app\//.exec(path) ?? [];
  if (locale !== undefined && !LOCALES.some((known) => known === locale)) return noSuchLocale(locale);
  const [, kind, name = ''] = SUBJECT.exec(path) ?? [];
  if (kind === 'station') return notFound(`${quoted(name)} cannot be a ${PATH_PARAMETERS.id.meaning}.`);
  if (kind === 'region') return notFound(`${quoted(name)} cannot be a ${PATH_PARAMETERS.slug.meaning}.`);
  const paths = Object.values(ENDPOINTS).map((endpoint) => endpoint.path);
  return notFound(
    `There is nothing at ${quoted(path)}. The endpoints are ${paths.join(', ')}, described in /openapi.json; case matters, and none ends in a slash.`,
  );
}
