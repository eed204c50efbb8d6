/** How the service is doing, as the database knows it: for metrics. */
import { type RawBuilder, sql } from 'kysely';
import type { ApiDb } from './api.ts';

type ProviderState = { provider: string; measurement_time: string | null; online: number; offline: number };

const providerState = (at: Date): RawBuilder<ProviderState> => sql`api.provider_state(${at})`;

export async function askService(db: ApiDb, at: Date) {
  const [providers, buckets, audits, waiting, storage, freshness] = await Promise.all([
    db.selectFrom(providerState(at).as('p')).selectAll().execute(),
    db.selectFrom('api.newest_bucket').selectAll().execute(),
    db.selectFrom('api.last_audit').selectAll().execute(),
    db.selectFrom('api.quarantine_lines').selectAll().execute(),
    db.selectFrom('api.storage').selectAll().execute(),
    db.selectFrom('api.freshness').selectAll().execute(),
  ]);
  return { providers, buckets, audit: audits[0], waiting, storage, refreshedAt: freshness[0]?.refreshed_at ?? null };
}
