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

/** Renders a document as of the moment of the call. Rejects with Problem 404 where there is no such station or region. */
type RenderDocument = () => Promise<Omit<Rendering, 'route'>>;

/** Each throws Problem 404 for a path that can't name anything. */
export type Documents = Record<EndpointName, (req: Request) => RenderDocument>;

/** Per endpoint, how a request is parsed and its document rendered. */
export function makeDocuments({ db, clock, site }: { db: ApiDb; clock: Clock; site: SiteUrls }): Documents {
  const windowsAt = makeWindows(db);
  return {
    stations(req) {
      const locale = localeOf(req);
      return async () => {
        const rows = await queryStations(db, clock(), locale);
        return rendering(locale, JSON.stringify(presentStationsList(rows, locale, site)), [
          ...rows.stations,
          ...rows.regions,
        ]);
      };
    },

    station(req) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      return async () => {
        const row = await queryStation(db, clock(), locale, id);
        if (row === undefined) throw noSuchStation(id);
        return rendering(locale, JSON.stringify(presentStation(row, locale, site)), [row]);
      };
    },

    stationHistory(req) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      return async () => {
        const history = await queryStationHistory(db, await windowsAt(clock()), id);
        if (history === undefined) throw noSuchStation(id);
        return rendering(locale, presentHistory(history), [history]);
      };
    },

    region(req) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      return async () => {
        const row = await queryRegion(db, clock(), locale, slug);
        if (row === undefined) throw noSuchRegion(slug);
        return rendering(locale, JSON.stringify(presentRegion(row, locale, site)), [row]);
      };
    },

    regionHistory(req) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      return async () => {
        const history = await queryRegionHistory(db, await windowsAt(clock()), slug);
        if (history === undefined) throw noSuchRegion(slug);
        return rendering(locale, presentHistory(history), [history]);
      };
    },
  };
}

/** Columns of every row that a document is made of: the first instant at which it changes without new data, and the data version. */
type Validity = { valid_until: string | null; data_version: number | null };

/** The last instant that a Date can hold. */
const NEVER = 8.64e15;

function rendering(locale: Locale, json: string, rows: readonly Validity[]): Omit<Rendering, 'route'> {
  return {
    document: renderDocument(locale, json),
    validUntil: new Date(
      Math.min(NEVER, ...rows.map(({ valid_until: until }) => (until === null ? NEVER : Date.parse(until)))),
    ),
    version: rows.length === 0 ? 0 : Math.min(...rows.map((row) => row.data_version ?? 0)), // 0: an empty network isn't worth keeping
  };
}

/** The pattern of the path has checked it. */
function localeOf(req: Request): Locale {
  return parameter(req, 'locale') as Locale;
}

/** Throws Problem 404 for a number that no station can have. */
function stationIdOf(req: Request): number {
  const digits = parameter(req, 'id');
  if (Number(digits) > MAX_STATION_ID) throw noSuchStation(digits);
  return Number(digits);
}

/** As for the locale. */
function slugOf(req: Request): string {
  return parameter(req, 'slug');
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

function parameter(req: Request, name: string): string {
  return String(req.params[name]);
}

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
