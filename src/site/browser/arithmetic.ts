/**
 * The rules by which published numbers come about (A1 to A4, A6, A7, S5, Q2), computed once more in the browser from what they were made of.
 * In SQL they are in sql/rollups and sql/logic/05_published_values.sql.
 */
import type { Quantity } from '../format.ts';
import { BOUNDS } from '../scale.ts';

/** Unrounded means, or a reading: null where there is no value. */
export type Values = { readonly [key: string]: number | string | null | undefined };

const present = (rows: readonly Values[], key: string): number[] =>
  rows.map((row) => row[key]).filter((value) => typeof value === 'number');

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

export const mean = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : sum(numbers) / numbers.length;

const DIGITS = 15;

/** Rounded half away from zero, by the 15 digits that a float holds for certain; never -0. Particles below 0 are 0. */
export function published(
  value: number | null,
  { digits, isFloored = false }: Pick<Quantity, 'digits' | 'isFloored'>,
): number | null {
  if (value === null) return null;
  if (isFloored && value <= 0) return 0;
  const [mantissa = '', exponent] = Math.abs(value)
    .toExponential(DIGITS - 1)
    .split('e');
  const dropped = DIGITS - 1 - Number(exponent) - digits;
  if (dropped <= 0) return value;
  const unit = 10n ** BigInt(dropped);
  const rounded = Number((BigInt(mantissa.replace('.', '')) + unit / 2n) / unit) / 10 ** digits;
  return rounded === 0 ? 0 : Math.sign(value) * rounded;
}

/**
 * An unrounded value with at least six decimals, and as many as tell it from a tie: 4.84999989 is not 4.85. As the API gives it, so that it can be
 * found there: not in the numerals of a language.
 */
export function exactText(value: unknown): string {
  if (typeof value !== 'number') return '–';
  let text = value.toFixed(6);
  const lastDigit = () => [...text].findLast((digit) => digit !== '0');
  for (let digits = 7; lastDigit() === '5' && Number(text) !== Number(value.toPrecision(DIGITS)); digits += 1)
    text = value.toFixed(digits);
  return String(Number(text));
}

/** The direction of a mean vector in whole degrees, null where it is too short to have one (A7). */
export function direction(sine: number | null, cosine: number | null): number | null {
  if (sine === null || cosine === null || sine * sine + cosine * cosine < 1e-12) return null;
  const degrees = ((Math.atan2(sine, cosine) * 180) / Math.PI + 360) % 360;
  return (published(degrees, { digits: 0 }) ?? 0) % 360;
}

/** A day from its hours: rain is the sum, all else the mean (A4, A6). */
export function ofHours(hours: readonly Values[], key: string): number | null {
  const values = present(hours, key);
  return key === 'rain' && values.length > 0 ? sum(values) : mean(values);
}

/** A day as a part of its month: its means, and how many hours each is of. */
export type DayOfMonth = { mean: Values; hours: Values };

/** A month is the mean of its hours (A4): each day counts as often as it has some. */
export function ofDays(days: readonly DayOfMonth[], key: string): number | null {
  if (key === 'rain')
    return ofHours(
      days.map((day) => day.mean),
      key,
    );
  const parts = days.flatMap(({ mean: { [key]: value }, hours: { [key]: hours } }) =>
    typeof value === 'number' && typeof hours === 'number' ? [{ value, hours }] : [],
  );
  if (parts.length === 0) return null;
  return sum(parts.map(({ value, hours }) => value * hours)) / sum(parts.map(({ hours }) => hours));
}

/** An hour of a station in a region. `is_bad_thp`: whether its temperature, humidity and pressure look unreliable. */
export type StationOfRegion = { is_bad_thp: boolean; mean: Values };

export const isLeftOut = ({ is_bad_thp: isBad }: StationOfRegion, key: string): boolean =>
  isBad && ['temperature', 'humidity', 'pressure'].includes(key);

/** An hour of a region from those of its stations (A3); also rain, which is summed over time only. */
export function ofStations(stations: readonly StationOfRegion[], key: string): number | null {
  const counted = stations.filter((station) => !isLeftOut(station, key));
  return mean(
    present(
      counted.map((station) => station.mean),
      key,
    ),
  );
}

