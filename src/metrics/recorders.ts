/** Records in the metrics what became of readings, and how busy a pool of database connections is. */
import type { PoolObserver } from '../database/queryPool.ts';
import type { Accepted, WriteStats } from '../ingest/accept.ts';
import type { Metrics } from './definitions.ts';

/** Counts one batch of a provider: its readings by outcome, those in quarantine by reason, and those that found no room there. */
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

/** Records one write: the closed hours it touched, and for each new reading the seconds since it was measured. */
export function recordWrite(metrics: Metrics, { lateHours, delays }: WriteStats): void {
  if (lateHours > 0) metrics.lateBuckets.inc(lateHours);
  for (const seconds of delays) metrics.readingDelay.observe(seconds);
}

/** For the pool of this name: its counts are read at scrape time, the seconds of each query as it ends. */
export function observePool(metrics: Metrics, pool: string): PoolObserver {
  return (counts) => {
    metrics.sources.pools.set(pool, counts);
    return (query, seconds) => metrics.queryDuration.observe({ query }, seconds);
  };
}
