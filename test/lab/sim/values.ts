/**
 * The stored values of every reading that was ever accepted (S2, S3) and the rain that follows from
 * totals (A6), literally and in memory: a source replaces the values that it has, withdraws values
 * that it leaves empty, and leaves all others. Rows of one sensor and time in one source are put
 * together first.
 */
import {
  type Parameter,
  READING_COLUMNS,
  type ReadingColumn,
} from '../../../src/contract/parameters.ts';
import type { Sql } from '../../../src/database/client.ts';
import { HOUR, withAmounts } from '../../aggregate/literal.ts';
import type { Reading } from './steps.ts';

/** Readings by sensor and instant. Deleted ones stay, because amounts of rain follow from them. */
export type StoredValues = Map<string, Stored>;
type Stored = { sensor: number; at: number; values: Partial<Record<ReadingColumn, number>> };

/** A value that a source changed; undefined: there was none, or is none. */
export type Change = {
  sensor: number;
  at: number;
  name: ReadingColumn;
  before: number | undefined;
  after: number | undefined;
};

/**
 * Returns what has changed. `since` and `until`: the bounds of accepted times, in milliseconds.
 */
export function writeValues(
  stored: StoredValues,
  source: readonly Reading[],
  { since, until }: { since: number; until: number },
): Change[] {
  const given = new Map<string, Map<ReadingColumn, number | null>>();
  const unusable = new Set<string>();
  for (const { sensor, at, values } of source) {
    const time = Date.parse(at);
    if (time < since || time > until) continue;
    const key = `${sensor} ${time}`;
    const all = given.get(key) ?? new Map<ReadingColumn, number | null>();
    given.set(key, all);
    for (const [name, value] of Object.entries(values) as [ReadingColumn, number | null][]) {
      if (value === null) all.set(name, all.get(name) ?? null);
      else if (isWithinBounds(name, value)) all.set(name, value);
      else unusable.add(`${key} ${name}`);
    }
  }
  const changes: Change[] = [];
  for (const [key, all] of given) {
    const [sensor, at] = key.split(' ').map(Number) as [number, number];
    for (const [name, value] of all) {
      if (value === null && unusable.has(`${key} ${name}`)) continue; // it takes nothing away (S2)
      const before = stored.get(key)?.values[name];
      const after = value === null ? undefined : Math.fround(value);
      if (before !== after) changes.push({ sensor, at, name, before, after });
      setValue(stored, { sensor, at, name }, after);
    }
  }
  return changes;
}

/** Undefined: it is withdrawn. */
function setValue(
  stored: StoredValues,
  { sensor, at, name }: Pick<Change, 'sensor' | 'at' | 'name'>,
  value: number | undefined,
): void {
  const key = `${sensor} ${at}`;
  const values = { ...stored.get(key)?.values };
  if (value === undefined) delete values[name];
  else values[name] = value;
  if (Object.keys(values).length === 0) stored.delete(key);
  else stored.set(key, { sensor, at, values });
}

/**
 * Takes changes back (S11). Returns how many values stay, because another source has changed them
 * since, or because readings before `since` are no longer accepted.
 */
export function undoChanges(
  stored: StoredValues,
  changes: readonly Change[],
  since: number,
): number {
  let kept = 0;
  for (const { sensor, at, name, before, after } of changes) {
    const value = stored.get(`${sensor} ${at}`)?.values[name];
    if (value !== after || at < since) kept += 1;
    else setValue(stored, { sensor, at, name }, before);
  }
  return kept;
}

function isWithinBounds(name: ReadingColumn, value: number): boolean {
  const { low, high } = READING_COLUMNS.find((column) => column.name === name) as Parameter;
  return value >= low && value <= high;
}

/** `retained`: readings before it are deleted already. */
export function removeValues(
  stored: StoredValues,
  { sensor, from, to }: { sensor: number; from: string; to: string },
  retained: number,
): void {
  for (const [key, one] of stored) {
    const isWithin = one.at >= Date.parse(from) && one.at < Date.parse(to);
    if (one.sensor === sensor && isWithin && one.at >= retained) stored.delete(key);
  }
}

const NAMES = READING_COLUMNS.map(({ name }) => name as ReadingColumn);

/** The first values in raw.readings that are not as expected, in words. */
export async function wrongValues(sql: Sql, stored: StoredValues): Promise<string[]> {
  const [bounds] = await sql<[{ retained: number | null }]>`
    select extract(epoch from nullif(retained_from, '-infinity'))::float8 * 1000 as retained from raw.installation`;
  const rows = await sql<({ sensor: number; at: number } & Record<string, number | null>)[]>`
    select sensor_id as sensor, extract(epoch from measured_at)::float8 * 1000 as at, ${sql(NAMES)} from raw.readings
    where measured_at >= (select retained_from from raw.installation)`;
  const found = new Map(rows.map((row) => [`${row.sensor} ${Math.round(row.at)}`, row]));
  const expected = new Map(
    withAmounts([...stored.values()])
      .filter(({ at }) => at >= (bounds.retained ?? Number.NEGATIVE_INFINITY))
      .map(({ sensor, at, values }) => [`${sensor} ${at}`, values]),
  );
  const wrong: string[] = [];
  for (const key of new Set([...found.keys(), ...expected.keys()])) {
    const [row, values] = [found.get(key), expected.get(key)];
    const [sensor, at] = key.split(' ').map(Number) as [number, number];
    const what = `sensor ${sensor} at ${new Date(at).toISOString()}`;
    if (row === undefined || values === undefined) {
      wrong.push(`${what} is ${row === undefined ? 'missing' : 'stored'}`);
      continue;
    }
    for (const name of NAMES) {
      const [is, shouldBe] = [row[name] ?? null, values[name] ?? null];
      const isSame = is === null || shouldBe === null ? is === shouldBe : isNear(is, shouldBe);
      if (!isSame) wrong.push(`${name} of ${what}: ${is}, not ${shouldBe}`);
    }
  }
  return wrong.slice(0, 5);
}

/** A stored value has single precision, and a derived amount the precision of its two totals. */
const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-3 * Math.max(1, Math.abs(b) * 1e-3);

/** The bounds of times that are accepted now. */
export async function acceptedTimes(
  sql: Sql,
  now: Date,
): Promise<{ since: number; until: number; retained: number }> {
  const [row] = await sql<[{ since: number; retained: number }]>`
    select extract(epoch from greatest(ingest_cutoff, '1900-01-01'))::float8 * 1000 as since,
      extract(epoch from greatest(retained_from, '1900-01-01'))::float8 * 1000 as retained from raw.installation`;
  return { ...row, until: now.getTime() + HOUR / 12 };
}
