/**
 * The paths of the documents that the front page uses beyond the five endpoints, and that any client
 * may use. Their schemas are in explore/.
 */
import { z } from 'zod';
import { csvMetadata, METADATA_SUFFIX } from './csv.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { changes, regionChanges, stationChanges } from './explore/changes.ts';
import { gaps } from './explore/gaps.ts';
import { readings, stationsOfHour } from './explore/hour.ts';
import { parameterMap } from './explore/map.ts';
import { regionNow, stationNow } from './explore/now.ts';
import { completenessOf, days, limits, months } from './explore/record.ts';
import { flags, neighbours } from './explore/trust.ts';
import { regionWarnings, stationWarnings } from './explore/warnings.ts';
import { regionDay, stationDay } from './history.ts';

const BASE_PATH = '/{locale}/explore/v1';

/** The most days of hours in one CSV file. */
export const MAX_CSV_DAYS = 400;

const CSV = { answer: z.string(), media: 'text/csv' } as const;
const ATOM = { answer: z.string(), media: 'application/atom+xml' } as const;
const CSV_SUMMARY = `as CSV, from one local date to another, both included, at most ${MAX_CSV_DAYS} days`;

export const EXPLORE = {
  stationNow: {
    path: `${BASE_PATH}/station/{id}/now.json`,
    summary: 'trend, NowCast and the European index of one station',
    answer: stationNow,
  },
  stationFlags: {
    path: `${BASE_PATH}/station/{id}/flags.json`,
    summary: 'flags of one station, and how its sensors agree',
    answer: flags,
  },
  stationGaps: {
    path: `${BASE_PATH}/station/{id}/gaps/{year}.json`,
    summary: 'absent hours of one station in a year, and why they are absent',
    answer: gaps,
  },
  stationNeighbours: {
    path: `${BASE_PATH}/station/{id}/neighbours.json`,
    summary: 'the stations nearest to one station',
    answer: neighbours,
  },
  regionNow: {
    path: `${BASE_PATH}/region/{slug}/now.json`,
    summary: 'trend, NowCast and the European index of one region',
    answer: regionNow,
  },
  stationDays: {
    path: `${BASE_PATH}/station/{id}/days/{year}.json`,
    summary: 'days of one station in a year',
    answer: days('Station', stationDay),
  },
  regionDays: {
    path: `${BASE_PATH}/region/{slug}/days/{year}.json`,
    summary: 'days of one region in a year',
    answer: days('Region', regionDay),
  },
  stationMonths: {
    path: `${BASE_PATH}/station/{id}/months.json`,
    summary: 'all months of one station',
    answer: months('Station'),
  },
  regionMonths: {
    path: `${BASE_PATH}/region/{slug}/months.json`,
    summary: 'all months of one region',
    answer: months('Region'),
  },
  stationCompleteness: {
    path: `${BASE_PATH}/station/{id}/completeness.json`,
    summary: 'how many hours of its days and months one station has measured',
    answer: completenessOf('Station'),
  },
  regionCompleteness: {
    path: `${BASE_PATH}/region/{slug}/completeness.json`,
    summary: 'how many hours of its days and months one region has measured',
    answer: completenessOf('Region'),
  },
  stationLimits: {
    path: `${BASE_PATH}/station/{id}/limits.json`,
    summary: 'one station against the limits of the EU from 2030',
    answer: limits('Station'),
  },
  regionLimits: {
    path: `${BASE_PATH}/region/{slug}/limits.json`,
    summary: 'one region against the limits of the EU from 2030',
    answer: limits('Region'),
  },
  stationReadings: {
    path: `${BASE_PATH}/station/{id}/readings/{hour}.json`,
    summary: 'readings of one station in an hour',
    answer: readings,
  },
  regionStations: {
    path: `${BASE_PATH}/region/{slug}/stations/{hour}.json`,
    summary: 'hours of the stations of one region',
    answer: stationsOfHour,
  },
  parameterMap: {
    path: `${BASE_PATH}/map/{parameter}.json`,
    summary: 'one parameter at all stations and regions in the last 24 hours',
    answer: parameterMap,
  },
  stationCsv: {
    path: `${BASE_PATH}/station/{id}/hours/{from}/{to}.csv`,
    summary: `hours of one station ${CSV_SUMMARY}`,
    ...CSV,
  },
  regionCsv: {
    path: `${BASE_PATH}/region/{slug}/hours/{from}/{to}.csv`,
    summary: `hours of one region ${CSV_SUMMARY}`,
    ...CSV,
  },
  changes: {
    path: `${BASE_PATH}/changes.json`,
    summary: 'published numbers that changed in the last 35 days, and why',
    answer: changes,
  },
  stationChanges: {
    path: `${BASE_PATH}/station/{id}/changes.json`,
    summary: 'numbers of one station that changed in the last two years, and why',
    answer: stationChanges,
  },
  regionChanges: {
    path: `${BASE_PATH}/region/{slug}/changes.json`,
    summary: 'numbers of one region that changed in the last two years, and why',
    answer: regionChanges,
  },
  changesFeed: {
    path: `${BASE_PATH}/changes.atom`,
    summary: 'the newest of changes.json as an Atom feed',
    ...ATOM,
  },
  stationChangesFeed: {
    path: `${BASE_PATH}/station/{id}/changes.atom`,
    summary: 'changes, flags and silences of one station as an Atom feed',
    ...ATOM,
  },
  regionChangesFeed: {
    path: `${BASE_PATH}/region/{slug}/changes.atom`,
    summary: 'changes of one region as an Atom feed',
    ...ATOM,
  },
  stationWarnings: {
    path: `${BASE_PATH}/station/{id}/warnings.json`,
    summary: 'changes of the air quality category of one station in the last 30 days',
    answer: stationWarnings,
  },
  regionWarnings: {
    path: `${BASE_PATH}/region/{slug}/warnings.json`,
    summary: 'changes of the air quality category of one region in the last 30 days',
    answer: regionWarnings,
  },
  stationWarningsFeed: {
    path: `${BASE_PATH}/station/{id}/warnings.atom`,
    summary: 'changes of the air quality category of one station as an Atom feed, with advice',
    ...ATOM,
  },
  regionWarningsFeed: {
    path: `${BASE_PATH}/region/{slug}/warnings.atom`,
    summary: 'changes of the air quality category of one region as an Atom feed, with advice',
    ...ATOM,
  },
  stationCsvMetadata: {
    path: `${BASE_PATH}/station/{id}/hours/{from}/{to}.csv${METADATA_SUFFIX}`,
    summary: 'columns of a CSV file of hours of one station, as CSVW metadata',
    answer: csvMetadata,
  },
  regionCsvMetadata: {
    path: `${BASE_PATH}/region/{slug}/hours/{from}/{to}.csv${METADATA_SUFFIX}`,
    summary: 'columns of a CSV file of hours of one region, as CSVW metadata',
    answer: csvMetadata,
  },
} as const satisfies Record<string, Endpoint>;

export type ExploreName = keyof typeof EXPLORE;
export type ExploreAnswer<Name extends ExploreName> = z.infer<(typeof EXPLORE)[Name]['answer']>;

/** In the order in which they are matched. */
export const ALL_ENDPOINTS: Readonly<Record<string, Endpoint>> = { ...ENDPOINTS, ...EXPLORE };
