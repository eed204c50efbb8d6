/** The five documents of the API: what a path names, and how it is rendered: from one query, or three for the list of stations. */
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
import type { Rendering } from '../documents/cache.ts';
import { renderDocument } from '../documents/document.ts';
import { notFound, type Problem, quoted, truncate } from '../http/send.ts';
import {
  presentRegion,
  presentStation,
  presentStationsList,
  queryRegion,
  queryStation,
  queryStations,
  type SiteUrls,
} from './current.ts';
import { makeWindows, presentHistory, queryRegionHistory, queryStationHistory } from './history.ts';

/** The values of the parameters in a path. */
type PathValues = { locale: Locale; id: number; slug: string };

/** Each renders a document as of the moment of the call. Rejects with Problem 404 where there is no such station or region. */
type Documents = Record<EndpointName, (values: PathValues) => Promise<Omit<Rendering, 'route'>>>;

/**
 * The values in the path of a request, which its pattern has checked; those of parameters that the path doesn't have mean nothing. Throws
 * Problem 404 for a number that no station can have.
 */
export function pathValues({ params }: Request): PathValues {
  const { locale, id, slug } = params as Record<keyof PathValues, string>;
  if (Number(id) > MAX_STATION_ID) throw noSuchStation(id);
  return { locale: locale as Locale, id: Number(id), slug };
}

/** How the document of each endpoint is rendered. */
export function makeDocuments({ db, clock, site }: { db: ApiDb; clock: Clock; site: SiteUrls }): Documents {
  const windowsAt = makeWindows(db);
  return {
    async stations({ locale }) {
      const rows = await queryStations(db, clock(), locale);
      const list = presentStationsList(rows, locale, site);
      return rendering(locale, JSON.stringify(list), [...rows.stations, ...rows.regions]);
    },

    async station({ locale, id }) {
      const row = await queryStation(db, clock(), locale, id);
      if (row === undefined) throw noSuchStation(id);
      return rendering(locale, JSON.stringify(presentStation(row, locale, site)), [row]);
    },

    async stationHistory({ locale, id }) {
      const history = await queryStationHistory(db, await windowsAt(clock()), id);
      if (history === undefined) throw noSuchStation(id);
      return rendering(locale, presentHistory(history), [history]);
    },

    async region({ locale, slug }) {
      const row = await queryRegion(db, clock(), locale, slug);
      if (row === undefined) throw noSuchRegion(slug);
      return rendering(locale, JSON.stringify(presentRegion(row, locale, site)), [row]);
    },

    async regionHistory({ locale, slug }) {
      const history = await queryRegionHistory(db, await windowsAt(clock()), slug);
      if (history === undefined) throw noSuchRegion(slug);
      return rendering(locale, presentHistory(history), [history]);
    },
  };
}

/** Columns of every row that a document is made of: the first instant at which it changes without new data, and the data version. */
type Validity = { valid_until: string | null; data_version: number | null };

/** The last instant that a Date can hold. */
const NEVER = 8.64e15;

function rendering(locale: Locale, json: string, rows: readonly Validity[]): Omit<Rendering, 'route'> {
  const ends = rows.map(({ valid_until: end }) => (end === null ? NEVER : Date.parse(end)));
  return {
    document: renderDocument(locale, json),
    validUntil: new Date(Math.min(NEVER, ...ends)),
    version: rows.length === 0 ? 0 : Math.min(...rows.map((row) => row.data_version ?? 0)), // 0: an empty network isn't worth keeping
  };
}

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
