/** The numbers of imported files, by which they can be listed and undone (S11). */
import { InputError } from '../../base/inputError.ts';
import { AIRSERIES } from '../../base/shell.ts';
import type { Sql } from '../../database/client.ts';
import { transaction } from '../../database/copyIn.ts';
import { inUtc, type Span } from '../reading/span.ts';
import { type StoredRow, withRetry } from './accept.ts';
import { withStage } from './stage.ts';

/** Its format, what was declared about it, and the name of the source that says it. */
type ReadBy = { format: string; declared: object; sourceName: string | undefined };

/** Notes that a file is being imported, and returns its number. */
export async function beginImport(
  sql: Sql,
  source: string,
  { format, declared, sourceName }: ReadBy,
  now: Date,
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into raw.import (imported_at, source, format, declared, source_name)
    values (${now}, ${source}, ${format}, ${JSON.stringify(declared)}::text::jsonb,
      ${sourceName ?? null})
    returning id`;
  return row.id;
}

/** True if all of a file of this format was imported before. */
export async function wasImported(sql: Sql, format: string): Promise<boolean> {
  const found = await sql`select from raw.import where format = ${format} and is_complete limit 1`;
  return found.length > 0;
}

type Counts = Pick<StoredRow, 'received' | 'accepted' | 'unchanged' | 'replaced' | 'withdrawn'>;

export const noCounts = (): Counts => ({
  received: 0,
  accepted: 0,
  unchanged: 0,
  replaced: 0,
  withdrawn: 0,
});

/** Adds what became of a part of the file. */
export function addCounts(counts: Counts, row: StoredRow): void {
  for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] += row[name];
}

/** Notes that all of the file is stored. */
export async function endImport(
  sql: Sql,
  id: number,
  { received, accepted, unchanged, replaced, withdrawn }: Counts,
  { oldest, newest }: Span,
): Promise<void> {
  const at = (time: number | undefined) => (time === undefined ? null : inUtc(time));
  await sql`
    update raw.import set received = ${received}, accepted = ${accepted}, unchanged = ${unchanged}, replaced = ${replaced},
      withdrawn = ${withdrawn}, oldest = ${at(oldest)}, newest = ${at(newest)}, is_complete = true
    where id = ${id}`;
}

/** An imported file, as `imports` lists it. */
export type Import = {
  number: number;
  imported_at: string;
  source: string;
  format: string | null;
  /** The declarations about it, in the words of the network file's sources. */
  declared: object;
  /** The source of the network file that it was read by; null: it names none. */
  source_name: string | null;
  accepted: number;
  unchanged: number;
  replaced: number;
  withdrawn: number;
  /** The first and last time of its readings; null: none was stored. */
  oldest: string | null;
  newest: string | null;
  /**
   * `stored`; `interrupted`: not all of it, or not yet; `undone`; `kept`: nothing is known any more
   * that could be undone.
   */
  state: 'stored' | 'interrupted' | 'undone' | 'kept';
};

/** The newest imports first, at most `limit`. `sql` is a pool in the network's time zone. */
export async function listImports(sql: Sql, limit: number): Promise<Import[]> {
  return await sql<Import[]>`
    select i.id as number, i.imported_at, i.source, i.format, i.declared, i.source_name,
      i.accepted::float8, i.unchanged::float8, i.replaced::float8, i.withdrawn::float8, i.oldest, i.newest,
      case when i.undone_at is not null and not changes.are_known then 'undone'
        when not i.is_complete then 'interrupted'
        when not changes.are_known then 'kept'
        else 'stored' end as state
    from raw.import i
    cross join lateral (
      select exists (select from raw.import_change c where c.import_id = i.id) as are_known) changes
    order by i.id desc limit ${limit}`;
}

/** The outcome of undoing an import, in numbers of values. */
type Undone = {
  number: number;
  source: string;
  /** Readings that changed. */
  readings: number;
  put_back: number;
  withdrawn: number;
  /** Values that stay because another source changed them since, with their hours, by sensor. */
  kept: { sensor_id: number; values: number; first_hour: string; last_hour: string }[];
};

/**
 * Withdraws the values that an import added, and puts back those that it replaced or withdrew. One
 * transaction: all or nothing. Rejects with InputError for a number that there is not, and for one
 * that can no longer be undone. Aggregates follow at the next refresh. `sql` is a pool of at least
 * two connections in the role airseries_ingest.
 */
export async function undoImport(sql: Sql, number: number, now: Date): Promise<Undone> {
  return await withStage(sql, async (stage) => {
    const { connection } = stage;
    const undo = async () => {
      await connection`select logic.lock_imports()`;
      const [found] = await connection<
        { source: string; undone_at: string | null; changes: number }[]
      >`
        select source, undone_at, (select count(*)::int from raw.import_change c where c.import_id = i.id) as changes
        from raw.import i where id = ${number} for update`;
      if (found === undefined)
        throw new InputError(
          `import ${number}`,
          'there is no import of this number',
          `${AIRSERIES} imports lists them.`,
        );
      const { source, undone_at, changes } = found;
      const undone: Undone = { number, source, readings: 0, put_back: 0, withdrawn: 0, kept: [] };
      // of an import that went on after it was undone, the rest is undone now
      if (undone_at !== null && changes === 0) return undone;
      if (changes === 0)
        throw new InputError(
          `import ${number}`,
          'nothing is known of what it changed: it changed nothing, it is older than UNDO_DAYS, or retention has deleted its readings',
          'Import the right file again: its values replace those that are stored.',
        );
      await stage.begin();
      undone.kept = await connection<Undone['kept']>`
        select sensor_id, kept as values, first_hour, last_hour from logic.stage_undo(${number})`;
      await stage.filled();
      for await (const row of stage.store(`undo of import ${number}`, now, {
        inTransaction: true,
      })) {
        undone.readings += row.accepted;
        undone.put_back += row.replaced;
        undone.withdrawn += row.withdrawn;
      }
      await connection`delete from raw.import_change where import_id = ${number}`;
      await connection`update raw.import set undone_at = ${now} where id = ${number}`;
      return undone;
    };
    return await withRetry(() => transaction(connection, undo));
  });
}
