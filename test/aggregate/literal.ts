/**
 * The rules P2, P3, A1 to A8, C9, Q1, S5 and Z5 word for word over readings in memory, sharing
 * nothing with the SQL: no templates, no database, ICU's zones or rules that are given. Slow and
 * obvious on purpose. The aggregates are compared with it. Which periods screening finds (C9) is in
 * network/suspect/literal.ts.
 */
import {
  PARAMETERS,
  type Parameter,
  type ParameterName,
  type ReadingColumn,
} from '../../src/contract/parameters.ts';
import { bucketStart, offsetAt, type Zone } from '../support/localTime.ts';
import { decimal, roundedHalfUp } from './decimals.ts';

export type Reading = {
  at: number;
  sensor: number;
  values: Partial<Record<ReadingColumn, number>>;
};

/** Half-open, in milliseconds since 1970; an unbounded end is infinite. */
type Period = { since: number; until: number };

export type Network = {
  placed: (Period & { sensor: number; station: number })[];
  suspicious: (Period & { sensor: number })[];
  corrected: (Period & { sensor: number })[];
  regions: (Period & { station: number; region: string })[];
  hidden: (Period & { station: number })[];
  flagged: (Period & { station: number; kind: 'thp' | 'pm' })[];
};

/** One bucket: its means, sums and extremes by the names of the columns. */
export type Bucket = Record<string, number | null>;
type Values = Record<string, number | null>;
type Hour = { sources: number; values: Values; aqi: number | null };

const MEANS: Parameter[] = PARAMETERS.filter((parameter) => parameter.kind === 'mean');
/** The values of an hour. */
export const HOUR_COLUMNS = [...MEANS.map(({ name }) => name), 'wind_sin', 'wind_cos', 'rain'];
export const HOUR = 3_600_000;

/**
 * A6: the rain of readings with a total is the difference to the total before, or the total itself
 * where it is smaller; for the first and after more than 24 hours, the amount that was given, if
 * any. The result is in order of time.
 */
export function withAmounts(readings: readonly Reading[]): Reading[] {
  const before = new Map<number, { at: number; total: number }>();
  return readings
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, sensor, values: { rain, ...values } }) => {
      const given = { at, sensor, values: rain === undefined ? values : { ...values, rain } };
      const total = values.rain_total;
      if (total === undefined) return given;
      const last = before.get(sensor);
      before.set(sensor, { at, total });
      if (last === undefined || at - last.at > 24 * HOUR) return given;
      const amount = total < last.total ? total : total - last.total;
      return amount > 500 ? given : { at, sensor, values: { ...values, rain: amount } };
    });
}

/** Z5: the offsets of a zone in a time, in milliseconds, each with its beginning. */
export function literalOffsets(
  zone: Zone,
  since: number,
  until: number,
): { since: number; offset: number }[] {
  const found = [{ since, offset: offsetAt(zone, since) }];
  // no offset has held for less than six days
  for (let at = since; at < until; at += 24 * HOUR) {
    const last = found.at(-1) as (typeof found)[number];
    const end = Math.min(at + 24 * HOUR, until);
    if (offsetAt(zone, end) === last.offset) continue;
    let [low, high] = [at, end];
    while (high - low > 1_000) {
      const middle = low + Math.floor((high - low) / 2_000) * 1_000;
      if (offsetAt(zone, middle) === last.offset) low = middle;
      else high = middle;
    }
    found.push({ since: high, offset: offsetAt(zone, high) });
  }
  return found;
}

/** The hour of a sensor whose readings were deleted: it stays as it is (A10). */
export type KeptHour = { sensor: number; at: number; values: Bucket };

/**
 * Every bucket of every level, by level, subject and start, such as `station_hourly 1
 * 1700000000000`.
 */
