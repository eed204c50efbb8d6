/** Finds the document at a path and reads its parameters; throws Problem 404 for impossible ones. */
import type { NextFunction, Request, Response } from 'express';
import { truncate } from '../base/printable.ts';
import {
  type EndpointName,
  LOCALES,
  type Locale,
  MAX_STATION_ID,
  PATH_PARAMETERS,
  parametersIn,
  pathPattern,
} from '../contract/endpoints.ts';
import type { ALL_ENDPOINTS, ExploreName } from '../contract/explore.ts';
import { notFound, type Problem, quoted } from '../http/send.ts';
import type { Render } from './cache.ts';
import type { Entry } from './entry.ts';
import { meantPaths, meantValue } from './meant.ts';

/** The values of a path's parameters; those that the path lacks must not be read. */
export type PathValues = {
  locale: Locale;
  id: number;
  slug: string;
  parameter: string;
  year: number;
  from: string;
  to: string;
  hour: string;
};

type Given = Readonly<Record<string, string>>;

export type Served = {
  /** Its path in the contract. */
  route: string;
  pattern: RegExp;
  /** The media type; undefined for JSON. */
  media: string | undefined;
  /** Renders it for these parameters of its path, unless the signal is aborted before. */
  renderOf(given: Given, signal?: AbortSignal): Render;
};

type Name = EndpointName | ExploreName;

type Renderer = (values: PathValues, signal?: AbortSignal) => Promise<Entry>;

/** How each document is served, in the order of the contract: `x-history.json` before `x.json`. */
export const servedEndpoints = (
  endpoints: typeof ALL_ENDPOINTS,
  documents: Partial<Record<Name, Renderer>>,
  firstBuild: () => Promise<void>,
): Served[] =>
  Object.entries(endpoints).map(([name, { path: route, media }]) => ({
    route,
    pattern: pathPattern(route),
    media,
    renderOf(given, signal) {
      const values = pathValues(given, route);
      return async () => {
        await firstBuild();
        return { ...(await (documents[name as Name] as Renderer)(values, signal)), route };
      };
    },
  }));

/** Throws Problem 404 for an impossible station id or time. */
function pathValues(given: Given, path: string): PathValues {
  if (Number(given.id) > MAX_STATION_ID) throw noSuchStation(given.id as string);
  const values: Record<string, string | number> = { ...given, id: Number(given.id) };
  for (const name of parametersIn(path)) {
    if (name === 'locale' || name === 'id') continue;
    const text = given[name] as string;
    values[name] = name === 'year' && /^\d{4}$/.test(text) ? Number(text) : text;
    if (!PATH_PARAMETERS[name].schema.safeParse(values[name]).success) throw cannotBe(text, name);
  }
  return values as PathValues;
}

function cannotBe(text: string, name: keyof typeof PATH_PARAMETERS): Problem {
  const meant = meantValue(name, text);
  if (meant !== undefined)
    return notFound(`There is no ${name} ${quoted(text)}. Did you mean ${meant}?`);
  return notFound(
    `${quoted(text)} cannot be a ${PATH_PARAMETERS[name].meaning}.`,
    name === 'id' || name === 'slug' ? decodeURIComponent(text) : undefined,
  );
}

const noSuchLocale = (locale: string) =>
  notFound(
    `There is no locale ${quoted(locale)}. Use one of ${LOCALES.join(', ')}, as in /en/air-quality-app/v1/stations.json.`,
  );

export const noSuchStation = (id: number | string): Problem =>
  notFound(
    `There is no station ${truncate(String(id))}. The ids of all listed stations are in stations.json, as stations[].id.`,
  );

export const noSuchRegion = (slug: string): Problem =>
  notFound(
    `There is no region ${quoted(slug)}. The slugs of all cities and districts are in stations.json, as regions[].slug.`,
    slug,
  );

/** Throws the problem where there is no row. */
export function found<T>(row: T | undefined, problem: Error): T {
  if (row === undefined) throw problem;
  return row;
}

const EXPLORE_WITH_QUERY = /^\/[^/?]*\/explore\/[^?]*\?./;

/** Middleware that throws Problem 404 for an address of explore with a query: it chooses nothing. */
export function refuseQuery({ method, url }: Request, _res: Response, next: NextFunction): void {
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && EXPLORE_WITH_QUERY.test(url)) throw withQuery(url);
  next();
}

function withQuery(url: string): Problem {
  const [name = ''] = url.slice(url.indexOf('?') + 1).split(/[=&]/, 1);
  return notFound(
    `Expected an address without a query, found ${quoted(name)}: leave it out. Everything that a document of explore can choose stands in its path, such as the year or the dates; the paths are in /openapi.json.`,
  );
}

const BASE = /^\/([^/]*)\/(air-quality-app|explore)\//;
const SUBJECT = /^\/[^/]+\/air-quality-app\/v1\/(station|region)\/(.*?)(?:-history)?\.json$/s;
/**
 * Matches only impossible names: with a possible one, the rest of the path is what does not exist.
 */
const EXPLORED =
  /^\/[^/]+\/explore\/v1\/(station(?!\/[1-9][0-9]*\/)|region(?!\/[a-z-]+\/))\/([^/]*)\//;

/**
 * The 404 for a path that matches none of those that are served, as specific as the path allows.
 * `known`: the routes that may be meant.
 */
export function unknownPath(
  path: string,
  served: readonly Served[],
  known: readonly string[] = [],
): Problem {
  const [, locale, base] = BASE.exec(path) ?? [];
  if (locale !== undefined && !LOCALES.some((known) => known === locale))
    return noSuchLocale(locale);
  const [, kind, name = ''] = SUBJECT.exec(path) ?? EXPLORED.exec(path) ?? [];
  if (kind !== undefined && !name.includes('/'))
    return cannotBe(name, kind === 'station' ? 'id' : 'slug');
  if (path.startsWith('/v1/')) {
    return notFound(
      `There is nothing at ${quoted(path)}: this port only publishes. Readings go to the ingestion port (INGEST_PORT, by default 8082), which opens with the first token.`,
    );
  }
  const meant = meantPaths(path, known);
  if (meant.length > 0)
    return notFound(
      `There is nothing at ${quoted(path)}. Did you mean ${meant.join(' or ')}? Case matters, and none ends in a slash; all are described in /openapi.json.`,
    );
  const paths = served
    .map(({ route }) => route)
    .filter((one) => one.includes('/explore/') === (base === 'explore'));
  return notFound(
    `There is nothing at ${quoted(path)}. The endpoints are ${paths.join(', ')}, described in /openapi.json; case matters, and none ends in a slash.`,
  );
}
