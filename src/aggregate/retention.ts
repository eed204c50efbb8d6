/**
 * Deletes readings that have expired, a month at a time, says what would be deleted, and accepts
 * older readings again.
 */

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { asOwner, type Sql } from '../database/client.ts';
import { REFRESH_SESSION, refreshOn } from './refresh.ts';

/** A row of logic.retention_plan. Instants are ISO 8601 text, or `-infinity`. */
type RetentionPlan = {
  /**
   * The newest stored reading or, if that is earlier, now: age is counted from it. Null without
   * readings.
   */
  counted_from: string | null;
  /** Older readings are refused now. */
  cutoff: string;
  /** Older readings are already deleted. */
  retained_from: string;
  /** The instant that both should become. */
  wanted: string;
  /** The instant that both become with the next step: the end of the first month to delete. */
  next: string;
  /** How many months are to be deleted. */
  months: number;
};

/** `keep` is how long readings are kept, such as `400 days`. Changes nothing. */
export async function planRetention(sql: Sql, now: Date, keep: string): Promise<RetentionPlan> {
  const [plan] = await sql<RetentionPlan[]>`
    select counted_from, cutoff, retained_from, wanted, next, months
    from logic.retention_plan(${now}, ${keep}::text::interval)`;
  return plan as RetentionPlan;
}

type Options = {
  log: Log;
  /** The zone of the instants in the log; default: UTC. */
  timeZone?: string;
  /** Deletes every month that is due, instead of one. */
  apply?: boolean;
};

/**
 * Deletes the oldest local month of readings that is older than the retention, and keeps its
 * aggregates. May be interrupted anywhere, because of its order: first such old readings are
 * refused, then the last of them are refreshed into the aggregates, then the month is recorded,
 * then its readings are deleted.
 */
export async function deleteExpired(
  target: DatabaseAddress,
  clock: Clock,
  keep: string,
  { log, timeZone = 'UTC', apply = false }: Options,
): Promise<void> {
  await asOwner(target, { ...REFRESH_SESSION, timeZone }, async (sql) => {
    let plan: RetentionPlan;
    do {
      plan = await planRetention(sql, clock(), keep);
      const { next, cutoff, months, counted_from } = plan;
      if (months > 0) {
        const readings = await countReadingsBefore(sql, next);
        log.info(
          { retention: keep, before: next, readings, months, counted_from },
          'a month of readings is being deleted',
        );
      }
      // all writers wait for it
      if (next !== cutoff) await sql`call logic.raise_ingest_cutoff(${next}::text::timestamptz)`;
      await sql`call raw.acquire_lock('rollup.refresh')`;
      await refreshOn(sql, clock);
      await sql`call logic.retain_from(${next}::text::timestamptz)`;
      await sql`call logic.delete_expired_readings()`;
      await sql`select raw.release_lock('rollup.refresh')`;
    } while (apply && plan.months > 1);
  });
}

/** Deletes what undoing an import of more than that many days ago would need (S11). */
export async function deleteOldUndo(
  target: DatabaseAddress,
  now: Date,
  days: number,
): Promise<void> {
  const before = new Date(now.getTime() - days * 86_400_000);
  await asOwner(target, REFRESH_SESSION, (sql) => sql`select logic.delete_old_undo(${before})`);
}

/** `instant` is ISO 8601 text, or `-infinity`. */
export async function countReadingsBefore(sql: Sql, instant: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::float8 as n from raw.readings where measured_at < ${instant}::text::timestamptz`;
  return row?.n ?? 0;
}

type Cutoff = Pick<RetentionPlan, 'cutoff' | 'retained_from'>;

/** Reads the cutoffs, whether or not there is a retention. */
export async function currentCutoff(sql: Sql): Promise<Cutoff> {
  const [row] = await sql<
    Cutoff[]
  >`select ingest_cutoff as cutoff, retained_from from raw.installation`;
  return row as Cutoff;
}

/** Accepts readings from `since` on again. Rejects with the reason where that is impossible. */
export async function lowerCutoff(sql: Sql, since: Date): Promise<void> {
  await sql`select logic.lower_ingest_cutoff(${since})`;
}
