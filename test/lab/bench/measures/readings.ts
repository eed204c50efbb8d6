/**
 * A history computed from readings for each request, as whoever has no aggregates must. The SQL is
 * the same for every database but for how it truncates a time; what it selects is laid out and
 * rounded here.
 */
import type { Sql } from '../../../../src/database/client.ts';
import { NOW, TIME_ZONE } from '../run/world.ts';

export type RawRow = { series: string; bucket: string } & Record<string, number | string | null>;
/**
 * How a database truncates a time to an hour, day or month of the network's zone, and how it calls
 * the readings and the bounds of windows.
 */
export type Dialect = {
  truncate(unit: Unit, time: string): string;
  readings: string;
  time(at: Date): string;
  stations: string;
  /** The function that gives the larger of two values. */
  larger: string;
};
export type Unit = 'hour' | 'day' | 'month';

const HOUR = 3_600_000;
/** Yerevan has had no daylight saving since 2012. */
export const OFFSET = 4 * HOUR;
export const MEANS = ['temperature', 'humidity', 'pressure', 'pm25', 'pm10'];
/**
 * Key, unit of the buckets, and the first bucket and the one after the last, counted from the
 * running one.
 */
export const WINDOWS: readonly [string, Unit, number, number][] = [
  ['24h', 'hour', -24, 0],
  ['7d', 'hour', -168, 0],
  ['30d', 'day', -30, 0],
  ['1y', 'month', -11, 1],
  ['2y', 'month', -23, 1],
];

/** The start of the bucket that many before or after the running one. */
export function startOf(unit: Unit, shift: number): Date {
  const local = new Date(NOW.getTime() + OFFSET);
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  const starts = {
    hour: () => Math.floor(local.getTime() / HOUR) * HOUR + shift * HOUR,
    day: () => Date.UTC(year, month, day + shift),
    month: () => Date.UTC(year, month + shift),
  };
  return new Date(starts[unit]() - OFFSET);
}

/**
 * Concentrations from and to, and the indices of both, for the segments that the readings of a
 * benchmark reach.
 */
const PM25 = [
  [0, 9, 0, 50],
  [9.1, 35.4, 51, 100],
  [35.5, 55.4, 101, 150],
] as const;
const PM10 = [
  [0, 54, 0, 50],
  [55, 154, 51, 100],
] as const;

/** The index of a published concentration. */
function indexSql(
  concentration: string,
  segments: readonly (readonly [number, number, number, number])[],
): string {
  const cases = segments.map(
    ([low, high, from, to]) =>
      `when ${concentration} < ${high + 0.05} then floor(${from} + ${to - from} * 1.0 * (${concentration} - ${low}) / ${high - low} + 0.5)`,
  );
  return `case ${cases.join(' ')} end`;
}

/**
 * Station hours from readings, region hours from those, days and months from the hours: every hour
 * counts once.
 */
export function historySql({ truncate, readings, time, stations, larger }: Dialect): string {
  const each = (columns: readonly string[], of: (name: string) => string) =>
    columns.map(of).join(', ');
  const parts = WINDOWS.map(([series, unit, since, until]) => {
    const bucket = unit === 'hour' ? 'hour' : truncate(unit, 'hour');
    return `select '${series}' as series, ${bucket} as bucket, ${each(MEANS, (name) => `avg(${name}) as ${name}`)},
      ${each(['temperature', 'pm25', 'pm10'], (name) => `min(${name}) as min_${name}, max(${name}) as max_${name}`)}, avg(stations) as stations,
      avg(aqi) as aqi, min(aqi) as min_aqi, max(aqi) as max_aqi
      from scored where hour >= ${time(startOf(unit, since))} and hour < ${time(startOf(unit, until))} group by 2`;
  });
  return `with station_hours as (
      select sensor_id, ${truncate('hour', 'measured_at')} as hour, ${each(MEANS, (name) => `avg(${name}) as ${name}`)} from ${readings}
      where sensor_id in (${stations}) and measured_at >= ${time(startOf('month', -23))} group by 1, 2),
    hours as (select hour, ${each(MEANS, (name) => `avg(${name}) as ${name}`)}, count(*) as stations from station_hours group by 1),
    scored as (select *, ${larger}(${indexSql('(floor(pm25 * 10 + 0.5) / 10.0)', PM25)}, ${indexSql('floor(floor(pm10 * 10 + 0.5) / 10.0)', PM10)}) as aqi from hours)
    ${parts.join(' union all ')} order by 1, 2`;
}

