/**
 * Readings follow a change of the network's periods in pieces, each a short transaction: those who write readings meanwhile hardly wait.
 * What is left to do is in the database, so whoever comes next finishes what was interrupted.
 */
import type { Sql } from '../database/connect.ts';

/** `sql` is a pool of the owner. Returns how many readings got another station or quality; aggregates follow at the next refresh. */
export async function followPeriods(sql: Sql): Promise<number> {
  for (let changed = 0; ; ) {
    const n = await followNext(sql);
    if (n === null) return changed;
    changed += n;
  }
}

/** Whoever writes the same readings may be waiting for us as we for it: then the piece is taken up again. */
async function followNext(sql: Sql): Promise<number | null> {
  try {
    const [row] = await sql<{ n: string | null }[]>`select raw.follow_next() as n`;
    return row?.n == null ? null : Number(row.n);
  } catch (error) {
    if ((error as { code?: string }).code !== DEADLOCK) throw error;
    return await followNext(sql);
  }
}

const DEADLOCK = '40P01';
