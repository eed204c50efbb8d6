/**
 * All our metrics as prom-client's objects, so the compiler checks their labels; documentation, dashboards and alerts are tested against
 * them. Base units. No label takes its values from clients.
 */
import { statfs } from 'node:fs/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolObserver } from '../database/queryPool.ts';
import { READING_REASONS } from '../ingest/validate.ts';
import { makeDatabaseGauges } from './databaseGauges.ts';

export type Metrics = ReturnType<typeof makeMetrics>;

/** What gauges are collected from; filled in during start, because the admin port opens before the database. */
type Sources = {
  /** Updates the database's gauges; set by registerCollectors. Must not reject, or the whole scrape fails. */
  collectDatabase: () => Promise<void>;
  /** Bring what was counted of HTTP requests into their metrics; added by measure. */
  requests: (() => void)[];
  /** Where the embedded server keeps its data; undefined for other databases. */
  dataDirectory: string | undefined;
  /** The pools of database connections by name; added by observePool. */
  pools: Map<string, Parameters<PoolObserver>[0]>;
};

/** Default gauges of prom-client that end in `_total`, which `promtool check metrics` rejects. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Each twice the one before: a quantile is never further off than that. */
const REQUEST_SECONDS = [0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2];
const WORK_SECONDS = [0.1, 1, 10, 60];
const HOUR = 3_600;
const DELAY_SECONDS = [60, 300, 0.5 * HOUR, 3 * HOUR, 24 * HOUR, 7 * 24 * HOUR];

/** A new registry with all metrics, including those of the process and of Node. Expose it with `await metrics.registry.metrics()`. */
export function makeMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const sources: Sources = {
    collectDatabase: async () => undefined,
    requests: [],
    dataDirectory: undefined,
    pools: new Map(),
  };
  const metrics = {
    registry,
    sources,
    ...processMetrics([registry], sources),
    ...httpMetrics([registry], () => {
      for (const collect of sources.requests) collect();
    }),
    ...readingMetrics([registry]),
    ...jobMetrics([registry]),
    ...poolMetrics([registry], sources.pools),
    ...makeDatabaseGauges([registry], () => sources.collectDatabase()),
  };
  for (const reason of Object.keys(READING_REASONS)) metrics.quarantinedReadings.inc({ reason }, 0); // so that the first is an increase
  return metrics;
}

const processMetrics = (registers: Registry[], sources: Sources) => ({
  diskFree: new Gauge({
    name: 'airseries_disk_free_bytes',
    help: 'Free space on the disk of the embedded server; NaN for other databases',
    registers,
    async collect() {
      const folder = sources.dataDirectory;
      const disk = folder === undefined ? undefined : await statfs(folder).catch(() => undefined);
      this.set(disk === undefined ? Number.NaN : disk.bavail * disk.bsize);
    },
  }),
  buildInfo: new Gauge({
    name: 'airseries_build_info',
    help: 'Always 1: the version of the service, of Node, and how the database keeps its data',
    labelNames: ['version', 'node', 'engine'] as const,
    registers,
  }),
  worker: new Gauge({
    name: 'airseries_worker',
    help: 'Whether this process is the worker, which runs the scheduled jobs (1), or not (0)',
    registers,
  }),
});

