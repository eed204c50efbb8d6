/** How the service is doing, as the database knows it: questions for metrics, each by itself, so that one that fails hides no other. */
import { type RawBuilder, sql } from 'kysely';
import type { ApiDb } from '../database/apiSchema.ts';

type ProviderState = { provider: string; measurement_time: string | null; online: number; offline: number };

const providerState = (at: Date): RawBuilder<ProviderState> => sql`api.provider_state(${at})`;

const newestBucket = (at: Date): RawBuilder<{ place: string; grain: string; timestamp: string | null }> =>
  sql`api.newest_bucket(${at})`;

export const askProviders = (db: ApiDb, at: Date) => db.selectFrom(providerState(at).as('p')).selectAll().execute();
export const askNewestBuckets = (db: ApiDb, at: Date) => db.selectFrom(newestBucket(at).as('b')).selectAll().execute();
export const askLastAudit = (db: ApiDb) => db.selectFrom('api.last_audit').selectAll().execute();
export const askQuarantineLines = (db: ApiDb) => db.selectFrom('api.quarantine_lines').selectAll().execute();
export const askStorage = (db: ApiDb) => db.selectFrom('api.storage').selectAll().execute();
