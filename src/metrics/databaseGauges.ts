/** Gauges collected from the database at scrape time; every process reports the same values. */
import { Gauge, type Registry } from 'prom-client';

/** `collect` is awaited before they are exposed. It must not reject, or the whole scrape fails. */
export function makeDatabaseGauges(registers: Registry[], collect: () => Promise<void>) {
  const common = { registers, collect };
  const gauges = {
    newestReading: new Gauge({
      ...common,
      name: 'airseries_newest_reading_timestamp_seconds',
      help: 'When the newest reading of a provider was measured; absent for one that never sent any',
      labelNames: ['provider'] as const,
    }),
    stations: new Gauge({
      ...common,
      name: 'airseries_stations',
      help: 'Listed stations: online, offline',
      labelNames: ['provider', 'status'] as const,
    }),
    quarantineLines: new Gauge({
      ...common,
      name: 'airseries_quarantine_lines',
      help: 'Whole readings waiting in quarantine, by reason',
      labelNames: ['reason'] as const,
    }),
    refreshLastSuccess: new Gauge({
      ...common,
      name: 'airseries_refresh_last_success_timestamp_seconds',
      help: 'When the aggregates were last brought up to date, by any process',
    }),
    newestBucket: new Gauge({
      ...common,
      name: 'airseries_newest_bucket_timestamp_seconds',
      help: 'When the newest bucket of an aggregate begins',
      labelNames: ['subject', 'resolution'] as const,
    }),
    digestTimestamp: new Gauge({
      ...common,
      name: 'airseries_newest_digest_timestamp_seconds',
      help: 'Of which instant the newest digest is, from which the API answers for regions',
    }),
    auditDifferingBuckets: new Gauge({
      ...common,
      name: 'airseries_audit_differing_buckets',
      help: 'Buckets that the last audit found to differ from the readings',
    }),
    auditLastSuccess: new Gauge({
      ...common,
      name: 'airseries_audit_last_success_timestamp_seconds',
      help: 'When the last audit was made',
    }),
    databaseSize: new Gauge({
      ...common,
      name: 'airseries_database_size_bytes',
      help: 'Space on disk of a schema, its indexes and compressed parts included',
      labelNames: ['schema'] as const,
    }),
    collectorSuccess: new Gauge({
      ...common,
      name: 'airseries_database_collector_success',
      help: 'Whether the database answered the query of a collector (1) or not (0): then its metrics are absent',
      labelNames: ['collector'] as const,
    }),
  };
  for (const gauge of [
    gauges.refreshLastSuccess,
    gauges.digestTimestamp,
    gauges.auditDifferingBuckets,
    gauges.auditLastSuccess,
  ]) {
    setUnknown(gauge);
  }
  return gauges;
}

/** A gauge without labels always has a value. NaN means unknown, and no alert fires on it. */
export function setUnknown(gauge: Gauge): void {
  gauge.set(Number.NaN);
}
