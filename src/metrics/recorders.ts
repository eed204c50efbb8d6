/** Counts what became of readings that came in from the network. */
import type { Accepted, Written } from '../ingest/accept.ts';
import type { Metrics } from './registry.ts';

export function noteIntake(
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

export function noteWritten(metrics: Metrics, { lateHours, delays }: Written): void {
  if (lateHours > 0) metrics.add('airseries_late_buckets_total', {}, lateHours);
  for (const seconds of delays) metrics.observe('airseries_reading_delay_seconds', {}, seconds);
}
