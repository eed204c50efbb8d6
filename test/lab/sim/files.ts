/**
 * Steps that import a file and undo one (S3, S11): the file that a step's rows make, what it changed
 * by the literal rules, and what undoing it must leave.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deleteOldUndo } from '../../../src/aggregate/retention.ts';
import { InputError } from '../../../src/base/inputError.ts';
import type { ReadingColumn } from '../../../src/contract/parameters.ts';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import type { Sql } from '../../../src/database/client.ts';
import { undoImport } from '../../../src/ingest/store/imports.ts';
import { importAnything } from '../../support/importAnything.ts';
import type { Reading, Step } from './steps.ts';
import { type Change, type StoredValues, undoChanges } from './values.ts';

/** An import by its number in the database. */
export type Imported = { id: number; changes: Change[]; isUndone: boolean; isForgotten: boolean };

/** Imports by the number that their step gave them. */
export type Imports = Map<number, Imported>;

/** The rows of a file: those of a table have every column of it, and leave some empty. */
export function rowsOfFile(rows: readonly Reading[], form: 'csv' | 'ndjson'): Reading[] {
  if (form === 'ndjson') return [...rows];
  const columns = columnsOf(rows);
  return rows.map(({ sensor, at, values }) => ({
    sensor,
    at,
    values: Object.fromEntries(columns.map((name) => [name, values[name] ?? null])),
  }));
}

function columnsOf(rows: readonly Reading[]): ReadingColumn[] {
  const names = new Set(rows.flatMap(({ values }) => Object.keys(values) as ReadingColumn[]));
  return names.size === 0 ? ['pm25'] : [...names];
}

function textOf(rows: readonly Reading[], form: 'csv' | 'ndjson'): string {
  if (form === 'ndjson')
    return rows
      .map(({ sensor, at, values }) =>
        JSON.stringify({ sensor_id: sensor, time: at, ...values }).concat('\n'),
      )
      .join('');
  const columns = columnsOf(rows);
  const lines = rows.map(({ sensor, at, values }) =>
    [sensor, at, ...columns.map((name) => values[name] ?? '')].join(','),
  );
  return [['sensor_id', 'time', ...columns].join(','), ...lines, ''].join('\n');
}

/** Imports rows of `rowsOfFile`. Returns the number of the import. */
export async function importFile(
  sql: Sql,
  rows: readonly Reading[],
  { form }: NonNullable<Step['file']>,
  now: Date,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-sim-'));
  try {
    const path = join(folder, `readings.${form}`);
    writeFileSync(path, textOf(rows, form));
    await importAnything(sql, path, now);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const [row] = await sql<[{ id: number | null }]>`select max(id) as id from raw.import`;
  return row.id ?? 0;
}

/** Undoes an import, in the database and in what it must hold. Returns what is wrong. */
export async function undoFile(
  sql: Sql,
  stored: StoredValues,
  imported: Imported,
  now: Date,
  since: number,
): Promise<string | undefined> {
  const { id, isUndone, isForgotten } = imported;
  const changes = isUndone || isForgotten ? [] : imported.changes;
  const kept = undoChanges(stored, changes, since);
  const isRefused = isForgotten || imported.changes.length === 0;
  if (!isRefused) imported.isUndone = true;
  const undone = await undoImport(sql, id, now).catch((error: unknown) => {
    if (error instanceof InputError && isRefused && !isUndone) return undefined;
    throw error;
  });
  if (undone === undefined) return undefined;
  const found = undone.kept.reduce((sum, { values }) => sum + values, 0);
  if (found === kept && (!isRefused || isUndone)) return undefined;
  return `undo of import ${id} kept ${found} values, not ${kept}${isRefused ? ', and should be refused' : ''}`;
}

/** Forgets the imports whose readings retention has deleted, as the nightly job does. */
export async function forgetFiles(
  target: DatabaseAddress,
  sql: Sql,
  imports: Imports,
  now: Date,
): Promise<void> {
  await deleteOldUndo(target, now, 36_500);
  const old = await sql<{ id: number }[]>`
    select id from raw.import where newest < (select retained_from from raw.installation)`;
  const ids = new Set(old.map(({ id }) => id));
  for (const one of imports.values()) if (ids.has(one.id) && !one.isUndone) one.isForgotten = true;
}
