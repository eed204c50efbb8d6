/**
 * The documents that the front page uses beyond the five endpoints, and that any client may use: one
 * row each, of a station and a region in one. Their schemas are in explore/, their numbers are made
 * by the functions of sql/api that the rows name.
 */
import { z } from 'zod';
import { csvMetadata, METADATA_SUFFIX } from './csv.ts';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { changes, regionChanges, stationChanges } from './explore/changes.ts';
import { gaps } from './explore/gaps.ts';
import { readings, stationsOfHour } from './explore/hour.ts';
import { lastDay, now, regionLastDay } from './explore/lists.ts';
import { parameterMap } from './explore/map.ts';
import { regionNow, stationNow } from './explore/now.ts';
import { completeness, days, limits, limitsOfYear, months } from './explore/record.ts';
import { flags, neighbours } from './explore/trust.ts';
import { regionWarnings, stationWarnings } from './explore/warnings.ts';

const BASE_PATH = '/{locale}/explore/v1';

/** The most days of hours in one CSV file. */
export const MAX_CSV_DAYS = 400;

/** The subjects of documents, each with the path parameter that says which one. */
export const KEYS = { station: 'id', region: 'slug' } as const;
export type Subject = keyof typeof KEYS;

/**
 * `calls`: the function of schema api with the document's row, after `station_` or `region_` where
 * it has a subject. Its columns, and the path's parameters, have the keys of the answer.
 * `isHeavy`: its cost grows with the network or the year. `prefers`: it takes the operator's index.
 */
export type Explored = Endpoint & {
  subject?: Subject;
  calls?: string;
  isHeavy?: boolean;
  prefers?: boolean;
};

type Row = Omit<Explored, 'subject'>;
type Pair = Omit<Row, 'answer'> & { answer: z.ZodType | Readonly<Record<Subject, z.ZodType>> };

type AnswerFor<Answer, Of extends Subject> =
  Answer extends Readonly<Record<Subject, z.ZodType>> ? Answer[Of] : Answer;
type SubjectIn<Name> = Name extends `region${string}` ? 'region' : 'station';
type Twin<Name extends string, One extends Pair> = {
  [Key in `${Subject}${Name}`]: Omit<One, 'answer'> & {
    subject: SubjectIn<Key>;
    answer: AnswerFor<One['answer'], SubjectIn<Key>>;
  };
};

/** A document of each station or region: its path below that, and `{subject}` in its summary. */
const of = <const Of extends Subject, const One extends Row>(subject: Of, row: One) => ({
  ...row,
  subject,
  path: `${BASE_PATH}/${subject}/{${KEYS[subject]}}/${row.path}`,
  summary: row.summary.replace('{subject}', subject),
});

/** The same of stations and of regions, under the names `station…` and `region…`. */
function twin<const Name extends string, const One extends Pair>(name: Name, row: One) {
  const { answer } = row;
  const one = (subject: Subject) =>
    of(subject, { ...row, answer: answer instanceof z.ZodType ? answer : answer[subject] });
  return {
    [`station${name}`]: one('station'),
    [`region${name}`]: one('region'),
  } as unknown as Twin<Name, One>;
}

const ATOM = { answer: z.string(), media: 'application/atom+xml' } as const;
const HOURS = 'hours/{from}/{to}.csv';

const { stationNow: nowOfStation, regionNow: nowOfRegion } = twin('Now', {
  path: 'now.json',
  summary: 'trend, NowCast and the European index of one {subject}',
  answer: { station: stationNow, region: regionNow },
});

