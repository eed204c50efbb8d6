/** The numbers of imported files, by which they can be listed and undone (S11). */
import type { Sql } from '../../database/client.ts';
import { inUtc, type Span } from '../reading/span.ts';
import type { StoredRow } from './accept.ts';

/** Notes that a file is being imported, and returns its number. */
export async function beginImport(
  sql: Sql,
  source: string,
  format: string,
  now: Date,
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into raw.import (imported_at, source, format, declared) values (${now}, ${source}, ${format}, '{}')
    returning id`;
  return row.id;
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
