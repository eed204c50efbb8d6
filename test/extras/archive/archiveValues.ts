/**
 * Compares every value of an archive's files, as DuckDB reads them, with what the API publishes for
 * the same buckets: hours as CSV, days as JSON.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { makeLog } from '../../../src/base/log.ts';
import { regionHour, stationHour } from '../../../src/contract/history.ts';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import type { ApiDb } from '../../../src/database/apiDb.ts';
import { openReaderPool } from '../../../src/database/pools.ts';
import type { Index } from '../../../src/extras/archive/descriptor.ts';
import { makeApp } from '../../../src/serve/app.ts';
import { request } from '../../support/request.ts';
import { readCsv } from './csv.ts';

type Value = number | string | boolean | null;
export type Row = Record<string, Value>;

export const indexOf = (folder: string): Index & { up_to: string | null } =>
  JSON.parse(readFileSync(join(folder, 'datapackage.json'), 'utf8'));

const instance = DuckDBInstance.create(':memory:');

/** The rows of a query, with whole numbers as numbers. */
export async function duck(query: string): Promise<Row[]> {
  const connection = await (await instance).connect();
  try {
    const rows = (await connection.runAndReadAll(query)).getRowObjectsJS();
    const number = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
    return rows.map(
      (row) =>
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key, number(value)])) as Row,
    );
  } finally {
    connection.closeSync();
  }
}

/** The rows of a file in its order; `timestamp` in milliseconds since 1970. */
export const rowsIn = (folder: string, path: string): Promise<Row[]> =>
  duck(`select * replace (epoch_ms("timestamp") as "timestamp") from '${join(folder, path)}'`);

/** Gets texts of the API as of an instant. */
const textsOf = (db: ApiDb, now: Date) => async (path: string) => {
  const app = makeApp({ db, clock: () => now, siteBaseUrl: '', log: makeLog('silent') });
  const { status, text } = await request(app).get(`/en/explore/v1/${path}`);
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return text;
};

const KEYS = { station: Object.keys(stationHour.shape), region: Object.keys(regionHour.shape) };

/**
 * The differences, in words, and how many values were compared. Every bucket of either side is
 * compared, so one that is absent on one of them differs.
 */
export async function compareArchive(
  folder: string,
  target: DatabaseAddress,
  { timeZone, now }: { timeZone: string; now: Date },
) {
  const { resources } = indexOf(folder);
  const wrong: string[] = [];
  let values = 0;
  const ids = (file: string, column: string) =>
    readCsv(readFileSync(join(folder, file), 'utf8')).records.map((record) => record[column] ?? '');
  const subjects = {
    station: ids('stations.csv', 'station_id'),
    region: ids('regions.csv', 'region_slug'),
  };
  const db = openReaderPool(target, { timeZone, max: 4 });
  const get = textsOf(db, now);
  for (const { path, rows, bytes } of resources) {
    const [, regions, unit, name = ''] =
      /^(regions-)?(hours|days)\/(.*)\.parquet$/.exec(path) ?? [];
    if (unit === undefined) continue;
    const subject = regions === undefined ? 'station' : 'region';
    const id = subject === 'station' ? 'station_id' : 'region_slug';
    const found = await rowsIn(folder, path);
    if (found.length !== rows) wrong.push(`${path} has ${found.length} rows, not ${rows}`);
    if (readFileSync(join(folder, path)).length !== bytes) wrong.push(`${path}: bytes`);
    const bySubject = new Map<string, Row[]>();
    for (const row of found) {
      const key = String(row[id]);
      const rowsOf = bySubject.get(key);
      if (rowsOf === undefined) bySubject.set(key, [row]);
      else rowsOf.push(row);
    }
    for (const one of subjects[subject]) {
      const have = bySubject.get(one) ?? [];
      bySubject.delete(one);
      const want =
        unit === 'hours'
          ? await hoursOf(get, subject, one, name)
          : await daysOf(get, subject, one, name);
      const stamps = (of: Row[]) => JSON.stringify(of.map(({ timestamp }) => timestamp));
      if (stamps(have) !== stamps(want)) wrong.push(`${path} ${one}: other buckets`);
      for (const [index, row] of want.entries()) {
        for (const [key, value] of Object.entries(row)) {
          values += 1;
          if (have[index]?.[key] !== value)
            wrong.push(
              `${path} ${one} ${row.timestamp} ${key}: ${have[index]?.[key]}, not ${value}`,
            );
        }
      }
    }
    for (const one of bySubject.keys()) wrong.push(`${path}: ${one} is not listed`);
  }
  await db.destroy();
  return { wrong, values };
}

type Get = (path: string) => Promise<string>;
type Subject = keyof typeof KEYS;

async function hoursOf(get: Get, subject: Subject, id: string, month: string): Promise<Row[]> {
  const last = new Date(
    Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0),
  ).getUTCDate();
  const text = await get(`${subject}/${id}/hours/${month}-01/${month}-${last}.csv`);
  const [, ...lines] = text.trimEnd().split('\n');
  return lines.map((line) => {
    const [, ...cells] = line.split(',');
    return Object.fromEntries(
      KEYS[subject].map((key, index) => {
        const cell = cells[index] ?? '';
        if (key === 'timestamp') return [key, Date.parse(cell)];
        return [key, cell === '' ? null : Number(cell)];
      }),
    );
  });
}

type Day = Row & { hours: Record<string, number>; expected_hours: number };

async function daysOf(get: Get, subject: Subject, id: string, year: string): Promise<Row[]> {
  const { days } = JSON.parse(await get(`${subject}/${id}/days/${year}.json`)) as { days: Day[] };
  return days.map(({ timestamp, hours, expected_hours: _, ...published }) => {
    // the files have the means that the European index of a day follows from
    const { european_index: _index, pollutant: _pollutant, ...day } = published;
    const entries = Object.entries(day).flatMap(([key, value]): [string, Value][] => {
      if (!key.startsWith('range_')) return [[key, value as Value]];
      const [min, max] = (value ?? [null, null]) as unknown as [Value, Value];
      return [
        [key.replace('range', 'min'), min],
        [key.replace('range', 'max'), max],
      ];
    });
    const counts = Object.entries(hours)
      .map(([key, count]) => [
        key.replace('pm2.5', 'pm25').replace('wind_sin', 'wind_direction'),
        count,
      ])
      .filter(([key]) => `avg_${key}` in day)
      .map(([key, count]): [string, Value] => [`hours_${key}`, count as number]);
    return {
      timestamp: Date.parse(String(timestamp)),
      ...Object.fromEntries([...entries, ...counts]),
    };
  });
}
