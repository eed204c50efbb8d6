/** The five endpoints of the public API: paths, path parameters and response schemas. Paths are matched in this order. */
import { z } from 'zod';
import { field } from './fields.ts';
import { regionHistory, stationHistory } from './history.ts';
import { LOCALES } from './locales.ts';
import { region } from './region.ts';
import { provider, station } from './station.ts';

/** `{locale}` is one of LOCALES. */
export const BASE_PATH = '/{locale}/air-quality-app/v1';

/** The pattern of each path parameter. Leading zeros and signs are excluded, so that each station has one URL. */
export const PATH_PARAMETERS = {
  id: {
    pattern: '[1-9][0-9]{0,9}',
    meaning: 'station id, a positive integer without leading zeros',
    max: 2_147_483_647,
  },
  slug: { pattern: '[a-z-]+', meaning: 'slug of a city or district, lowercase Latin letters and hyphens' },
} as const;

/** The response of `/stations.json`. */
export const stationsList = z.strictObject({
  providers: field(z.array(provider), 'providers with a listed station'),
  stations: field(z.array(station), 'listed stations, by id'),
  regions: field(z.array(region), 'cities, then districts, each by slug'),
});

export type StationsList = z.infer<typeof stationsList>;

/** `answer` is the schema of the JSON body with status 200. */
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
} as const;

export type EndpointName = keyof typeof ENDPOINTS;

const PARTS: Readonly<Record<string, string>> = {
  locale: LOCALES.join('|'),
  id: PATH_PARAMETERS.id.pattern,
  slug: PATH_PARAMETERS.slug.pattern,
};

/**
 * A path of ENDPOINTS as a regular expression with a named group per parameter, to match the request path while it is still encoded.
 * Express's own patterns are more lenient: they accept other case and trailing slashes, and decode `%2F` and `%00` before a handler sees
 * them.
 */
export function pathPattern(path: string): RegExp {
  const source = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${PARTS[name]})`);
  return new RegExp(`^${source}$`);
}
