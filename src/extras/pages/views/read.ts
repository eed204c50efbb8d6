/** The material of views: documents of the API, by their names in the contract. */
import type { z } from 'zod';
import type { Region, Station } from '../../../contract/current.ts';
import { ENDPOINTS, type Locale, pathWith } from '../../../contract/endpoints.ts';
import { EXPLORE, type ExploreAnswer } from '../../../contract/explore.ts';
import type { Read } from '../../extra.ts';
import type { Page, Site } from '../layout.ts';
import { isWaiting, type Unjudged } from '../now.ts';
import type { ListedStation } from '../parts.ts';
import type { Windows } from '../series.ts';
import { type LastDay, topOf } from '../trend.ts';
import { whySuspect } from '../trust.ts';
import { gradeOf, verdictOf } from '../verdict.ts';

/** The values in the address of a page; those that it lacks must not be read. */
export type Values = { locale: Locale; id: number; slug: string; year?: number };

export type Context = { site: Site; read: Read; at: Date };

/** Makes what is at an address. Rejects as `read` does where there is no such place. */
export type View = (
  context: Context,
  values: Values,
) => Promise<{ page: Page } | { picture: Buffer }>;

const ALL = { ...ENDPOINTS, ...EXPLORE };
type Names = Readonly<Record<string, keyof typeof ALL>>;
type Contents<Of extends Names> = {
  [Key in keyof Of]: Of[Key] extends `${string}History`
    ? Windows
    : z.infer<(typeof ALL)[Of[Key]]['answer']>;
};

/** The documents that frames and pages have in common. */
export const OF_STATION = {
  values: 'station',
  indices: 'stationNow',
  trust: 'stationFlags',
} as const;
export const OF_REGION = { values: 'region', indices: 'regionNow' } as const;

/** Documents by their names. */
export async function readAll<const Of extends Names>(
  { read }: Pick<Context, 'read'>,
  values: { locale: Locale } & Partial<Values>,
  names: Of,
): Promise<Contents<Of>> {
  const entries = Object.entries(names).map(
    async ([key, name]) => [key, await read(pathWith(ALL[name].path, values))] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Contents<Of>;
}

/**
 * The listed places of the network, and what adds verdicts to those that a page shows: judging all
 * of 2,000 stations took a third of the time of a page with ten.
 */
export async function readNetwork(context: Context, locale: Locale) {
  const { list, now } = await readAll(context, { locale }, { list: 'stations', now: 'now' });
  const stations = new Map(now.stations.map((one) => [one.id, one]));
  const regions = new Map(now.regions.map((one) => [one.slug, one]));
  const { index } = context.site;
  /**
   * With its verdict, and PM2.5 of the hour that this is about. One copy of each place: four of each
   * took a fifth of the processor time of a page with 2,000 stations.
   */
  const judge = <Place extends Region | Station>(place: Place, judged = UNJUDGED) => {
    const { aqi, measurement_time } = place;
    const { is_bad_pm = false, has_measured } = judged;
    const status = 'status' in place && { status: place.status };
    const facts = { aqi, measurement_time, is_bad_pm, has_measured, ...status };
    const verdict = verdictOf(index, facts, gradeIn(judged));
    const pm25 = verdict.by?.index === 'eaqi' ? judged['pm2.5'] : place['pm2.5'];
    return { ...place, 'pm2.5': pm25, is_bad_pm, verdict };
  };
  return {
    ...list,
    hour: now.timestamp,
    judgeStations: <One extends Station>(shown: readonly One[]) =>
      shown.map((station) => judge(station, stations.get(station.id))),
    judgeRegions: <One extends Region>(shown: readonly One[]) =>
      shown.map((region) => judge(region, regions.get(region.slug))),
  };
}

type Judged = Omit<ExploreAnswer<'now'>['regions'][number], 'slug'> & { is_bad_pm?: boolean };

/** Until both documents know it. */
const UNJUDGED: Judged = {
  european_index: null,
  pollutant: null,
  concentration: null,
  'pm2.5': null,
  has_measured: false,
};

const gradeIn = ({ european_index: band, pollutant, concentration }: Judged) =>
  band === null || pollutant === null
    ? undefined
    : ([band, pollutant, concentration ?? 0] as const);

/** Places of one list with their last 24 hours. */
export function withDays<Place extends Region, Post extends ListedStation>(
  day: ExploreAnswer<'lastDay'>,
  regions: readonly Place[],
  stations: readonly Post[],
) {
  const ofRegions = new Map(day.regions.map((one) => [one.slug, one]));
  const ofStations = new Map(day.stations.map((one) => [one.id, one]));
  const top = topOf([
    ...regions.map(({ slug }) => ofRegions.get(slug)),
    ...stations.map(({ id, is_bad_pm }) => (is_bad_pm ? undefined : ofStations.get(id))),
  ]);
  const listed = (one: LastDay | undefined) => one && { ...one, top };
  return {
    regions: regions.map((one) => ({ ...one, day: listed(ofRegions.get(one.slug)) })),
    stations: stations.map((one) => ({ ...one, day: listed(ofStations.get(one.id)) })),
  };
}

/** A subject with what is said of its air. */
export function withVerdict<One extends Unjudged>({ site: { index } }: Context, subject: One) {
  const isSuspect = subject.suspect !== undefined;
  const judged = { ...subject.values, is_bad_pm: isSuspect, has_measured: !isWaiting(subject) };
  const grade = gradeOf(subject.indices, isSuspect);
  return { ...subject, index, verdict: verdictOf(index, judged, grade) };
}

/** The facts on the page and the picture of a station. */
export async function readStation(context: Context, values: Values) {
  const contents = await readAll(context, values, { ...OF_STATION, history: 'stationHistory' });
  const { at } = context;
  const { flags } = contents.trust;
  const suspect = whySuspect(values.locale, flags, at);
  return withVerdict(context, { ...contents, at, suspect, flags });
}

/** The same of a region. */
export async function readRegion(context: Context, values: Values) {
  const names = { ...OF_REGION, history: 'regionHistory', limits: 'regionLimits' } as const;
  const contents = await readAll(context, values, names);
  return withVerdict(context, { ...contents, at: context.at });
}
