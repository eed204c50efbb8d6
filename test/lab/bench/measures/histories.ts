/**
 * The means and extremes of a history, computed from readings for each request, as whoever has no
 * aggregates must: without the index, and so a little less than ours. The SQL is the same for every
 * database but for how it truncates a time; what it selects is laid out and rounded here.
 */
import { TIME_ZONE } from '../run/network.ts';
import { NOW } from '../run/world.ts';

/** The start of a bucket is in ISO 8601, or in seconds of Unix time. */
export type RawRow = Record<string, unknown> & { series: string; bucket: string | number | bigint };
export type History = Record<string, Record<string, unknown>[]>;
type Unit = 'hour' | 'day' | 'month';

/** How a database truncates a time in the network's zone, and how it calls readings and times. */
export type Dialect = {
  truncate(unit: Unit, time: string): string;
  readings: string;
  time(at: Date): string;
};

/** Yerevan has had no daylight saving since 2012. */
export const OFFSET = 4 * 3_600_000;
/** With the digits that are published. */
const MEANS = { temperature: 1, humidity: 0, pressure: 0, pm25: 1, pm10: 1 };
export const NAMES = Object.keys(MEANS);
const EXTREMES = ['temperature', 'pm25', 'pm10'];

/** First bucket and the one after the last, counted from the running one. */
const WINDOWS: Record<string, { unit: Unit; since: number; until: number }> = {
  '24h': { unit: 'hour', since: -24, until: 0 },
  '7d': { unit: 'hour', since: -168, until: 0 },
  '30d': { unit: 'day', since: -30, until: 0 },
  '1y': { unit: 'month', since: -11, until: 1 },
  '2y': { unit: 'month', since: -23, until: 1 },
};

/** The start of the bucket that many before or after the running one. */
function startOf(unit: Unit, shift: number): Date {
  const local = new Date(NOW.getTime() + OFFSET);
  const [year, month, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
  const starts = {
    hour: Date.UTC(year, month, day, local.getUTCHours() + shift),
    day: Date.UTC(year, month, day + shift),
    month: Date.UTC(year, month + shift),
  };
  return new Date(starts[unit] - OFFSET);
}

/** PostgreSQL's own way. */
export const POSTGRESQL: Dialect = {
  truncate: (unit, time) => `date_trunc('${unit}', ${time}, '${TIME_ZONE}')`,
  readings: 'raw.readings',
  time: (at) => `timestamptz '${at.toISOString()}'`,
};

/**
 * Station hours from readings, region hours from those, days and months from the hours: every hour
 * counts once. Sensors are numbered as their stations.
 */
export function historySql(
  { truncate, readings, time }: Dialect,
  stations: readonly number[],
): string {
  const means = NAMES.map((name) => `avg(${name}) as ${name}`).join(', ');
  const extremes = EXTREMES.map(
    (name) => `min(${name}) as min_${name}, max(${name}) as max_${name}`,
  );
  const parts = Object.entries(WINDOWS).map(([series, { unit, since, until }]) => {
    const bucket = unit === 'hour' ? 'hour' : truncate(unit, 'hour');
    const [from, to] = [time(startOf(unit, since)), time(startOf(unit, until))];
    return `select '${series}' as series, ${bucket} as bucket, ${means}, ${extremes.join(', ')}
      from hours where hour >= ${from} and hour < ${to} group by 2`;
  });
  return `with station_hours as (
      select sensor_id, ${truncate('hour', 'measured_at')} as hour, ${means} from ${readings}
      where sensor_id in (${stations}) and measured_at >= ${time(startOf('month', -23))} group by 1, 2),
    hours as (select hour, ${means} from station_hours group by 1)
    ${parts.join(' union all ')} order by 1, 2`;
}

/** Rows of `historySql` as the API publishes them: half away from zero, and no zero below zero. */
export function layOut(rows: readonly RawRow[]): History {
  const published = (value: unknown, digits: number) => {
    const scaled = Number(value) * 10 ** digits;
    return (Math.sign(scaled) * Math.round(Math.abs(scaled))) / 10 ** digits + 0;
  };
  const point = (row: RawRow) => {
    const isOfHour = WINDOWS[row.series]?.unit === 'hour';
    const ends = isOfHour ? [] : EXTREMES.flatMap((name) => [`min_${name}`, `max_${name}`]);
    const means = Object.entries(MEANS).map(([name, digits]) => [
      `avg_${name}`,
      published(row[name], digits),
    ]);
    const { bucket } = row;
    const at = typeof bucket === 'string' ? Date.parse(bucket) : Number(bucket) * 1_000;
    const timestamp = `${new Date(at + OFFSET).toISOString().slice(0, 19)}+04:00`;
    const extremes = ends.map((name) => [name, published(row[name], 1)]);
    return { timestamp, ...Object.fromEntries([...means, ...extremes]) };
  };
  return Object.fromEntries(
    Object.keys(WINDOWS).map((window) => [
      window,
      rows.filter(({ series }) => series === window).map(point),
    ]),
  );
}

/**
 * Throws where ours differs from what another way has, at the first place. Numbers may differ by
 * one in their last digit: means are added up in another order, and a tie is rounded either way.
 */
export function checkSame(ours: History, theirs: History): void {
  for (const [window, points] of Object.entries(theirs)) {
    const own = ours[window] ?? [];
    if (own.length !== points.length)
      throw new Error(`${window} has ${own.length} points and ${points.length}`);
    for (const [index, point] of points.entries()) {
      for (const [name, value] of Object.entries(point)) {
        if (!isClose(own[index]?.[name], value))
          throw new Error(`${window}[${index}].${name} is ${own[index]?.[name]} and ${value}`);
      }
    }
  }
}

function isClose(a: unknown, b: unknown): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b;
  const decimals = Math.max(...[a, b].map((value) => String(value).split('.')[1]?.length ?? 0));
  return Math.abs(a - b) < 1.001 * 10 ** -decimals;
}
