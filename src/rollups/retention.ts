/** Readings that are too old to be kept: which they are, that they go, and what is done where too many would. */
import type { Sql, Target } from '../database/client.ts';
import type { Log } from '../log.ts';
import { asOwner } from './refresh.ts';

/** What retention comes to (logic.retention_plan). Instants as PostgreSQL has them, `-infinity` included. */
export type RetentionPlan = {
  /** How many sensors stand somewhere and have readings, and the newest instant at which a tenth of them measured. */
  sensors: number;
  countedFrom: string | null;
  /** Readings before it are refused; those before `retainedFrom` are gone. */
  cutoff: string;
  retainedFrom: string;
  /** What both are to be. */
  wanted: string;
  months: number;
  /** Whether that is more than may go at once without being asked for. */
  isRefused: boolean;
};

/** `keep`: how long readings are kept, such as `400 days`. */
export async function planRetention(sql: Sql, now: Date, keep: string): Promise<RetentionPlan> {
  const [plan] = await sql<RetentionPlan[]>`
    select sensors, counted_from as "countedFrom", cutoff, retained_from as "retainedFrom", wanted, months, is_refused as "isRefused"
    from logic.retention_plan(${now}, ${keep}::text::interval)`;
  return plan as RetentionPlan;
}

export async function countReadingsBefore(sql: Sql, instant: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::float8 as n from raw.readings where measured_at < ${instant}::text::timestamptz`;
  return row?.n ?? 0;
}

type Options = { log: Log; timeZone?: string /** However many they are. */; apply?: boolean };

/**
 * Deletes readings older than the retention, whole local months of them; what was computed from them stays. Does nothing, and says so,
 * where more would go than may at once. In this order, so that it may be interrupted anywhere: readings that old are refused from now
 * on, the last of them are computed, then they go.
 */
export async function deleteExpired(
  target: Target,
  now: Date,
  keep: string,
  { log, timeZone, apply = false }: Options,
): Promise<RetentionPlan> {
  const work = async (sql: Sql) => {
    const plan = await planRetention(sql, now, keep);
    const { cutoff, wanted, months, countedFrom: counted_from, retainedFrom: retained_from } = plan;
    if (plan.isRefused && !apply) {
      log.error(
        { retention: keep, cutoff, retained_from, wanted, months, counted_from },
        'retention would delete more than two months of readings at once, so nothing was deleted; "retention" shows what would go, "retention --apply" deletes it',
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
  };
  return await asOwner(target, work, timeZone);
}

/** What the cutoff is, and from when on readings are all there. */
export async function currentCutoff(sql: Sql): Promise<Pick<RetentionPlan, 'cutoff' | 'retainedFrom'>> {
  const [row] = await sql<Pick<RetentionPlan, 'cutoff' | 'retainedFrom'>[]>`
    select ingest_cutoff as cutoff, retained_from as "retainedFrom" from raw.installation`;
  return row as Pick<RetentionPlan, 'cutoff' | 'retainedFrom'>;
}

/** Takes in again what was measured from `since` on, and throws, saying why, where that cannot be. */
export async function lowerCutoff(sql: Sql, since: Date): Promise<void> {
  await sql`select logic.lower_ingest_cutoff(${since})`;
}
