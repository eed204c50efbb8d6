/** A folder with files as the archive has them, and the index that belongs to them. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';

export const MODIFIED = new Date('2026-11-01T22:15:30.123Z');

/** Writes a file, by default as if it had last changed at MODIFIED. */
export function put(folder: string, path: string, content: string | Uint8Array, at = MODIFIED) {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, content);
  utimesSync(whole, at, at);
}

export const sha256 = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('hex');

/** Writes the index of these files, as they are now. `index`: what else it says. */
export function putIndex(
  folder: string,
  paths: readonly string[],
  facts: object = {},
  index: object = {},
) {
  const resources = paths.map((path) => {
    const content = readFileSync(join(folder, path));
    return {
      path,
      bytes: content.length,
      hash: `sha256:${sha256(content)}`,
      modified: statSync(join(folder, path)).mtime.toISOString(),
      ...facts,
    };
  });
  put(folder, 'datapackage.json', JSON.stringify({ ...index, resources }));
}

/** One row per station and hour, sorted by them; a group of rows holds whole stations. */
export function monthOfHours(stations: number, hours: number, stationsOfGroup: number): Uint8Array {
  const rows = stations * hours;
  const first = Date.UTC(2026, 9, 1);
  const each = <T>(value: (station: number, hour: number) => T) =>
    Array.from({ length: rows }, (_, n) => value(Math.floor(n / hours) + 1, n % hours));
  const noise = (n: number) => Math.round(((Math.sin(n) * 10_000) % 1) * 400) / 10;
  const number = (name: string, n: number) => ({
    name,
    type: 'DOUBLE' as const,
    data: each((station, hour) => noise(station * 7_919 + hour * 31 + n)),
  });
  const columnData = [
    { name: 'station_id', type: 'INT32' as const, data: each((station) => station) },
    {
      name: 'timestamp',
      type: 'TIMESTAMP' as const,
      data: each((_, hour) => new Date(first + hour * 3_600_000)),
    },
    ...['avg_pm25', 'avg_pm10', 'avg_temperature', 'avg_humidity', 'avg_pressure'].map(number),
    { name: 'aqi', type: 'INT32' as const, data: each((station, hour) => (station + hour) % 300) },
    { name: 'is_bad_thp', type: 'BOOLEAN' as const, data: each((station) => station % 50 === 0) },
    { name: 'is_bad_pm', type: 'BOOLEAN' as const, data: each(() => false) },
  ];
  const buffer = parquetWriteBuffer({ columnData, rowGroupSize: stationsOfGroup * hours });
  return new Uint8Array(buffer);
}