/** Each asks for what was counted, since they are scraped in no certain order. */
const httpMetrics = (registers: Registry[], collect: () => void) => ({
  httpRequests: new Counter({
    name: 'airseries_http_requests_total',
    help: 'Requests by pattern of their path; status aborted: the client left before its answer',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
    collect,
  }),
  httpRequestDuration: new Histogram({
    name: 'airseries_http_request_duration_seconds',
    help: 'Time to answer a request that the path is for; status_class is 2xx, 3xx, 4xx, 5xx or aborted',
    labelNames: ['route', 'method', 'status_class'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  }),
  httpRequestsInFlight: new Gauge({
    name: 'airseries_http_requests_in_flight',
    help: 'Requests that are being answered, by server: public, ingest',
    labelNames: ['server'] as const,
    registers,
    collect,
  }),
  httpResponseBytes: new Counter({
    name: 'airseries_http_response_bytes_total',
    help: 'Bytes of response bodies',
    labelNames: ['route'] as const,
    registers,
    collect,
  }),
  httpCache: new Counter({
    name: 'airseries_http_cache_total',
    help: 'Answers by what the client had: nothing to compare, something else, or the same (304)',
    labelNames: ['outcome'] as const,
    registers,
    collect,
  }),
});

const readingMetrics = (registers: Registry[]) => ({
  readings: new Counter({
    name: 'airseries_readings_total',
    help: 'Readings that came in over HTTP or were pulled: accepted, unchanged, quarantined',
    labelNames: ['provider', 'outcome'] as const,
    registers,
  }),
  quarantinedReadings: new Counter({
    name: 'airseries_quarantined_readings_total',
    help: 'Readings that could not be used, by reason',
    labelNames: ['reason'] as const,
    registers,
  }),
  quarantineLeftOut: new Counter({
    name: 'airseries_quarantine_left_out_total',
    help: 'Lines that were not recorded in quarantine, because their provider has too much there',
    labelNames: ['provider'] as const,
    registers,
  }),
  readingDelay: new Histogram({
    name: 'airseries_reading_delay_seconds',
    help: 'Time from the measurement of an accepted reading to its acceptance',
    buckets: DELAY_SECONDS,
    registers,
  }),
  pulls: new Counter({
    name: 'airseries_pulls_total',
    help: 'Polls of a provider by outcome: success, failure',
    labelNames: ['provider', 'outcome'] as const,
    registers,
  }),
  lateBuckets: new Counter({
    name: 'airseries_late_buckets_total',
    help: 'Closed hours that accepted readings touched, so that they are computed again; counted for each batch',
    registers,
  }),
});

const jobMetrics = (registers: Registry[]) => ({
  jobRuns: new Counter({
    name: 'airseries_job_runs_total',
    help: 'Runs of a job',
    labelNames: ['task'] as const,
    registers,
  }),
  jobFailures: new Counter({
    name: 'airseries_job_failures_total',
    help: 'Runs of a job that failed',
    labelNames: ['task'] as const,
    registers,
  }),
  jobLastSuccess: new Gauge({
    name: 'airseries_job_last_success_timestamp_seconds',
    help: 'When a job last succeeded in this process',
    labelNames: ['task'] as const,
    registers,
  }),
  jobLastFailure: new Gauge({
    name: 'airseries_job_last_failure_timestamp_seconds',
    help: 'When a job last failed in this process',
    labelNames: ['task'] as const,
    registers,
  }),
  jobDuration: new Histogram({
    name: 'airseries_job_duration_seconds',
    help: 'Time a run of a job took',
    labelNames: ['task'] as const,
    buckets: WORK_SECONDS,
    registers,
  }),
  refreshDuration: new Histogram({
    name: 'airseries_refresh_duration_seconds',
    help: 'Time to bring the aggregates up to date',
    buckets: WORK_SECONDS,
    registers,
  }),
  retentionRefusals: new Counter({
    name: 'airseries_retention_refusals_total',
    help: 'Nights on which RAW_RETENTION would have deleted more than two months of readings at once, and deleted none',
    registers,
  }),
});

/** Collected at scrape time, before the collectors take connections themselves. */
const poolMetrics = (registers: Registry[], pools: Sources['pools']) => ({
  poolSize: new Gauge({
    name: 'airseries_database_pool_size',
    help: 'How many database connections a pool may have',
    labelNames: ['pool'] as const,
    registers,
    collect() {
      for (const [pool, { size }] of pools) this.set({ pool }, size);
    },
  }),
  poolInUse: new Gauge({
    name: 'airseries_database_pool_in_use',
    help: 'Database connections that are working',
    labelNames: ['pool'] as const,
    registers,
    collect() {
      for (const [pool, { inUse }] of pools) this.set({ pool }, inUse());
    },
  }),
  poolWaiting: new Gauge({
    name: 'airseries_database_pool_waiting',
    help: 'Statements that wait for a database connection',
    labelNames: ['pool'] as const,
    registers,
    collect() {
      for (const [pool, { waiting }] of pools) this.set({ pool }, waiting());
    },
  }),
  poolWaitDuration: new Histogram({
    name: 'airseries_database_pool_wait_duration_seconds',
    help: 'Time a statement waited for a database connection',
    labelNames: ['pool'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  }),
  queryDuration: new Histogram({
    name: 'airseries_database_query_duration_seconds',
    help: 'Time the database took to answer, by the relation or function that was queried',
    labelNames: ['query'] as const,
    buckets: REQUEST_SECONDS,
    registers,
  }),
});
