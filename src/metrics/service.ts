/**
 * What only the database knows, asked when somebody looks: so every process tells the same of the network, also one that does not
 * work. Not asked again within some seconds, and where it cannot be asked these metrics are absent rather than old.
 */
import type { Clock } from '../clock.ts';
import type { ApiDb } from '../queries/api.ts';
import { askService } from '../queries/service.ts';
import type { MetricName } from './catalogue.ts';
import type { Metrics } from './registry.ts';

const KEEP_MS = 10_000;

const TOLD: readonly MetricName[] = [
  'airseries_newest_reading_age_seconds',
  'airseries_stations',
  'airseries_quarantine_lines',
  'airseries_refresh_last_success_timestamp_seconds',
  'airseries_newest_bucket_age_seconds',
  'airseries_audit_differing_buckets',
  'airseries_audit_last_success_timestamp_seconds',
  'airseries_database_size_bytes',
];

export function tellService(metrics: Metrics, db: ApiDb, clock: Clock): void {
  let asked = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;
  const ask = async () => {
    try {
      const state = await askService(db, clock());
      forget(metrics);
      tell(metrics, state, clock());
      asked = performance.now();
    } catch {
      forget(metrics); // readiness says why
    } finally {
      asking = undefined;
    }
  };
  metrics.onScrape(async () => {
    if (performance.now() - asked < KEEP_MS) return;
    asking ??= ask();
    await asking;
  });
}

function forget(metrics: Metrics): void {
  for (const name of TOLD) metrics.reset(name);
  // one without labels would be told as 0
  for (const name of TOLD) if (name.includes('audit') || name.includes('refresh')) metrics.set(name, {}, Number.NaN);
}

function tell(metrics: Metrics, state: Awaited<ReturnType<typeof askService>>, now: Date): void {
  const seconds = (time: string) => Date.parse(time) / 1_000;
  const age = (time: string) => now.getTime() / 1_000 - seconds(time);
  for (const { provider, measurement_time, online, offline } of state.providers) {
    if (measurement_time !== null)
      metrics.set('airseries_newest_reading_age_seconds', { provider }, age(measurement_time));
    metrics.set('airseries_stations', { provider, status: 'online' }, online);
    metrics.set('airseries_stations', { provider, status: 'offline' }, offline);
  }
  for (const { place, grain, timestamp } of state.buckets) {
    if (timestamp !== null) metrics.set('airseries_newest_bucket_age_seconds', { place, grain }, age(timestamp));
  }
  for (const { reason, lines } of state.waiting) metrics.set('airseries_quarantine_lines', { reason }, lines);
  for (const { schema, bytes } of state.storage) metrics.set('airseries_database_size_bytes', { schema }, bytes);
  if (state.refreshedAt !== null) {
    metrics.set('airseries_refresh_last_success_timestamp_seconds', {}, seconds(state.refreshedAt));
  }
  if (state.audit !== undefined) {
    metrics.set('airseries_audit_differing_buckets', {}, state.audit.differing);
    metrics.set('airseries_audit_last_success_timestamp_seconds', {}, seconds(state.audit.made_at));
  }
}
