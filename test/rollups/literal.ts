/**
 * The rules A1 to A8 word for word over readings in memory, sharing nothing with the SQL: no templates, no database, ICU's zones.
 * Slow and obvious on purpose; what the aggregates hold is held against this.
 */
import { METRICS, type Metric, type MetricName } from '../../src/contract/metrics.ts';
import { bucketStart } from '../support/localTime.ts';

export type Reading = {
  at: number;
  sensor: number;
  station: number;
  quality: 0 | 1 | 2;
  values: Partial<Record<MetricName, number>>;
};
export type Membership = { station: number; region: string; since: number; until: number };

/** One bucket: its means, sums and extremes by the names of the columns. */
export type Bucket = Record<string, number | null>;

type Hour = { quality: number; members: number; values: Record<string, number | null> };

const MEANS: Metric[] = METRICS.filter((metric) => metric.kind === 'mean');
const COLUMNS = [...MEANS.map(({ name }) => name), 'wind_sin', 'wind_cos', 'rain'];
export const HOUR = 3_600_000;

export function literalBuckets(
  zone: string,
  readings: readonly Reading[],
  memberships: readonly Membership[],
): Map<string, Bucket> {
  const buckets = new Map<string, Bucket>();
  const stationHours = new Map<string, Hour>();

  // A1, A6, A7: a sensor's hour is the mean of its readings, rain their sum, wind the mean of unit vectors
  const good = readings.filter(({ quality }) => quality < 2);
  const sensorHours = groupBy(good, (r) => `${r.station} ${r.sensor} ${bucketStart(zone, 'hour', r.at)}`);
  const byStation = new Map<string, { quality: number; values: Record<string, number | null> }[]>();
  for (const [key, group] of sensorHours) {
    const [station, , hour] = key.split(' ');
    const values: Record<string, number | null> = {};
    for (const { name } of MEANS) values[name] = mean(group.map((r) => r.values[name as MetricName]));
    values.wind_sin = mean(group.map((r) => sine(r.values.wind_direction)));
    values.wind_cos = mean(group.map((r) => cosine(r.values.wind_direction)));
    values.rain = sum(group.map((r) => r.values.rain));
    push(byStation, `${station} ${hour}`, { quality: Math.max(...group.map((r) => r.quality)), values });
  }

  // A2: a station's hour is the mean of its sensors' hours
  for (const [key, sensors] of byStation) {
    const hour = {
      quality: Math.max(...sensors.map((s) => s.quality)),
      members: sensors.length,
      values: meansOf(sensors.map((s) => s.values)),
    };
    stationHours.set(key, hour);
    buckets.set(`station_hourly ${key}`, { ...hour.values, quality: hour.quality, sensor_count: hour.members });
  }

  // A3: a region's hour is the mean of the hours of the stations that belong to it at its start
  const regionHours = new Map<string, Hour>();
  const byRegion = new Map<string, Hour[]>();
  for (const [key, hour] of stationHours) {
    const [station, start] = key.split(' ').map(Number) as [number, number];
    for (const m of memberships) {
      if (m.station !== station || start < m.since || start >= m.until) continue;
      const values =
        hour.quality === 0 ? hour.values : { ...hour.values, temperature: null, humidity: null, pressure: null };
      push(byRegion, `${m.region} ${start}`, { ...hour, values });
    }
  }
  for (const [key, stations] of byRegion) {
    const values = meansOf(stations.map((s) => s.values));
    regionHours.set(key, { quality: 0, members: stations.length, values });
    buckets.set(`region_hourly ${key}`, { ...values, station_count: stations.length });
  }

  // A4, A5, A6, A8: a day and a month are the mean of the hours in them, their extremes those of the hours
  for (const [place, hours] of [
    ['station', stationHours],
    ['region', regionHours],
  ] as const) {
    for (const [grain, unit] of [
      ['daily', 'day'],
      ['monthly', 'month'],
    ] as const) {
      const groups = new Map<string, Hour[]>();
      for (const [key, hour] of hours) {
        const [id, start] = key.split(' ') as [string, string];
        push(groups, `${id} ${bucketStart(zone, unit, Number(start))}`, hour);
      }
      for (const [key, group] of groups) {
        const bucket: Bucket = { ...meansOf(group.map((h) => h.values)), hours: group.length };
        bucket.rain = sum(group.map((h) => h.values.rain));
        bucket[place === 'station' ? 'sensor_count' : 'station_count'] = mean(group.map((h) => h.members));
        for (const { name, extremes } of MEANS) {
          const all = group.map((h) => h.values[name]).filter((v): v is number => v != null);
          bucket[`${name}_hours`] = all.length;
          if (extremes) bucket[`min_${name}`] = all.length ? Math.min(...all) : null;
          if (extremes) bucket[`max_${name}`] = all.length ? Math.max(...all) : null;
        }
        buckets.set(`${place}_${grain} ${key}`, bucket);
      }
    }
  }
  return buckets;
}

function meansOf(rows: readonly Record<string, number | null>[]): Record<string, number | null> {
  return Object.fromEntries(COLUMNS.map((name) => [name, mean(rows.map((row) => row[name]))]));
}

function mean(values: readonly (number | null | undefined)[]): number | null {
  const total = sum(values);
  return total === null ? null : total / values.filter((v) => v != null).length;
}

function sum(values: readonly (number | null | undefined)[]): number | null {
  const present = values.filter((v): v is number => v != null);
  return present.length === 0 ? null : present.reduce((a, b) => a + b, 0);
}

const sine = (degrees: number | undefined) => (degrees === undefined ? null : Math.sin((degrees * Math.PI) / 180));
const cosine = (degrees: number | undefined) => (degrees === undefined ? null : Math.cos((degrees * Math.PI) / 180));

function push<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) push(groups, key(item), item);
  return groups;
}
