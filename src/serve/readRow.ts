/**
 * Reads the row that a document of `explore/v1` is made of: the contract names its function, and the
 * parameters of its path are the arguments.
 */
import type { Clock } from '../base/clock.ts';
import { parametersIn } from '../contract/endpoints.ts';
import { EXPLORE, type Explored, type ExploreName, type Subject } from '../contract/explore.ts';
import type { IndexName } from '../contract/words/indices.ts';
import type { ApiDb, ApiRow } from '../database/apiDb.ts';
import type { ApiFunctions } from '../database/generated/apiTypes.ts';
import { callApi } from '../database/query.ts';
import { found, noSuchRegion, noSuchStation, type PathValues } from './paths.ts';

type Endpoints = typeof EXPLORE;

/** Documents whose rows in the contract name a function. */
export type CalledName = {
  [Name in ExploreName]: Endpoints[Name] extends { calls: string } ? Name : never;
}[ExploreName];

/** The function of schema api: `station_days_json` for stationDays. */
type FunctionOf<Called> = Called extends { subject: infer Of extends string; calls: infer Name }
  ? `${Of}_${Name & string}`
  : Called extends { calls: infer Name }
    ? Name
    : never;

/**
 * Reads the row of a document. Rejects with Problem 404 where there is no such station or region.
 */
export type ReadRow = <Name extends CalledName>(
  name: Name,
  values: PathValues,
) => Promise<ApiRow<FunctionOf<Endpoints[Name]> & keyof ApiFunctions>>;

export type Sources = {
  db: ApiDb;
  /** For documents whose cost grows with the network. */
  wholeNetwork: ApiDb;
  clock: Clock;
  /** The air quality index that the operator prefers. */
  index?: IndexName;
};

/** The argument of a function that a parameter of a path becomes. */
const ARGUMENTS: Readonly<
  Record<Exclude<keyof PathValues, 'locale'>, (values: PathValues) => object>
> = {
  id: ({ id }) => ({ only_station: id }),
  slug: ({ slug }) => ({ only_region: slug }),
  parameter: ({ parameter }) => ({ only_parameter: parameter }),
  year: ({ year }) => ({ year }),
  from: ({ from }) => ({ first_date: from }),
  to: ({ to }) => ({ last_date: to }),
  hour: ({ hour }) => ({ instant: instantOf(hour) }),
};

export function makeReadRow({ db, wholeNetwork, clock, index = 'aqi' }: Sources): ReadRow {
  const read = async (name: CalledName, values: PathValues) => {
    const { subject, calls, path, isHeavy, prefers }: Explored = EXPLORE[name];
    const given = parametersIn(path).map((one) => one !== 'locale' && ARGUMENTS[one](values));
    const args = Object.assign({ at: clock() }, ...given, prefers && { preferred_index: index });
    const called = subject === undefined ? calls : `${subject}_${calls}`;
    const [row] = await callApi(isHeavy ? wholeNetwork : db, called as keyof ApiFunctions, args);
    return found(row, noSuch(subject, values));
  };
  return read as ReadRow;
}

/** The problem where there is no row. */
export function noSuch(subject: Subject | undefined, { id, slug }: PathValues): Error {
  if (subject === undefined) return new Error('a document without a subject has no row');
  return subject === 'station' ? noSuchStation(id) : noSuchRegion(slug);
}

/** The instant of `2026-11-22T09Z` as the database reads it. */
const instantOf = (hour: string) => hour.replace(/T(\d\d)(?=Z|[+-])/, 'T$1:00');
