/**
 * Renders the documents of `explore/v1` from one query each, by the rows of the contract. The
 * database writes the long parts as JSON text.
 */
import { z } from 'zod';
import { yearIn } from '../base/clock.ts';
import {
  EXPLORE,
  type Explored,
  type ExploreName,
  type FeedName,
  KEYS,
  type Subject,
} from '../contract/explore.ts';
import type { ApiRow } from '../database/apiDb.ts';
import { query } from '../database/query.ts';
import { notFound } from '../http/send.ts';
import { renderDocument } from './document.ts';
import type { Documents } from './documents.ts';
import { type Entry, entryOf, type Row, validityOf } from './entry.ts';
import { makeHoursCsv } from './hoursCsv.ts';
import { found, type PathValues } from './paths.ts';
import { type CalledName, makeReadRow, noSuch, type Sources } from './readRow.ts';

/** How each document is rendered. */
export function makeExplore(
  /** `zone`: the network's. */
  sources: Sources & { zone?: string },
): Documents<Exclude<ExploreName, FeedName | 'now'>> {
  const { db, clock, zone = 'UTC' } = sources;
  const readRow = makeReadRow(sources);
  const render = (name: CalledName) => async (values: PathValues) => {
    const row = await readRow(name, values);
    return entryOf(values.locale, jsonOf(EXPLORE[name], { ...values, ...row }), row as Row);
  };
  const begun = (name: CalledName) => async (values: PathValues) => {
    const running = yearIn(zone, clock());
    if (values.year > running)
      throw notFound(`The year ${values.year} has not begun: ask for ${running} or earlier.`);
    return await render(name)(values);
  };
  const now = (subject: Subject) => async (values: PathValues) => {
    const args = `(at => $1, only_${subject} => $2)`;
    const [row] = await query(
      db,
      `select * from api.${subject}_now${args} cross join api.${BESIDE_NOW[subject]}${args}`,
      [clock(), values[KEYS[subject]]],
    );
    return presentNow(values, found(row as Now, noSuch(subject, values)));
  };
  const called = Object.entries<Explored>(EXPLORE)
    .filter(([, { calls }]) => calls !== undefined)
    .map(([name]) => [name, render(name as CalledName)]);

  return {
    ...(Object.fromEntries(called) as Documents<CalledName>),
    ...makeHoursCsv(db, readRow, zone),
    stationNow: now('station'),
    regionNow: now('region'),
    stationGaps: begun('stationGaps'),
    stationLimitsOfYear: begun('stationLimitsOfYear'),
    regionLimitsOfYear: begun('regionLimitsOfYear'),
  };
}

type Values = Readonly<Record<string, unknown>>;

/** The keys of an answer, as JSON text: objects and lists are text already. */
function jsonOf({ answer, calls }: Explored, values: Values): string {
  const { shape } = answer as z.ZodObject;
  if (calls === 'limits') return JSON.stringify(limitsOf(shape, values));
  const pairs = Object.entries(shape).map(([key, schema]) => {
    const value = values[key] ?? null;
    return `"${key}":${isWrittenBySql(schema as z.ZodType) ? value : JSON.stringify(value)}`;
  });
  return `{${pairs.join(',')}}`;
}

function isWrittenBySql(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodNullable) return isWrittenBySql(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodObject || schema instanceof z.ZodArray;
}

/** Columns `mean_no2`, `no2_days`, `no2_days_above` … as an object for each pollutant. */
const limitsOf = (shape: z.ZodRawShape, row: Values) =>
  Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => [
      key,
      schema instanceof z.ZodObject ? pollutantOf(key, Object.keys(schema.shape), row) : row[key],
    ]),
  );

const pollutantOf = (pollutant: string, keys: readonly string[], row: Values) =>
  Object.fromEntries(
    keys.map((key) => [key, row[key === 'mean' ? `mean_${pollutant}` : `${pollutant}_${key}`]]),
  );

/** The functions whose columns now.json has beside the indices. */
const BESIDE_NOW = { station: 'station_last_hours', region: 'region_particles' } as const;

type Now = ApiRow<'region_now'> &
  Partial<ApiRow<'station_last_hours'> & ApiRow<'region_particles'>>;

function presentNow({ locale }: PathValues, row: Now): Entry {
  const { measured_hours, expected_hours, stations, left_out, expected, digest_valid_until } = row;
  const now = {
    trend: row.trend,
    nowcast: {
      'pm2.5': row['nowcast_pm2.5'],
      pm10: row.nowcast_pm10,
      aqi: row.nowcast_aqi,
      hours: row.nowcast_hours,
    },
    european_index: {
      index: row.european_index,
      timestamp: row.european_timestamp,
      pollutants: JSON.parse(row.european_pollutants ?? ''),
      values: JSON.parse(row.european_values ?? ''),
      concentrations: JSON.parse(row.european_concentrations ?? ''),
      hours: JSON.parse(row.european_hours ?? ''),
    },
    ...(expected_hours !== undefined && { completeness: { measured_hours, expected_hours } }),
    ...(stations !== undefined && { particles: { stations, left_out, expected } }),
  };
  const digest = { valid_until: digest_valid_until ?? null, data_version: row.data_version };
  return {
    document: renderDocument(locale, JSON.stringify(now)),
    ...validityOf([row, digest]),
  };
}