export const EXPLORE = {
  stationNow: nowOfStation,
  stationFlags: of('station', {
    path: 'flags.json',
    summary: 'flags of one station, and how its sensors agree',
    answer: flags,
    calls: 'flags_json',
  }),
  stationGaps: of('station', {
    path: 'gaps/{year}.json',
    summary: 'absent hours of one station in a year, and why they are absent',
    answer: gaps,
    calls: 'gaps_json',
    isHeavy: true,
  }),
  ...twin('Neighbours', {
    path: 'neighbours.json',
    summary: 'the stations nearest to one {subject}',
    answer: neighbours,
    calls: 'neighbours_json',
  }),
  regionNow: nowOfRegion,
  ...twin('Days', {
    path: 'days/{year}.json',
    summary: 'days of one {subject} in a year',
    answer: days,
    calls: 'days_json',
  }),
  ...twin('Months', {
    path: 'months.json',
    summary: 'all months of one {subject}',
    answer: months,
    calls: 'months_json',
  }),
  ...twin('Completeness', {
    path: 'completeness.json',
    summary: 'how many hours of its days and months one {subject} has measured',
    answer: completeness,
    calls: 'completeness_json',
  }),
  ...twin('Limits', {
    path: 'limits.json',
    summary: 'one {subject} against the limits of the EU from 2030',
    answer: limits,
    calls: 'limits',
  }),
  ...twin('LimitsOfYear', {
    path: 'limits/{year}.json',
    summary: 'a year of one {subject} against the limits of the EU from 2030',
    answer: limitsOfYear,
    calls: 'limits',
    isHeavy: true,
  }),
  stationReadings: of('station', {
    path: 'readings/{hour}.json',
    summary: 'readings of one station in an hour',
    answer: readings,
    calls: 'readings_json',
  }),
  regionStations: of('region', {
    path: 'stations/{hour}.json',
    summary: 'hours of the stations of one region',
    answer: stationsOfHour,
    calls: 'stations_json',
  }),
  parameterMap: {
    path: `${BASE_PATH}/map/{parameter}.json`,
    summary: 'one parameter at all stations and regions in the last 24 hours',
    answer: parameterMap,
    calls: 'parameter_map_json',
    isHeavy: true,
  },
  now: {
    path: `${BASE_PATH}/now.json`,
    summary: 'European index of all stations and regions, and which stations are suspect',
    answer: now,
  },
  lastDay: {
    path: `${BASE_PATH}/last-day.json`,
    summary: 'PM2.5 of all stations and regions in the last 24 hours, and its trend',
    answer: lastDay,
    calls: 'last_day_json',
    isHeavy: true,
  },
  regionLastDay: of('region', {
    path: 'last-day.json',
    summary:
      'PM2.5 of the stations and districts of one region in the last 24 hours, and its trend',
    answer: regionLastDay,
    calls: 'last_day_json',
  }),
  ...twin('Csv', {
    path: HOURS,
    summary: `hours of one {subject} as CSV, from one local date to another, both included, at most ${MAX_CSV_DAYS} days`,
    answer: z.string(),
    media: 'text/csv',
    calls: 'hours_csv',
    isHeavy: true,
  }),
  ...twin('Excel', {
    path: 'excel/{from}/{to}.csv',
    summary: 'the same hours of one {subject} for people, to open in Excel',
    answer: z
      .string()
      .describe(
        'A spreadsheet opens it as columns of numbers and times. Heads, separators (`,` or `;`) and decimal marks are those of the locale. Times are local, without an offset, and name the start of the hour: where the clocks go back, an hour occurs twice. Pressure is in hPa. An hour without readings has no line, and an unknown value is empty.',
      ),
    media: 'text/csv',
  }),
  changes: {
    path: `${BASE_PATH}/changes.json`,
    summary: 'published numbers that changed in the last 35 days, and why',
    answer: changes,
    calls: 'changes_json',
    isHeavy: true,
  },
  ...twin('Changes', {
    path: 'changes.json',
    summary: 'numbers of one {subject} that changed in the last two years, and why',
    answer: { station: stationChanges, region: regionChanges },
    calls: 'changes_json',
  }),
  changesFeed: {
    path: `${BASE_PATH}/changes.atom`,
    summary: 'the newest of changes.json as an Atom feed',
    ...ATOM,
  },
  stationChangesFeed: of('station', {
    path: 'changes.atom',
    summary: 'changes, flags and silences of one station as an Atom feed',
    ...ATOM,
  }),
  regionChangesFeed: of('region', {
    path: 'changes.atom',
    summary: 'changes of one region as an Atom feed',
    ...ATOM,
  }),
  ...twin('Warnings', {
    path: 'warnings.json',
    summary: 'changes of the air quality category of one {subject} in the last 30 days',
    answer: { station: stationWarnings, region: regionWarnings },
    calls: 'warnings_json',
    prefers: true,
  }),
  ...twin('WarningsFeed', {
    path: 'warnings.atom',
    summary: 'changes of the air quality category of one {subject} as an Atom feed, with advice',
    ...ATOM,
  }),
  ...twin('CsvMetadata', {
    path: `${HOURS}${METADATA_SUFFIX}`,
    summary: 'columns of a CSV file of hours of one {subject}, as CSVW metadata',
    answer: csvMetadata,
  }),
} as const satisfies Record<string, Explored>;

export type ExploreName = keyof typeof EXPLORE;
/** Feeds are rendered by an extra; without it the API has none. */
export type FeedName = Extract<ExploreName, `${string}Feed`>;
export type ExploreAnswer<Name extends ExploreName> = z.infer<(typeof EXPLORE)[Name]['answer']>;

/** All endpoints, in the order in which they are matched. */
export const ALL_ENDPOINTS: Readonly<Record<string, Endpoint>> = { ...ENDPOINTS, ...EXPLORE };
