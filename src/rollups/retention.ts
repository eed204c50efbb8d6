/** Deleting readings that have expired: planning it, doing it, refusing to delete too many at once, and accepting older readings again. */
import { asOwner, type DatabaseAddress, type Sql } from '../database/client.ts';
import type { Log } from '../log.ts';
import { REFRESH_SESSION } from './refresh.ts';

/** A row of logic.retention_plan. Instants are ISO 8601 text, or `-infinity`. */
type RetentionPlan = {
  /** How many sensors have a placement and readings. */
  sensors: number;
  /** The newest instant at or after which a tenth of them measured: age is counted from it. */
  counted_from: string | null;
  /** Older readings are refused now. */
  cutoff: string;
  /** Older readings are already deleted. */
  retained_from: string;
  /** What both should become. */
  wanted: string;
  /** How many months that deletes. */
  months: number;
  /** Whether those are too many to delete without an explicit request. */
  is_refused: boolean;
};

/** `keep` is how long readings are kept, such as `400 days`. Changes nothing. */
export async function planRetention(sql: Sql, now: Date, keep: string): Promise<RetentionPlan> {
  const [plan] = await sql<RetentionPlan[]>`
    select sensors, counted_from, cutoff, retained_from, wanted, months, is_refused
    from logic.retention_plan(${now}, ${keep}::text::interval)`;
  return plan as RetentionPlan;
}

type Options = {
  log: Log;
  /** Of the instants in the result and the log; default: UTC. */
  timeZone?: string;
  /** Deletes even what `is_refused` would keep. */
  apply?: boolean;
};

/**
 * Deletes whole local months of readings older than the retention and keeps their aggregates; returns the plan. If the plan is refused,
 * logs that and deletes nothing, unless `apply` is set. May be interrupted anywhere, because of its order: first such old readings are
 * refused, then the last of them are refreshed into the aggregates, then they are deleted.
 */
export async function deleteExpired(
  target: DatabaseAddress,
  now: Date,
  keep: string,
  { log, timeZone = 'UTC', apply = false }: Options,
): Promise<RetentionPlan> {
  return await asOwner(target, { ...REFRESH_SESSION, timeZone }, async (sql) => {
    const plan = await planRetention(sql, now, keep);
    const { cutoff, retained_from, wanted, months, counted_from } = plan;
    if (plan.is_refused && !apply) {
      log.error(
        { retention: keep, cutoff, retained_from, wanted, months, counted_from },
        'retention would delete more than two months of readings at once, so nothing was deleted; "retention" shows what would be deleted, "retention --apply" deletes it',
      );
      return plan;
    }
    if (months > 0) {
      const readings = await countReadingsBefore(sql, wanted);
      log.info({ retention: keep, before: wanted, readings, months, counted_from }, 'readings are being deleted');
    }
    if (wanted !== cutoff) await sql`call logic.raise_ingest_cutoff(${wanted}::text::timestamptz)`;
    await sql`call raw.acquire_lock('rollup.refresh')`;
    await sql`call rollup.refresh(${now})`;
    await sql`update raw.installation set retained_from = ingest_cutoff`;
    await sql`call logic.delete_expired_readings()`;
    return plan;
  });
}

/** `instant` is ISO 8601 text, or `-infinity`. */
export async function countReadingsBefore(sql: Sql, instant: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::float8 as n from raw.readings where measured_at < ${instant}::text::timestamptz`;
  return row?.n ?? 0;
}

type Cutoff = Pick<RetentionPlan, 'cutoff' | 'retained_from'>;

/** What holds now, whether or not there is a retention. */
export async function currentCutoff(sql: Sql): Promise<Cutoff> {
  const [row] = await sql<Cutoff[]>`select ingest_cutoff as cutoff, retained_from from raw.installation`;
  return row as Cutoff;
}

/** Accepts readings from `since` on again. Rejects with the reason where that is impossible. */
export async function lowerCutoff(sql: Sql, since: Date): Promise<void> {
  await sql`select logic.lower_ingest_cutoff(${since})`;
}
