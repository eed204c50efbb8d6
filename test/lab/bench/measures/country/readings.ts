/**
 * Readings as they come: a file of them is imported, and refreshed as the worker does each minute.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refresh } from '../../../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../../../src/base/log.ts';
import { importReadings } from '../../../../../src/ingest/importReadings.ts';
import { READING_FORMATS } from '../../../../support/formats.ts';
import type { TestDatabase } from '../../../../support/makeDatabase.ts';
import { seconds } from '../../run/country.ts';
import { airSensorOf, weatherSensorOf } from '../../run/countryNetwork.ts';
import { figure } from '../../run/measure.ts';
import { median } from '../../run/statistics.ts';

const HEADER = 'sensor_id,time,pm25,pm10,temperature,humidity,pressure\n';

/** Seconds. */
export type Taken = { import: number; refresh: number };

/** One line of a sensor. */
export function reading(sensor: number, at: number): string {
  const time = new Date(at).toISOString();
  const noise = (sensor * 7 + at / 1_000) % 50;
  return sensor % 2 === 1
    ? `${sensor},${time},${(5 + noise / 2).toFixed(1)},${(9 + noise).toFixed(1)},,,\n`
    : `${sensor},${time},,,${(noise / 3).toFixed(1)},${(40 + noise).toFixed(0)},${(90_000 + noise).toFixed(0)}\n`;
}

/** The sensors of all stations, or of a part of them. */
export function sensorsOf(
  stations: number,
  isWanted: (station: number) => boolean = () => true,
): number[] {
  const ids = Array.from({ length: stations }, (_, n) => n + 1).filter(isWanted);
  return ids.flatMap((station) => [airSensorOf(station), weatherSensorOf(station)]);
}

/** Rejects unless all of them are new. */
export async function take(
  { as, target }: TestDatabase,
  lines: readonly string[],
  now: Date,
): Promise<Taken> {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-bench-'));
  const file = join(folder, 'readings.csv');
  writeFileSync(file, HEADER + lines.join(''));
  const sql = as('airseries_ingest');
  try {
    const importing = await seconds(async () => {
      const { accepted } = await importReadings(sql, [file], {
        formats: READING_FORMATS,
        now,
        log: makeLog('error'),
        terminal: false,
      });
      if (accepted !== lines.length)
        throw new Error(`${accepted} of ${lines.length} readings were accepted`);
    });
    const refreshing = await seconds(() => refresh(target, () => now, undefined, { lazily: true }));
    return { import: importing, refresh: refreshing };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await sql.end();
  }
}

/** The medians of its parts, for the last column. */
export function partsOf<Part extends string>(taken: readonly Record<Part, number>[]): string {
  const names = Object.keys(taken[0] ?? {}) as Part[];
  return names
    .map((name) => `${name} ${figure(median(taken.map((one) => one[name])))} s`)
    .join(', ');
}