/** PostgreSQL's own way. */
export const POSTGRESQL: Omit<Dialect, 'stations'> = {
  truncate: (unit, time) => `date_trunc('${unit}', ${time}, '${TIME_ZONE}')`,
  readings: 'raw.readings',
  larger: 'greatest',
  time: (at) => `timestamptz '${at.toISOString()}'`,
};

/** The document from the readings, over our driver. */
export async function fromReadings(sql: Sql, stations: readonly number[], isRegion: boolean) {
  const rows = await sql.unsafe(historySql({ ...POSTGRESQL, stations: stations.join(',') }), [], {
    prepare: true,
  });
  return layOut(rows as unknown as RawRow[], isRegion);
}

const number = (row: RawRow, name: string, digits: number) =>
  rounded(row[name] as number | null, digits);

/**
 * Half away from zero, as numbers are published; what is a hair below a half because it was stored
 * in single precision stays below.
 */
export function rounded(value: number | null | undefined, digits: number): number | null {
  if (value == null) return null;
  const scaled = Number(value) * 10 ** digits;
  return (Math.sign(scaled) * Math.round(Math.abs(scaled))) / 10 ** digits + 0;
}

/** The same as `indexSql`, of published means. */
export function indexOf(pm25: number | null, pm10: number | null): number | null {
  const of = (value: number, segments: readonly (readonly [number, number, number, number])[]) => {
    const [low, high, from, to] = segments.find(([, end]) => value < end + 0.05) ?? [
      0,
      1,
      0,
      Number.NaN,
    ];
    return Math.floor(from + ((to - from) * (value - low)) / (high - low) + 0.5);
  };
  return pm25 === null || pm10 === null
    ? null
    : Math.max(of(pm25, PM25), of(Math.floor(pm10), PM10));
}

/** As the API writes it, from any ISO 8601. */
export const local = (bucket: string) =>
  `${new Date(Date.parse(bucket) + OFFSET).toISOString().slice(0, 19)}+04:00`;

/**
 * Rows of `historySql` as the API publishes them: all five windows with every key, those that no
 * sensor measures as null.
 */
export function layOut(rows: readonly RawRow[], isRegion: boolean): Record<string, object[]> {
  const point = (row: RawRow) => {
    const [pm25, pm10] = [number(row, 'pm25', 1), number(row, 'pm10', 1)];
    const common = {
      timestamp: local(row.bucket),
      avg_temperature: number(row, 'temperature', 1),
      avg_humidity: number(row, 'humidity', 0),
      avg_pressure: number(row, 'pressure', 0),
      avg_pm25: pm25,
      avg_pm10: pm10,
      ...(isRegion ? { station_count: number(row, 'stations', 0) } : { avg_pm25_raw: null }),
      ...NOTHING_MEASURED,
      aqi: indexOf(pm25, pm10),
    };
    if (row.series === '24h' || row.series === '7d') return common;
    const ends = (name: string) =>
      [number(row, `min_${name}`, 1), number(row, `max_${name}`, 1)] as const;
    const [t, fine, coarse] = [ends('temperature'), ends('pm25'), ends('pm10')];
    return {
      ...common,
      range_temperature: [...t],
      range_pm25: [...fine],
      range_pm10: [...coarse],
      range_dust: null,
      range_wind_speed: null,
      range_aqi: [Number(row.min_aqi), Number(row.max_aqi)],
      min_temperature: t[0],
      max_temperature: t[1],
      min_pm25: fine[0],
      max_pm25: fine[1],
      min_pm10: coarse[0],
      max_pm10: coarse[1],
      ...Object.fromEntries(
        ['no2', 'dust', 'wind_speed'].flatMap((name) => [
          [`min_${name}`, null],
          [`max_${name}`, null],
        ]),
      ),
    };
  };
  return Object.fromEntries(
    WINDOWS.map(([key]) => [key, rows.filter(({ series }) => series === key).map(point)]),
  );
}

export const NOTHING_MEASURED = {
  avg_no2: null,
  avg_usvh: null,
  avg_dust: null,
  avg_so2: null,
  avg_o3: null,
  avg_wind_direction: null,
  avg_wind_speed: null,
  total_rain: null,
};
