/** Buckets to the five windows of the specification: hours without extremes, days and months with all of them (H2, H3). */
import type { z } from 'zod';
import {
  type RegionHistory,
  regionDay,
  regionHour,
  type StationHistory,
  stationDay,
  stationHour,
} from '../contract/history.ts';
import { WINDOWS } from '../contract/windows.ts';
import type { RegionBucket, StationBucket } from '../database/apiSchema.ts';
import { inOrder } from './inOrder.ts';

export function presentStationHistory(buckets: readonly StationBucket[]): StationHistory {
  return windows(buckets, stationHour, stationDay) as StationHistory;
}

export function presentRegionHistory(buckets: readonly RegionBucket[]): RegionHistory {
  return windows(buckets, regionHour, regionDay) as RegionHistory;
}

type Bucket = StationBucket | RegionBucket;

function windows(buckets: readonly Bucket[], hour: z.ZodObject, day: z.ZodObject): Record<string, unknown[]> {
  const points = WINDOWS.map(({ key, unit }) => {
    const schema = unit === 'hour' ? hour : day;
    const inWindow = buckets.filter(({ series }) => series === key);
    return [key, inWindow.map((one) => inOrder(schema, { ...one, ...ranges(one) }))] as const;
  });
  return Object.fromEntries(points);
}

/** Pairs are built here, from two scalars: the driver reads a null in an array of numbers as NaN. */
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