/** An hour of a sensor from its readings, which are stored in single precision (A1, A6). */
export function ofReadings(readings: readonly Values[], key: string): number | null {
  const parts = (values: readonly number[]) => values.map((degrees) => (degrees * Math.PI) / 180);
  if (key === 'wind_sin') return mean(parts(present(readings, 'wind_direction')).map(Math.sin));
  if (key === 'wind_cos') return mean(parts(present(readings, 'wind_direction')).map(Math.cos));
  return ofHours(
    readings.map((row) => ({ [key]: typeof row[key] === 'number' ? Math.fround(row[key]) : null })),
    key,
  );
}

/** A sensor's hour, and the formula that corrects its PM2.5. */
export type SensorHour = { formula: string | null; mean: Values };

/** An hour of a station from those of its sensors (A2); its PM2.5 by S5. */
export function ofSensors(sensors: readonly SensorHour[], key: string): number | null {
  if (key === 'pm2.5') return correctedPm25(sensors);
  const first = ({ formula, mean: values }: SensorHour) =>
    key === 'pm2.5_raw' && formula !== null ? (values[key] ?? values['pm2.5']) : values[key];
  return mean(sensors.map(first).filter((value) => typeof value === 'number'));
}

/** Sensors with the same formula are averaged, then corrected together with the station's mean humidity; without that they are left out. */
function correctedPm25(sensors: readonly SensorHour[]): number | null {
  const humidity = mean(
    present(
      sensors.map((one) => one.mean),
      'humidity',
    ),
  );
  const all: number[] = [];
  for (const formula of new Set(sensors.map((one) => one.formula))) {
    const [first, second] = formula === null ? ['pm2.5', 'pm2.5_raw'] : ['pm2.5_raw', 'pm2.5'];
    const values = sensors
      .filter((one) => one.formula === formula)
      .map((one) => one.mean[first as string] ?? one.mean[second as string])
      .filter((value) => typeof value === 'number');
    const together = mean(values);
    if (formula === null) all.push(...values);
    else if (together !== null && humidity !== null) all.push(...values.map(() => epa2021(together, humidity)));
  }
  return mean(all);
}

/** `rollup.corrected` of sql/rollups/functions.sql, which names the source. */
export function epa2021(raw: number, humidity: number): number {
  const low = 0.524 * raw - 0.0862 * humidity + 5.75;
  const middle = 0.786 * raw - 0.0862 * humidity + 5.75;
  const high = 2.966 + 0.69 * raw + 8.84e-4 * raw * raw;
  const blend = (from: number, to: number, share: number) => from + (to - from) * share;
  if (raw < 30) return Math.max(0, low);
  if (raw < 50) return Math.max(0, blend(low, middle, (raw - 30) / 20));
  if (raw < 210) return Math.max(0, middle);
  return Math.max(0, raw < 260 ? blend(middle, high, (raw - 210) / 50) : high);
}

/** The index at the upper ends of the segments of Q2, and the last of them, which charts don't draw. */
const INDEX_ENDS = [50, 100, 150, 200, 300, 500];
const LAST_END: Readonly<Record<string, number>> = { 'pm2.5': 325.4, pm10: 604 };

/** The index of published PM2.5 and PM10: the larger of the two (Q1). */
export function aqi(pm25: number | null, pm10: number | null): number | null {
  const both = [indexOf('pm2.5', pm25, 10), indexOf('pm10', pm10, 1)].filter((one) => one !== null);
  return both.length === 0 ? null : Math.max(...both);
}

/** Linear inside a segment, rounded half up, in whole numbers of `1 / scale` µg/m³; above the table the last slope continues. */
function indexOf(key: 'pm2.5' | 'pm10', concentration: number | null, scale: number): number | null {
  if (concentration === null) return null;
  const ends = [...(BOUNDS[key] ?? []), LAST_END[key] ?? 0].map((end) => Math.round(end * scale));
  const value = Math.floor(Math.max(0, concentration) * scale + 1e-9);
  const found = ends.findIndex((end) => value <= end);
  const n = found === -1 ? ends.length - 1 : found;
  const [from, low] = n === 0 ? [0, 0] : [(ends[n - 1] as number) + 1, (INDEX_ENDS[n - 1] as number) + 1];
  const [rise, run] = [(INDEX_ENDS[n] as number) - low, (ends[n] as number) - from];
  return low + Math.floor((2 * rise * (value - from) + run) / (2 * run));
}
