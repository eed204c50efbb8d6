/** Whether a process may have requests, and if not, what is missing. */
import type { ApiDb } from '../database/apiSchema.ts';
import type { Readiness } from './adminApp.ts';
import { askFreshness } from './freshness.ts';

/** How far this process has come. */
export type Started = {
  /** From the migrations on. */
  db: ApiDb | undefined;
  serving: boolean;
};

/**
 * Ready to answer: the database fits, it answers, the aggregates have been built, and what the process is for has begun. What could not
 * be asked is null.
 */
export async function readiness({ db, serving }: Started): Promise<Readiness> {
  if (db === undefined) return { ok: false, checks: { migrations: false, database: null, first_build: null, serving } };
  const refreshedAt = await askFreshness(db).catch(() => undefined);
  const database = refreshedAt !== undefined;
  const built = database ? refreshedAt !== null : null;
  const checks = { migrations: true, database, first_build: built, serving, refreshed_at: refreshedAt };
  return { ok: built === true && serving, checks };
}
