/**
 * The history of a station or a region in its five windows: query and presentation. Hours have no ranges, days and months have all of them
 * (H2, H3).
 */
import { sql } from 'kysely';
import type { z } from 'zod';
import {
  type RegionHistory,
  regionDay,
  regionHour,
  type StationHistory,
  stationDay,
  stationHour,
} from '../contract/history.ts';
import { WINDOWS, type WindowKey } from '../contract/windows.ts';
import type { ApiDb, ApiRow } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';
import { pickFields } from '../http/answers.ts';

/** A bucket of one window. Its ranges are still two scalars each, null in hours. */
export type StationBucket = InWindow<ApiRow<'station_history'>>;
export type RegionBucket = InWindow<ApiRow<'region_history'>>;
type InWindow<Row> = Omit<Row, 'series'> & { series: WindowKey };

/** The buckets of all windows, and how long they stay right (see `documents.ts`). */
export type History<Bucket> = { buckets: Bucket[]; valid_until: string | null; data_version: number | null };

/** One query: a station without data is one row without a bucket. Undefined where there is no such station. */
export async function queryStationHistory(
  db: ApiDb,
  at: Date,
  id: number,
): Promise<History<StationBucket> | undefined> {
  const rows = await db
    .selectFrom('api.station as station')
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .leftJoin(apiRows('station_history', { at }).as('history'), 'history.station_id', 'station.id')
    .selectAll('history')
    .select(['freshness.data_version', validUntil(at)])
    .where('station.id', '=', id)
    .orderBy('history.timestamp')
    .$narrowType<{ series: WindowKey | null }>()
    .execute();
  return historyOf(rows);
}

/** The same for a region. */
export async function queryRegionHistory(
  db: ApiDb,
  at: Date,
  slug: string,
): Promise<History<RegionBucket> | undefined> {
  const rows = await db
    .selectFrom('api.region as region')
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .leftJoin(apiRows('region_history', { at }).as('history'), 'history.region_slug', 'region.slug')
    .selectAll('history')
    .select(['freshness.data_version', validUntil(at)])
    .where('region.slug', '=', slug)
    .orderBy('history.timestamp')
    .$narrowType<{ series: WindowKey | null }>()
    .execute();
  return historyOf(rows);
}

const validUntil = (at: Date) => sql<string>`api.history_valid_until(${at})`.as('valid_until');

function historyOf<Bucket extends StationBucket | RegionBucket>(
  rows: (Omit<History<Bucket>, 'buckets'> & { series: WindowKey | null })[],
): History<Bucket> | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const buckets = rows.filter(({ series }) => series !== null) as unknown as Bucket[]; // all columns are null with the series
  return { buckets, valid_until: first.valid_until, data_version: first.data_version };
}

/** All five windows, those without buckets as empty arrays. */
export function presentStationHistory(buckets: readonly StationBucket[]): StationHistory {
  return windows(buckets, stationHour, stationDay) as StationHistory;
}

/** The same for a region. */
export function presentRegionHistory(buckets: readonly RegionBucket[]): RegionHistory {
  return windows(buckets, regionHour, regionDay) as RegionHistory;
}

type Bucket = StationBucket | RegionBucket;

function windows(buckets: readonly Bucket[], hour: z.ZodObject, day: z.ZodObject): Record<string, unknown[]> {
  const points = WINDOWS.map(({ key, unit }) => {
    const schema = unit === 'hour' ? hour : day;
    const inWindow = buckets.filter(({ series }) => series === key);
    return [key, inWindow.map((one) => pickFields(schema, { ...one, ...ranges(one) }))] as const;
  });
  return Object.fromEntries(points);
}

/** Pairs are built here from two scalars, because the driver reads a null in an array of numbers as NaN. */
function ranges(bucket: Bucket) {
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
