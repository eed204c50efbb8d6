/** Counts what became of readings, and how busy a pool of database connections is. */
import type { PoolObserver } from '../database/queryPool.ts';
import type { Accepted, WriteStats } from '../ingest/accept.ts';
import type { Metrics } from './registry.ts';

export function recordIngest(
  metrics: Metrics,
  provider: string,
  { accepted, unchanged, quarantined, leftOut }: Pick<Accepted, 'accepted' | 'unchanged' | 'quarantined' | 'leftOut'>,
): void {
  const outcomes = { accepted, unchanged, quarantined: quarantined.length };
  for (const [outcome, n] of Object.entries(outcomes)) {
    if (n > 0) metrics.add('airseries_readings_total', { provider, outcome }, n);
  }
  for (const { reason } of quarantined) metrics.add('airseries_quarantined_readings_total', { reason });
  if (leftOut > 0) metrics.add('airseries_quarantine_left_out_total', { provider }, leftOut);
}

export function recordWrite(metrics: Metrics, { lateHours, delays }: WriteStats): void {
  if (lateHours > 0) metrics.add('airseries_late_buckets_total', {}, lateHours);
  for (const seconds of delays) metrics.observe('airseries_reading_delay_seconds', {}, seconds);
}

export function observePool(metrics: Metrics, pool: string): PoolObserver {
  return ({ inUse, waiting }) => {
    metrics.onScrape(async () => {
      metrics.set('airseries_database_pool_in_use', { pool }, inUse());
      metrics.set('airseries_database_pool_waiting', { pool }, waiting());
    });
    return (query, seconds) => metrics.observe('airseries_database_query_duration_seconds', { query }, seconds);
  };
}
