/**
 * The history of a station or a region in its five windows: query and presentation. Hours have no ranges, days and months have all of them
 * (H2, H3).
 */
import type { z } from 'zod';
import { pickFields } from '../contract/fields.ts';
import {
  type RegionHistory,
  regionDay,
  regionHour,
  type StationHistory,
  stationDay,
  stationHour,
} from '../contract/history.ts';
import { WINDOWS, type WindowKey } from '../contract/windows.ts';
import { type ApiDb, type ApiRow, apiRows } from '../database/pools.ts';

/** A bucket of one window. Its ranges are still two scalars each, null in hours. */
export type StationBucket = InWindow<ApiRow<'station_history'>>;
export type RegionBucket = InWindow<ApiRow<'region_history'>>;
type InWindow<Row> = Omit<Row, 'series'> & { series: WindowKey };

/** One query: a station without data is one row without a bucket. Undefined where there is no such station. */
export async function queryStationHistory(db: ApiDb, at: Date, id: number): Promise<StationBucket[] | undefined> {
  const rows = await db
    .selectFrom('api.station as station')
    .leftJoin(apiRows('station_history', { at }).as('history'), 'history.station_id', 'station.id')
    .selectAll('history')
    .where('station.id', '=', id)
    .orderBy('history.timestamp')
    .$narrowType<{ series: WindowKey | null }>()
    .execute();
  return bucketsOf(rows);
}

/** The same for a region. */
export async function queryRegionHistory(db: ApiDb, at: Date, slug: string): Promise<RegionBucket[] | undefined> {
  const rows = await db
    .selectFrom('api.region as region')
    .leftJoin(apiRows('region_history', { at }).as('history'), 'history.region_slug', 'region.slug')
    .selectAll('history')
    .where('region.slug', '=', slug)
    .orderBy('history.timestamp')
    .$narrowType<{ series: WindowKey | null }>()
    .execute();
  return bucketsOf(rows);
}

type Nullable<Row> = { [Key in keyof Row]: Row[Key] | null };

function bucketsOf<Row extends { series: string }>(rows: Nullable<Row>[]): Row[] | undefined {
  if (rows.length === 0) return undefined;
  return rows.filter((row): row is Row => row.series !== null);
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
