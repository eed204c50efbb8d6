/** Counts what became of readings, and how busy a pool of database connections is. */
import type { PoolObserver } from '../database/queryPool.ts';
import type { Accepted, WriteStats } from '../ingest/accept.ts';
import type { Metrics } from './definitions.ts';

export function recordIngest(
  metrics: Metrics,
  provider: string,
  { accepted, unchanged, quarantined, leftOut }: Pick<Accepted, 'accepted' | 'unchanged' | 'quarantined' | 'leftOut'>,
): void {
  const outcomes = { accepted, unchanged, quarantined: quarantined.length };
  for (const [outcome, n] of Object.entries(outcomes)) {
    if (n > 0) metrics.readings.inc({ provider, outcome }, n);
  }
  for (const { reason } of quarantined) metrics.quarantinedReadings.inc({ reason });
  if (leftOut > 0) metrics.quarantineLeftOut.inc({ provider }, leftOut);
}

export function recordWrite(metrics: Metrics, { lateHours, delays }: WriteStats): void {
  if (lateHours > 0) metrics.lateBuckets.inc(lateHours);
  for (const seconds of delays) metrics.readingDelay.observe(seconds);
}

export function observePool(metrics: Metrics, pool: string): PoolObserver {
  return (counts) => {
    metrics.sources.pools.set(pool, counts);
    return (query, seconds) => metrics.queryDuration.observe({ query }, seconds);
  };
}
