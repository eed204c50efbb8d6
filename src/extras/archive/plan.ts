/**
 * The files of the archive that have to be made: files whose buckets have changed since by the
 * record (R1), missing ones, ones behind what is stored, and the running month and year.
 */
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '../../database/client.ts';
import type { Index, Resource, Seen } from './descriptor.ts';
import { fingerprintOf, KINDS, type Kind, type Period, pathOf } from './files.ts';
import { STATIONS } from './places.ts';

/** The state of the database in a snapshot. */
export type State = Omit<Seen, 'values'> & {
  database: string;
  columns: string;
  /** Ids of the stations that are listed. */
  listed: number[];
  /** The running month, such as `2026-11`. */
  month: string;
  /**
   * How late a reading may be and still be no news (R1), counted from the last refresh before it came.
   * So a period that ended this shortly before the refresh that a file shows may have changed without
   * a record.
   */
  noNewsMs: number;
  /** True while refreshes still have noted hours to recompute. */
  isRefreshing: boolean;
  periods: PeriodAt[];
};

type PeriodAt = Period & {
  is_running: boolean;
  is_relisted: boolean;
  station_change: string;
  region_change: string;
  station_values: number;
  region_values: number;
};

/** A file that may have to be made, and what it will have seen. */
export type Due = {
  kind: Kind;
  period: Period;
  path: string;
  seen: Seen;
  /** Its month or year has ended, and it is missing or lacks something. */
  isBehind: boolean;
  /** The same, or it is the first of a running month or year. */
  isMissing: boolean;
};

type Options = { folder: string; timeZone: string; now: Date };

/** The record of changes goes back so far (R1). */
const RECORD_MS = 2 * 365 * 86_400_000;

/** Reads the state of a snapshot, and what has changed since the oldest file of the index. */
export async function readState(
  sql: Sql,
  index: Index | undefined,
  { folder, timeZone, now }: Options,
): Promise<State> {
  const [row] = await sql<
    [
      {
        database: string;
        change: string;
        month: string;
        refreshed_at: string | null;
        is_refreshing: boolean;
        no_news_ms: number;
      },
    ]
  >`
    select f.history as database, f.refreshed_at, to_char(m.since at time zone ${timeZone}, 'YYYY-MM') as month,
      (f.completed_at >= f.refreshed_at) is not true as is_refreshing,
      (extract(epoch from m.since - raw.late_before(m.since)) * 1000)::float8 as no_news_ms,
      (select coalesce(max(id), 0)::text from rollup.change where shown_at is not null) as change
    from api.freshness f cross join rollup.bucket_start('month', ${now}) m(since)`;
  const stations = await sql<{ station_id: number }[]>`
    select station_id from logic.station_state(${now}) where is_listed order by station_id`;
  const listed = stations.map(({ station_id }) => station_id);
  const relisted = symmetricDifference(listed, await stationsIn(folder));
  const periods = await sql<PeriodAt[]>`
    select unit, name, since::text, until::text, is_running, is_relisted, station_change::text, region_change::text,
      station_values::float8, region_values::float8
    from logic.archive_period(${now}, ${arrayOf(listed)}::text::int[], ${arrayOf(relisted)}::text::int[],
      ${oldestChange(index)}::text::bigint)`;
  return {
    database: row.database,
    columns: fingerprintOf(timeZone),
    change: row.change,
    refreshed_at: new Date(row.refreshed_at ?? 0).toISOString(),
    stations: fingerprintOfStations(listed),
    listed,
    month: row.month,
    noNewsMs: row.no_news_ms,
    isRefreshing: row.is_refreshing,
    periods: [...periods],
  };
}

/** The newest change that every file of the index has seen. */
function oldestChange(index: Index | undefined): string {
  const changes = (index?.resources ?? []).flatMap(({ airseries }) => airseries?.change ?? []);
  return changes.reduce((a, b) => (BigInt(a) < BigInt(b) ? a : b), changes[0] ?? '0');
}

