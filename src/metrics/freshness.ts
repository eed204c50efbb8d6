/** When the aggregates were last brought up to date, null before the first time; throws if the database cannot be asked. For readiness. */
import type { ApiDb } from '../database/apiSchema.ts';

export async function askFreshness(db: ApiDb): Promise<string | null> {
  const row = await db.selectFrom('api.freshness').select('refreshed_at').executeTakeFirst();
  return row?.refreshed_at ?? null;
}
