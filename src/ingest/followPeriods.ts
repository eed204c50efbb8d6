/**
 * Readings follow a change of the network's periods in pieces, each a short transaction: those who write readings meanwhile hardly wait.
 * What is left to do is in the database, so whoever comes next finishes what was interrupted.
 */
import type { Sql } from '../database/connect.ts';

/** `sql` is a pool of the owner. Returns how many readings got another station or quality; aggregates follow at the next refresh. */
export async function followPeriods(sql: Sql): Promise<number> {
  for (let changed = 0; ; ) {
    const [row] = await sql<{ n: string | null }[]>`select raw.follow_next() as n`;
    if (row?.n == null) return changed;
    changed += Number(row.n);
  }
}