export function literalBuckets(
  zone: Zone,
  readings: readonly Reading[],
  network: Network,
  kept: readonly KeptHour[] = [],
): Map<string, Bucket> {
  const buckets = new Map<string, Bucket>();
  const floor = (at: number) => (Number.isFinite(at) ? bucketStart(zone, 'hour', at) : at);
  const ceiling = (at: number) => (floor(at) === at ? at : floor(at) + HOUR);
  const roundedUp = ({ since, until }: Period) => ({
    since: ceiling(since),
    until: ceiling(until),
  });
  const holds = (hour: number, { since, until }: Period) => since <= hour && hour < until;

  // A1, A6, A7: a sensor's hour is the mean of its readings, rain their sum, wind the mean of unit
  // vectors; a calm has no direction
  const sensorHours = new Map(kept.map(({ sensor, at, values }) => [`${sensor} ${at}`, values]));
  for (const [key, group] of groupBy(
    withAmounts(readings),
    (r) => `${r.sensor} ${bucketStart(zone, 'hour', r.at)}`,
  )) {
    const values: Values = {};
    for (const { name } of MEANS)
      values[name] = mean(group.map((r) => r.values[name as ParameterName]));
    const directions = group.filter((r) => r.values.wind_speed !== 0);
    values.wind_sin = mean(directions.map((r) => sine(r.values.wind_direction)));
    values.wind_cos = mean(directions.map((r) => cosine(r.values.wind_direction)));
    values.rain = sum(group.map((r) => r.values.rain));
    sensorHours.set(key, values);
  }

  const byStation = new Map<string, { corrected: boolean; values: Values }[]>();
  for (const [key, values] of sensorHours) {
    const [sensor, hour] = key.split(' ').map(Number) as [number, number];
    buckets.set(`sensor_hourly ${key}`, values);
    const station = stationOf(network, sensor, hour);
    if (station === undefined) continue;
    const corrected = network.corrected.some(
      (period) => period.sensor === sensor && holds(hour, roundedUp(period)),
    );
    push(byStation, `${station} ${hour}`, { corrected, values });
  }

  // A2, S5: a station's hour is the mean of its sensors' hours; PM2.5 of sensors with a formula is
  // corrected together
  const stationHours = new Map<string, Hour>();
  for (const [key, sensors] of byStation) {
    const values = meansOf(sensors.map((s) => s.values));
    const ownHumidity = mean(sensors.filter((s) => s.corrected).map((s) => s.values.humidity));
    values.pm25 = stationPm25(sensors, ownHumidity ?? values.humidity ?? null);
    values.pm25_raw = mean(
      sensors.map(({ corrected, values: v }) => v.pm25_raw ?? (corrected ? v.pm25 : null)),
    );
    const aqi = aqiOf(values);
    stationHours.set(key, { sources: sensors.length, values, aqi });
    buckets.set(`station_hourly ${key}`, { ...values, aqi, sensor_count: sensors.length });
  }

  // A3, P3, C9: a region's hour is the mean of the hours of its stations; flagged ones without
  // temperature, humidity and pressure, or particles
  const regionHours = new Map<string, Hour>();
  const byRegion = new Map<string, Values[]>();
  for (const [key, { values }] of stationHours) {
    const [station, hour] = key.split(' ').map(Number) as [number, number];
    const own = <T extends { station: number }>(of: readonly T[]) =>
      of.filter((each) => each.station === station);
    if (own(network.hidden).some((period) => holds(hour, roundedUp(period)))) continue;
    const flags = own(network.flagged).filter((p) =>
      holds(hour, { since: floor(p.since), until: ceiling(p.until) }),
    );
    const isFlagged = (kind: string) => flags.some((flag) => flag.kind === kind);
    const counted = {
      ...values,
      ...(isFlagged('thp') && { temperature: null, humidity: null, pressure: null }),
      ...(isFlagged('pm') && { pm1: null, pm25: null, pm25_raw: null, pm10: null }),
    };
    const regions = own(network.regions).filter((period) => holds(hour, roundedUp(period)));
    for (const region of new Set(regions.map((each) => each.region)))
      push(byRegion, `${region} ${hour}`, counted);
  }
  for (const [key, stations] of byRegion) {
    const values = meansOf(stations);
    const aqi = aqiOf(values);
    regionHours.set(key, { sources: stations.length, values, aqi });
    buckets.set(`region_hourly ${key}`, { ...values, aqi, station_count: stations.length });
  }

  for (const [subject, hours] of Object.entries({ station: stationHours, region: regionHours })) {
    for (const [resolution, unit] of Object.entries({ daily: 'day', monthly: 'month' } as const)) {
      addCoarser(buckets, zone, `${subject}_${resolution}`, unit, hours);
    }
  }
  return buckets;
}

/**
 * P2: the station at which an hour of a sensor counts, since the sensor stood there for the whole
 * hour and was not suspicious in any part of it.
 */
export function stationOf(network: Network, sensor: number, hour: number): number | undefined {
  const own = <T extends { sensor: number }>(of: readonly T[]) =>
    of.filter((each) => each.sensor === sensor);
  const isSuspicious = own(network.suspicious).some(
    ({ since, until }) => since < hour + HOUR && until > hour,
  );
  if (isSuspicious) return undefined;
  return own(network.placed).find(({ since, until }) => since <= hour && hour + HOUR <= until)
    ?.station;
}

/**
 * A4, A5, A6, A8: a day and a month are the mean of the hours in them, with the extremes of the
 * hours.
 */
