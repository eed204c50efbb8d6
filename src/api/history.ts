/**
 * The history of a station or a region in its five windows: query and presentation. Hours have no ranges, days and months have all of them
 * (H2, H3).
 */
import { sql } from 'kysely';
import type { z } from 'zod';
import {
  type RegionDay,
  type RegionHistory,
  regionDay,
  regionHour,
  type StationDay,
  type StationHistory,
  stationDay,
  stationHour,
} from '../contract/history.ts';
import { WINDOWS, type Window } from '../contract/windows.ts';
import type { ApiDb, ApiRow } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';
import { picker } from '../http/answers.ts';

/** The windows at an instant, the ranges that hold them, and the instant at which they move. Bounds are half-open. */
export type Windows = {
  windows: Pick<ApiRow<'history_window'>, 'series' | 'unit' | 'since' | 'until'>[];
  extent: Record<keyof ApiRow<'history_extent'>, Date>;
  valid_until: string;
};

/** A bucket of one or two windows, with what a document shows of it. Its ranges are still two scalars each, null in hours. */
export type StationBucket = Shown<ApiRow<'station_series'>, StationDay>;
export type RegionBucket = Shown<ApiRow<'region_series'>, RegionDay>;
type Shown<Row, Point> = Pick<Row, keyof Row & (keyof Point | 'unit' | 'min_aqi' | 'max_aqi')>;

const STATION_COLUMNS = columnsOf<StationBucket>(stationDay);
const REGION_COLUMNS = columnsOf<RegionBucket>(regionDay);

/** The columns behind the keys of a point. */
function columnsOf<Bucket>({ shape }: z.ZodObject): (keyof Bucket & string)[] {
  const columns = Object.keys(shape).flatMap((key) =>
    key.startsWith('range_') ? [key.replace('range', 'min'), key.replace('range', 'max')] : [key],
  );
  return [...new Set(['unit', ...columns])] as (keyof Bucket & string)[];
}

/** Everything in the windows, in any order, and how long that stays right (see `documents.ts`). */
export type History<Bucket> = Windows & { buckets: Bucket[]; data_version: number | null };

/** Returns the windows of an instant. The database is asked only when they have moved. */
export function makeWindows(db: ApiDb): (at: Date) => Promise<Windows> {
  let known: { since: Date; until: Date; windows: Windows } | undefined;
  return async (at) => {
    if (known === undefined || at < known.since || at >= known.until) {
      const windows = await queryWindows(db, at);
      known = { since: at, until: new Date(windows.valid_until), windows };
    }
    return known.windows;
  };
}

async function queryWindows(db: ApiDb, at: Date): Promise<Windows> {
  const rows = await db
    .selectFrom(apiRows('history_window', { at }).as('window'))
    .innerJoin(apiRows('history_extent', { at }).as('extent'), (join) => join.onTrue())
    .selectAll()
    .select(sql<string>`api.history_valid_until(${at})`.as('valid_until'))
    .execute();
  const [first] = rows;
  if (first === undefined) throw new Error('the contract has no history windows');
  const extent = {
    hours_since: new Date(first.hours_since),
    hours_until: new Date(first.hours_until),
    days_since: new Date(first.days_since),
    days_until: new Date(first.days_until),
    months_since: new Date(first.months_since),
    months_until: new Date(first.months_until),
  };
  return { windows: rows, extent, valid_until: first.valid_until };
}

/** One query: a station without data is one row without a bucket. Undefined where there is no such station. */
export async function queryStationHistory(
  db: ApiDb,
  windows: Windows,
  id: number,
): Promise<History<StationBucket> | undefined> {
  const rows = await db
    .selectFrom('api.station as station')
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .leftJoin(apiRows('station_series', { only_station: id, ...windows.extent }).as('series'), (join) => join.onTrue())
    .select(STATION_COLUMNS)
    .select('freshness.data_version')
    .where('station.id', '=', id)
    .execute();
  return historyOf(windows, rows);
}

/** The same for a region. */
export async function queryRegionHistory(
  db: ApiDb,
  windows: Windows,
  slug: string,
): Promise<History<RegionBucket> | undefined> {
  const rows = await db
    .selectFrom('api.region as region')
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .leftJoin(apiRows('region_series', { only_region: slug, ...windows.extent }).as('series'), (join) => join.onTrue())
    .select(REGION_COLUMNS)
    .select('freshness.data_version')
    .where('region.slug', '=', slug)
    .execute();
  return historyOf(windows, rows);
}

function historyOf<Bucket extends StationBucket | RegionBucket>(
  windows: Windows,
  rows: (Nullable<Bucket> & { data_version: number | null })[],
): History<Bucket> | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const buckets = rows.filter(({ unit }) => unit !== null) as unknown as Bucket[]; // all columns are null with the unit
  return { ...windows, buckets, data_version: first.data_version };
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** All five windows, those without buckets as empty arrays. */
export function presentStationHistory(history: History<StationBucket>): StationHistory {
  return present(history, pickStation) as StationHistory;
}

/** The same for a region. */
export function presentRegionHistory(history: History<RegionBucket>): RegionHistory {
  return present(history, pickRegion) as RegionHistory;
}

const pickStation = { hour: picker(stationHour), day: picker(stationDay) };
const pickRegion = { hour: picker(regionHour), day: picker(regionDay) };

type Pickers = Record<'hour' | 'day', (bucket: never) => object>;

function present({ windows, buckets }: History<StationBucket | RegionBucket>, pick: Pickers) {
  const points = buckets
    .map((bucket) => ({
      unit: bucket.unit,
      at: Date.parse(bucket.timestamp),
      point: bucket.unit === 'hour' ? pick.hour(bucket as never) : pick.day({ ...bucket, ...ranges(bucket) } as never),
    }))
    .sort((one, other) => one.at - other.at);
  const inWindow = ({ key, unit }: Window) => {
    const window = windows.find(({ series }) => series === key);
    if (window === undefined) return [];
    const [since, until] = [Date.parse(window.since), Date.parse(window.until)];
    return points.filter((one) => one.unit === unit && one.at >= since && one.at < until).map(({ point }) => point);
  };
  return Object.fromEntries(WINDOWS.map((window) => [window.key, inWindow(window)]));
}

/** Pairs are built here from two scalars, because the driver reads a null in an array of numbers as NaN. */
function ranges(bucket: StationBucket | RegionBucket) {
  return {
    range_temperature: pair(bucket.min_temperature, bucket.max_temperature),
    range_pm25: pair(bucket.min_pm25, bucket.max_pm25),
    range_pm10: pair(bucket.min_pm10, bucket.max_pm10),
    range_dust: pair(bucket.min_dust, bucket.max_dust),
    range_wind_speed: pair(bucket.min_wind_speed, bucket.max_wind_speed),
    range_aqi: pair(bucket.min_aqi, bucket.max_aqi),
  };
}

function pair(low: number | null, high: number | null): [number, number] | null {
  return low === null || high === null ? null : [low, high];
}