/**
 * True if the record has a change of a month that has ended which a file has not seen. It is asked
 * every few minutes; the values behind the files, of 1,000 stations in ten years, took a second.
 */
export async function hasChanges(sql: Sql, index: Index, now: Date): Promise<boolean> {
  const [row] = await sql<[{ has: boolean }]>`
    select exists (select from rollup.change where id > ${oldestChange(index)}::text::bigint and shown_at is not null
      and since < rollup.bucket_start('month', ${now})) as has`;
  return row.has;
}

const arrayOf = (ids: readonly number[]) => `{${ids.join()}}`;

const fingerprintOfStations = (ids: readonly number[]) =>
  createHash('sha256').update(ids.join()).digest('hex').slice(0, 16);

/** The stations that the folder lists; none where it has no list yet. */
async function stationsIn(folder: string): Promise<number[]> {
  const text = await readFile(join(folder, STATIONS), 'utf8').catch(() => '');
  return [...text.matchAll(/^\d+(?=,)/gm)].map(([id]) => Number(id));
}

function symmetricDifference(a: readonly number[], b: readonly number[]): number[] {
  const [ofA, ofB] = [new Set(a), new Set(b)];
  return [...a.filter((id) => !ofB.has(id)), ...b.filter((id) => !ofA.has(id))];
}

/**
 * The index, if it belongs to this database, which was not set back, and its files have these
 * columns.
 */
export const continued = (index: Index | undefined, now: State): Index | undefined =>
  index?.airseries.database === now.database && index.airseries.columns === now.columns
    ? index
    : undefined;

/** The files that are due, in the order of the index, and the paths of those that are not. */
export async function planOf(
  state: State,
  index: Index | undefined,
  { folder, now }: Options,
): Promise<{ due: Due[]; settled: string[] }> {
  const old = new Map(index?.resources.map((resource) => [resource.path, resource]));
  const inFolder = fingerprintOfStations(await stationsIn(folder));
  const due: Due[] = [];
  const settled: string[] = [];
  for (const kind of KINDS) {
    for (const at of state.periods.filter(({ unit }) => unit === kind.unit)) {
      const { name, unit, since, until } = at;
      const path = pathOf(kind, name);
      const isStation = kind.subject === 'station';
      const { change, refreshed_at, stations } = state;
      // a region's hour may change by a station's first one, without a value more
      const values = at.station_values + (isStation ? 0 : at.region_values);
      const resource = old.get(path);
      const before = resource?.airseries;
      const isMade =
        before !== undefined &&
        now.getTime() - Date.parse(before.refreshed_at) < RECORD_MS &&
        BigInt(before.change) <= BigInt(change);
      const isSettled =
        isMade && Date.parse(before.refreshed_at) - state.noNewsMs >= Date.parse(until);
      const isOther =
        !isMade ||
        BigInt(isStation ? at.station_change : at.region_change) > BigInt(before.change) ||
        (before.stations !== stations && (before.stations !== inFolder || at.is_relisted)) ||
        (isSettled && before.values !== values) ||
        !(await isThere(folder, resource));
      // a month without rows has no file
      const isEmpty = (isStation ? at.station_values : at.region_values) === 0;
      if (resource === undefined && isEmpty && !at.is_running) continue;
      if (isSettled && !isOther) settled.push(path);
      else {
        const seen = { change, refreshed_at, stations, values };
        const isBehind = isOther && !at.is_running;
        const isMissing = isBehind || (resource === undefined && !isEmpty);
        due.push({ kind, period: { unit, name, since, until }, path, seen, isBehind, isMissing });
      }
    }
  }
  return { due, settled };
}

/** True if the file has the size that the index says. */
export async function isThere(folder: string, resource: Resource | undefined): Promise<boolean> {
  if (resource === undefined) return false;
  const found = await stat(join(folder, resource.path)).catch(() => undefined);
  return found?.size === resource.bytes;
}
