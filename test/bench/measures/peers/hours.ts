/**
 * The windows from hourly means, for databases that can't make months of local time or an air
 * quality index of an hour themselves.
 */
import {
  indexOf,
  MEANS,
  OFFSET,
  type RawRow,
  rounded,
  startOf,
  type Unit,
  WINDOWS,
} from '../readings.ts';

/**
 * Means of an hour by parameter, the number of stations in it, and its start in seconds of Unix
 * time.
 */
export type Hour = { at: number; stations: number; means: readonly (number | null)[] };

const [TEMPERATURE, PM25, PM10] = ['temperature', 'pm25', 'pm10'].map((name) =>
  MEANS.indexOf(name),
) as [number, number, number];
const EXTREMES = [
  ['temperature', TEMPERATURE],
  ['pm25', PM25],
  ['pm10', PM10],
] as const;

/**
 * The first hour that a window shows, and the end of the running one, which counts in the running
 * month; seconds of Unix time.
 */
export const SINCE = startOf('month', -23).getTime() / 1_000;
export const UNTIL = startOf('hour', 1).getTime() / 1_000;

/** Rows as `historySql` selects them: every hour counts once, `means` in the order of MEANS. */
export function rowsOf(hours: readonly Hour[]): RawRow[] {
  const scored = hours.map((hour) => ({ ...hour, aqi: aqiOf(hour) }));
  return WINDOWS.flatMap(([series, unit, since, until]) => {
    const [from, to] = [
      startOf(unit, since).getTime() / 1_000,
      startOf(unit, until).getTime() / 1_000,
    ];
    const buckets = new Map<number, Scored[]>();
    for (const hour of scored) {
      if (hour.at < from || hour.at >= to) continue;
      const start = truncate(unit, hour.at);
      const bucket = buckets.get(start);
      if (bucket === undefined) buckets.set(start, [hour]);
      else bucket.push(hour);
    }
    return [...buckets]
      .sort(([left], [right]) => left - right)
      .map(([start, within]) => ({
        series,
        bucket: new Date(start * 1_000).toISOString(),
        ...combined(within),
      }));
  });
}

type Scored = Hour & { aqi: number | null };

const aqiOf = ({ means }: Hour) => indexOf(rounded(means[PM25], 1), rounded(means[PM10], 1));

function truncate(unit: Unit, at: number): number {
  if (unit === 'hour') return at;
  const offset = OFFSET / 1_000;
  if (unit === 'day') return at - ((at + offset) % 86_400);
  const local = new Date((at + offset) * 1_000);
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth()) / 1_000 - offset;
}

function combined(hours: readonly Scored[]): Record<string, number | null> {
  const of = (value: (hour: Scored) => number | null | undefined) => {
    let [sum, count, low, high] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const hour of hours) {
      const found = value(hour);
      if (found == null) continue;
      sum += found;
      count += 1;
      if (found < low) low = found;
      if (found > high) high = found;
    }
    return count === 0 ? { mean: null, low: null, high: null } : { mean: sum / count, low, high };
  };
  const aqi = of((hour) => hour.aqi);
  const row: Record<string, number | null> = {
    stations: of((hour) => hour.stations).mean,
    aqi: aqi.mean,
    min_aqi: aqi.low,
    max_aqi: aqi.high,
  };
  for (const [index, name] of MEANS.entries()) row[name] = of((hour) => hour.means[index]).mean;
  for (const [name, index] of EXTREMES) {
    const { low, high } = of((hour) => hour.means[index]);
    row[`min_${name}`] = low;
    row[`max_${name}`] = high;
  }
  return row;
}
