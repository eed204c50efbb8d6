/** Takes lines out of quarantine for good: by the operator's word, or because they are old or too many. */
import type { Sql } from '../../database/client.ts';
import { type Filter, matches } from './filter.ts';

/** `sql` is a pool of the owner. Returns how many were deleted. */
export async function dropQuarantined(sql: Sql, filter: Filter): Promise<number> {
  const deleted = await sql`delete from raw.quarantine where ${matches(sql, filter)}`;
  await sql`select logic.recount_quarantine(provider_id) from raw.quarantine_load`; // what they took up is free
  return deleted.count;
}
