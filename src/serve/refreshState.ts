/** How fresh the published numbers are. */
import type { ApiDb } from '../database/apiDb.ts';

/**
 * When the aggregates were last refreshed, and the instant of the newest digest, ISO 8601; null:
 * never. Rejects when the database doesn't answer.
 */
export async function queryRefreshState(
  db: ApiDb,
): Promise<{ refreshed_at: string | null; digest_at: string | null }> {
  const row = await db
    .selectFrom('api.freshness')
    .select(['refreshed_at', 'digest_at'])
    .executeTakeFirst();
  return row ?? { refreshed_at: null, digest_at: null };
}