function addCoarser(
  buckets: Map<string, Bucket>,
  zone: Zone,
  level: string,
  unit: 'day' | 'month',
  hours: ReadonlyMap<string, Hour>,
): void {
  const groups = new Map<string, Hour[]>();
  for (const [key, hour] of hours) {
    const [id, start] = key.split(' ') as [string, string];
    push(groups, `${id} ${bucketStart(zone, unit, Number(start))}`, hour);
  }
  for (const [key, group] of groups) {
    const bucket: Bucket = { ...meansOf(group.map((h) => h.values)), hours: group.length };
    bucket.rain = sum(group.map((h) => h.values.rain));
    bucket[level.startsWith('station') ? 'sensor_count' : 'station_count'] = mean(
      group.map((h) => h.sources),
    );
    const indices = group.map((h) => h.aqi).filter((index) => index !== null);
    bucket.min_aqi = indices.length ? Math.min(...indices) : null;
    bucket.max_aqi = indices.length ? Math.max(...indices) : null;
    for (const { name, extremes } of MEANS) {
      const all = group.map((h) => h.values[name]).filter((v): v is number => v != null);
      bucket[`${name}_hours`] = all.length;
      if (extremes) bucket[`min_${name}`] = all.length ? Math.min(...all) : null;
      if (extremes) bucket[`max_${name}`] = all.length ? Math.max(...all) : null;
    }
    buckets.set(`${level} ${key}`, bucket);
  }
}

/**
 * (Σ p + n · formula(x̄, RH)) / (m + n); without humidity the n are left out. RH is the humidity
 * of the corrected sensors, or the station's if they have none.
 */
function stationPm25(
  sensors: readonly { corrected: boolean; values: Values }[],
  humidity: number | null,
): number | null {
  const final = sensors
    .filter((s) => !s.corrected)
    .map(({ values: v }) => v.pm25 ?? v.pm25_raw ?? null);
  const measured = sensors
    .filter((s) => s.corrected)
    .map(({ values: v }) => v.pm25_raw ?? v.pm25 ?? null);
  const p = final.filter((v): v is number => v !== null);
  const x = measured.filter((v): v is number => v !== null);
  const n = humidity === null ? 0 : x.length;
  if (p.length + n === 0) return null;
  const corrected = n === 0 ? 0 : n * epa2021(mean(x) as number, humidity as number);
  return ((sum(p) ?? 0) + corrected) / (p.length + n);
}

function epa2021(x: number, humidity: number): number {
  const low = 0.524 * x - 0.0862 * humidity + 5.75;
  const middle = 0.786 * x - 0.0862 * humidity + 5.75;
  const high = 2.966 + 0.69 * x + 8.84e-4 * x ** 2;
  const between = (a: number, b: number, from: number, to: number) =>
    a + ((b - a) * (x - from)) / (to - from);
  if (x < 30) return Math.max(0, low);
  if (x < 50) return Math.max(0, between(low, middle, 30, 50));
  if (x < 210) return Math.max(0, middle);
  return x < 260 ? between(middle, high, 210, 260) : high;
}

/**
 * The US EPA's categories: lower and upper concentration, PM2.5 in tenths, and the indices of both.
 * The last category goes on beyond its end.
 */
const CATEGORIES = {
  pm25: [
    [0, 90, 0, 50],
    [91, 354, 51, 100],
    [355, 554, 101, 150],
    [555, 1254, 151, 200],
    [1255, 2254, 201, 300],
    [2255, 3254, 301, 500],
  ],
  pm10: [
    [0, 54, 0, 50],
    [55, 154, 51, 100],
    [155, 254, 101, 150],
    [255, 354, 151, 200],
    [355, 424, 201, 300],
    [425, 604, 301, 500],
  ],
} as const;

/** Q1: the larger index of PM2.5, to one decimal, and PM10, to whole numbers. */
function aqiOf(values: Values): number | null {
  const tenths = (value: number) => Math.round(Math.max(roundedHalfUp(decimal(value), 1), 0) * 10);
  const indices = Object.entries(CATEGORIES).flatMap(([name, categories]) => {
    const value = values[name];
    if (value == null) return [];
    const x = name === 'pm25' ? tenths(value) : Math.floor(tenths(value) / 10);
    const category = categories.find(([, to]) => x <= to) ?? categories[5];
    const [from, to, low, high] = category;
    return [low + Math.floor((2 * (high - low) * (x - from) + (to - from)) / (2 * (to - from)))];
  });
  return indices.length === 0 ? null : Math.max(...indices);
}

function meansOf(rows: readonly Values[]): Values {
  return Object.fromEntries(HOUR_COLUMNS.map((name) => [name, mean(rows.map((row) => row[name]))]));
}

function mean(values: readonly (number | null | undefined)[]): number | null {
  const total = sum(values);
  return total === null ? null : total / values.filter((v) => v != null).length;
}

function sum(values: readonly (number | null | undefined)[]): number | null {
  const present = values.filter((v): v is number => v != null);
  return present.length === 0 ? null : present.reduce((a, b) => a + b, 0);
}

const sine = (degrees: number | undefined) =>
  degrees === undefined ? null : Math.sin((degrees * Math.PI) / 180);
const cosine = (degrees: number | undefined) =>
  degrees === undefined ? null : Math.cos((degrees * Math.PI) / 180);

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
