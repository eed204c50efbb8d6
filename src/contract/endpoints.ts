/**
 * The public API: locales, path parameters, and the paths and response schemas of the five
 * endpoints. Paths are matched in this order. More are in `explore.ts`.
 */
import { z } from 'zod';
import { provider, region, station } from './current.ts';
import { field, slug } from './fields.ts';
import { regionHistory, stationHistory } from './history.ts';
import { keyOf, parameterNames } from './parameters.ts';

/** The languages of the API: the first segment of every path, which selects the titles. */
export const LOCALES = ['en', 'ru', 'hy'] as const;
export type Locale = (typeof LOCALES)[number];

/** `{locale}` is one of LOCALES. */
export const BASE_PATH = '/{locale}/air-quality-app/v1';

/**
 * Any web page may read any answer, errors included, without credentials. The listed headers would
 * otherwise be hidden from scripts.
 */
export const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Age, Date, Retry-After, Content-Disposition, Link',
};

/** The largest id a station can have. */
export const MAX_STATION_ID = 2_147_483_647;

/** Finds a year, a date or a time also where it is wrong, so that the answer can say so. */
const LENIENT = '[^/%]+';
/** From the earliest EPOCH that a database may have. */
const YEAR = '(19\\d\\d|20\\d\\d|2100)';
const DATE = 'local date from 1900-01-01 to 2100-12-31, such as 2026-11-22';
/** The parameters with a mean, by their keys. */
const MEANS = parameterNames(({ kind }) => kind === 'mean').map(keyOf);
const date = z
  .string()
  .regex(new RegExp(`^${YEAR}-\\d\\d-\\d\\d$`))
  .refine(isDate);

/**
 * The path parameters: the pattern that finds each in a path, the schema of its value, and an
 * example from the demo network. Leading zeros and signs are excluded, so that each station has one
 * URL.
 */
export const PATH_PARAMETERS = {
  locale: {
    pattern: LOCALES.join('|'),
    meaning: 'language of names and titles',
    schema: z.enum(LOCALES),
    example: 'en',
  },
  id: {
    pattern: '[1-9][0-9]*',
    meaning: 'station id, a positive integer without leading zeros',
    schema: z.int().min(1).max(MAX_STATION_ID),
    example: 3,
  },
  slug: {
    pattern: '[a-z-]+',
    meaning: 'slug of a city or district, lowercase Latin letters and hyphens',
    schema: slug,
    example: 'velmora',
  },
  parameter: {
    pattern: LENIENT,
    meaning: `parameter, one of ${MEANS.join(', ')}`,
    schema: z.enum(MEANS),
    example: 'pm2.5',
  },
  year: {
    pattern: LENIENT,
    meaning: 'year from 1900 to 2100',
    schema: z.int().min(1_900).max(2_100),
    example: 2026,
  },
  from: {
    pattern: LENIENT,
    meaning: `${DATE}, the first one wanted`,
    schema: date,
    example: '2026-11-22',
  },
  to: {
    pattern: LENIENT,
    meaning: `${DATE}, the last one wanted`,
    schema: date,
    example: '2026-11-22',
  },
  hour: {
    pattern: '[^/]+', // a time stamp's + and : may be percent-encoded
    meaning:
      'time in the hour that is wanted: a timestamp of a history as it is, such as 2026-11-22T13:00:00+04:00, or in UTC, such as 2026-11-22T09Z',
    schema: z
      .string()
      .regex(
        new RegExp(
          `^${YEAR}-\\d\\d-\\d\\dT([01]\\d|2[0-3])(:[0-5]\\d){0,2}(Z|[+-](0\\d|1[0-4]):[0-5]\\d)$`,
        ),
      )
      .refine((text) => isDate(text.slice(0, 10))),
    example: '2026-11-22T09Z',
  },
} as const;

/** True if there is such a day: not 2026-02-30. */
function isDate(text: string): boolean {
  const at = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/**
 * `answer` is the schema of the body with status 200, which is JSON unless `media` says otherwise.
 */
export type Endpoint = { path: string; summary: string; answer: z.ZodType; media?: string };

export const stationsList = z
  .strictObject({
    providers: field(z.array(provider), 'providers with a listed station'),
    stations: field(z.array(station), 'listed stations, by id'),
    regions: field(z.array(region), 'cities, then districts, each by slug'),
  })
  .meta({ id: 'StationsList', description: 'everything that is listed, with its current values' });

export type StationsList = z.infer<typeof stationsList>;

export const ENDPOINTS = {
  stations: {
    path: `${BASE_PATH}/stations.json`,
    summary: 'all providers, stations and regions with current values',
    answer: stationsList,
  },
  stationHistory: {
    path: `${BASE_PATH}/station/{id}-history.json`,
    summary: 'history of one station',
    answer: stationHistory,
  },
  station: {
    path: `${BASE_PATH}/station/{id}.json`,
    summary: 'one station with current values',
    answer: station,
  },
  regionHistory: {
    path: `${BASE_PATH}/region/{slug}-history.json`,
    summary: 'history of one region',
    answer: regionHistory,
  },
  region: {
    path: `${BASE_PATH}/region/{slug}.json`,
    summary: 'one city or district with current values',
    answer: region,
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof ENDPOINTS;

type PathParameterName = keyof typeof PATH_PARAMETERS;

/** The names of the parameters in a path of ENDPOINTS, in its order. */
export function parametersIn(path: string): PathParameterName[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PathParameterName);
}

/** A path of ENDPOINTS with these values of its parameters. */
export const pathWith = (path: string, values: Readonly<Record<string, string | number>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));

/**
 * A path of ENDPOINTS as a regular expression with a named group per parameter, to match the
 * request path while it is still encoded. Express's own patterns are more lenient: they accept
 * other case and trailing slashes, and decode `%2F` and `%00` before a handler sees them.
 */
export function pathPattern(path: string): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replace(
      /\{(\w+)\}/g,
      (_, name: PathParameterName) => `(?<${name}>${PATH_PARAMETERS[name].pattern})`,
    );
  return new RegExp(`^${source}$`);
}
