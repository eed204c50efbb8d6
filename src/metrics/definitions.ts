/**
 * All metrics of airseries: meaning, labels and, for metrics of the database, their query. They are
 * prom-client's objects, so the compiler checks their labels; documentation, dashboards and alerts
 * are tested against them. Base units. No label takes its values from clients.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { apiRows } from '../database/apiDb.ts';
import { READING_REASONS } from '../ingest/store/validate.ts';
import { HISTORY_CHANGES } from '../serve/dataVersion.ts';
import { type Collector, KEEP_LONG_MS, makeCollector } from './collectors.ts';
import { SeriesHistogram } from './seriesHistogram.ts';

export type Metrics = ReturnType<typeof makeMetrics>;

/** Default gauges of prom-client that end in `_total`, which `promtool check metrics` rejects. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Each twice the one before: a quantile is never further off than that. */
const REQUEST_SECONDS = [0.0125, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2];
const WORK_SECONDS = [0.1, 1, 10, 60];
const HOUR = 3_600;
const DELAY_SECONDS = [60, 300, 0.5 * HOUR, 3 * HOUR, 24 * HOUR, 7 * 24 * HOUR];

/**
 * A new registry with all metrics, including prom-client's own of the process and of Node. Expose
 * it with `await metrics.scrape()`.
 */
export function makeMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const collectors = makeCollectors([registry]);
  const makers = makersOf([registry]);
  const metrics = makeTable([registry], makers, collectors);

  // Prometheus sees an increase only between two values, so counters begin at 0
  for (const reason of Object.keys(READING_REASONS)) metrics.quarantinedReadings.inc({ reason }, 0);
  for (const change of HISTORY_CHANGES) metrics.historyChanges.inc({ change }, 0);
  collectors.providers.forEachRow(({ provider }) => {
    for (const outcome of ['accepted', 'unchanged', 'quarantined'])
      metrics.readings.inc({ provider, outcome }, 0);
    metrics.quarantineLeftOut.inc({ provider }, 0);
    metrics.replacedValues.inc({ provider }, 0);
  });

  /**
   * Bring metrics up to date; added during start, because the admin port opens before the database.
   * Must not reject, or the scrape fails.
   */
  const beforeScrape: (() => void | Promise<void>)[] = [];
  /**
   * Everything in Prometheus's text format. Updates begin in their order: pools are counted before
   * collectors use their connections.
   */
  const scrape = async () => {
    await Promise.all(beforeScrape.map((update) => update()));
    return registry.metrics();
  };
  const all: readonly Collector[] = Object.values(collectors);
  /** `begin` is called with every provider before a scrape, so that its counters begin at 0. */
  const eachProvider = (begin: (provider: string) => void) =>
    collectors.providers.forEachRow(({ provider }) => begin(provider));
  const { counter, gauge } = makers;
  return {
    ...metrics,
    counter,
    gauge,
    registry,
    collectors: all,
    eachProvider,
    beforeScrape,
    scrape,
  };
}

/** The gauges that are asked of the database at scrape time, by the name of the collector. */
const makeCollectors = (registers: Registry[]) => ({
  providers: makeCollector('providers', registers, (db, at) =>
    db.selectFrom(apiRows('provider_state', { at }).as('p')).selectAll().execute(),
  ),
  newestBuckets: makeCollector('newest_buckets', registers, (db, at) =>
    db.selectFrom(apiRows('newest_bucket', { at }).as('b')).selectAll().execute(),
  ),
  quarantine: makeCollector(
    'quarantine',
    registers,
    (db) => db.selectFrom('api.quarantine_lines').selectAll().execute(),
    KEEP_LONG_MS,
  ),
  storage: makeCollector(
    'storage',
    registers,
    (db) => db.selectFrom('api.storage').selectAll().execute(),
    KEEP_LONG_MS,
  ),
  refresh: makeCollector('refresh', registers, (db) =>
    db.selectFrom('api.freshness').select(['refreshed_at', 'completed_at', 'digest_at']).execute(),
  ),
  audit: makeCollector('audit', registers, (db) =>
    db.selectFrom('api.last_audit').selectAll().execute(),
  ),
  keptHours: makeCollector(
    'kept_hours',
    registers,
    (db) => db.selectFrom('api.kept_hours').selectAll().execute(),
    KEEP_LONG_MS,
  ),
});

type Description<Label extends string> = { help: string; labels?: readonly Label[] };

/** Makes the metrics of a process, from the table and from the extras. */
const makersOf = (registers: Registry[]) => ({
  counter: <Label extends string>(name: string, { help, labels = [] }: Description<Label>) =>
    new Counter({ name, help, labelNames: labels, registers }),
  gauge: <Label extends string>(name: string, { help, labels = [] }: Description<Label>) =>
    new Gauge({ name, help, labelNames: labels, registers }),
  histogram: <Label extends string>(
    name: string,
    { help, labels = [], buckets }: Description<Label> & { buckets: number[] },
  ) => new Histogram({ name, help, labelNames: labels, buckets, registers }),
});

/**
 * To add a metric, add an entry here, and run `npm run generate`, which documents
 * it.
 */
function makeTable(
  registers: Registry[],
  { counter, gauge, histogram }: ReturnType<typeof makersOf>,
  collectors: ReturnType<typeof makeCollectors>,
) {
  const { providers, newestBuckets, quarantine, storage, refresh, audit, keptHours } = collectors;
  return {
    buildInfo: gauge('airseries_build_info', {
      help: 'Always 1: the version of the service, of Node, and how the database keeps its data',
      labels: ['version', 'node', 'engine'],
    }),
    worker: gauge('airseries_worker', {
      help: 'Whether this process is a worker, which runs the scheduled jobs (1), or not (0)',
    }),
    zoneConflict: gauge('airseries_time_zone_conflict', {
      help: "Whether a change of the server's rules of the time zone is refused (1) or not (0)",
      labels: ['with'],
    }),

    httpRequests: counter('airseries_http_requests_total', {
      help: 'Requests by pattern of their path; status aborted: the client left before its answer',
      labels: ['route', 'method', 'status'],
    }),
    httpRequestDuration: new SeriesHistogram({
      name: 'airseries_http_request_duration_seconds',
      help: 'Time to answer a request that the path is for; status_class is 2xx, 3xx, 4xx, 5xx or aborted',
      labelNames: ['route', 'method', 'status_class'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    httpRequestsInFlight: gauge('airseries_http_requests_in_flight', {
      help: 'Requests that are being answered, by server: public, ingest',
      labels: ['server'],
    }),
    httpResponseBytes: counter('airseries_http_response_bytes_total', {
      help: 'Bytes of response bodies',
      labels: ['route'],
    }),
    conditionalRequests: counter('airseries_conditional_requests_total', {
      help: 'Answers by what the client had: nothing to compare, something else, or the same (304)',
      labels: ['outcome'],
    }),

    readings: counter('airseries_readings_total', {
      help: 'Readings that came in over HTTP or were pulled: accepted, unchanged, quarantined',
      labels: ['provider', 'outcome'],
    }),
    quarantinedReadings: counter('airseries_quarantined_readings_total', {
      help: 'Readings that could not be used, by reason',
      labels: ['reason'],
    }),
    replacedValues: counter('airseries_replaced_values_total', {
      help: 'Stored values that such readings replaced by others or withdrew',
      labels: ['provider'],
    }),
    quarantineLeftOut: counter('airseries_quarantine_left_out_total', {
      help: 'Lines that were not recorded in quarantine, because their provider has too much there',
      labels: ['provider'],
    }),
    readingDelay: histogram('airseries_reading_delay_seconds', {
      help: 'Time from the measurement of an accepted reading to its acceptance',
      buckets: DELAY_SECONDS,
    }),
    lateBuckets: counter('airseries_late_buckets_total', {
      help: 'Closed hours that accepted readings touched, so that they are computed again; counted for each batch',
    }),

    jobRuns: counter('airseries_job_runs_total', {
      help: 'Runs of a job',
      labels: ['task'],
    }),
    jobFailures: counter('airseries_job_failures_total', {
      help: 'Runs of a job that failed',
      labels: ['task'],
    }),
    jobLastSuccess: gauge('airseries_job_last_success_timestamp_seconds', {
      help: 'When a job last succeeded in this process',
      labels: ['task'],
    }),
    jobLastFailure: gauge('airseries_job_last_failure_timestamp_seconds', {
      help: 'When a job last failed in this process',
      labels: ['task'],
    }),
    jobDuration: histogram('airseries_job_duration_seconds', {
      help: 'Time a run of a job took',
      labels: ['task'],
      buckets: WORK_SECONDS,
    }),
    refreshDuration: histogram('airseries_refresh_duration_seconds', {
      help: 'Time to bring the aggregates up to date',
      buckets: WORK_SECONDS,
    }),

    historyChanges: counter('airseries_database_history_changes_total', {
      help: 'Times that an API process found another history in the database: promoted, set_back, replaced; readings may be lost each time',
      labels: ['change'],
    }),
    poolSize: gauge('airseries_database_pool_size', {
      help: 'How many database connections a pool may have',
      labels: ['pool'],
    }),
    poolInUse: gauge('airseries_database_pool_in_use', {
      help: 'Database connections that are working',
      labels: ['pool'],
    }),
    poolWaiting: gauge('airseries_database_pool_waiting', {
      help: 'Statements that wait for a database connection',
      labels: ['pool'],
    }),
    poolWaitDuration: histogram('airseries_database_pool_wait_duration_seconds', {
      help: 'Time a statement waited for a database connection',
      labels: ['pool'],
      buckets: REQUEST_SECONDS,
    }),
    queryDuration: histogram('airseries_database_query_duration_seconds', {
      help: 'Time the database took to answer, by the relation or function that was queried',
      labels: ['query'],
      buckets: REQUEST_SECONDS,
    }),

    // every process reports the same values of these
    newestReading: providers.gauge('airseries_newest_reading_timestamp_seconds', {
      help: 'When the newest reading of a provider was measured; absent for one that never sent any',
      labels: ['provider'],
      fill: (set, { provider, measurement_time }) => set({ provider }, seconds(measurement_time)),
    }),
    stations: providers.gauge('airseries_stations', {
      help: 'Listed stations: online, offline',
      labels: ['provider', 'status'],
      fill: (set, { provider, online, offline }) => {
        set({ provider, status: 'online' }, online);
        set({ provider, status: 'offline' }, offline);
      },
    }),
    quarantineLines: quarantine.gauge('airseries_quarantine_lines', {
      help: 'Whole readings waiting in quarantine, by reason',
      labels: ['reason'],
      fill: (set, { reason, lines }) => set({ reason }, lines),
    }),
    refreshLastSuccess: refresh.gauge('airseries_refresh_last_success_timestamp_seconds', {
      help: 'Readings of the running day accepted before this time are in the aggregates, whichever process refreshed them',
      fill: (set, { refreshed_at }) => set({}, seconds(refreshed_at)),
    }),
    refreshComplete: refresh.gauge('airseries_refresh_complete_timestamp_seconds', {
      help: 'All readings accepted before this time are in the aggregates; it stands still while a backfill is being worked off',
      fill: (set, { completed_at }) => set({}, seconds(completed_at)),
    }),
    newestBucket: newestBuckets.gauge('airseries_newest_bucket_timestamp_seconds', {
      help: 'When the newest bucket of an aggregate begins',
      labels: ['subject', 'resolution'],
      fill: (set, { subject, resolution, timestamp }) =>
        set({ subject, resolution }, seconds(timestamp)),
    }),
    digestTimestamp: refresh.gauge('airseries_newest_digest_timestamp_seconds', {
      help: 'Instant of the newest digest, from which the API answers for regions',
      fill: (set, { digest_at }) => set({}, seconds(digest_at)),
    }),
    auditDifferingBuckets: audit.gauge('airseries_audit_differing_buckets', {
      help: 'Buckets that the last audit found to differ from the readings',
      fill: (set, { differing }) => set({}, differing),
    }),
    auditLastSuccess: audit.gauge('airseries_audit_last_success_timestamp_seconds', {
      help: 'When the last audit was made',
      fill: (set, { made_at }) => set({}, seconds(made_at)),
    }),
    keptHoursMissing: keptHours.gauge('airseries_kept_buckets_missing', {
      help: 'Sensor hours kept by retention that have been deleted since; NaN where only the audit counts them',
      fill: (set, { missing }) => set({}, missing),
    }),
    databaseSize: storage.gauge('airseries_database_size_bytes', {
      help: 'Space on disk of a schema, its indexes and compressed parts included',
      labels: ['schema'],
      fill: (set, { schema, bytes }) => set({ schema }, bytes),
    }),
    collectorSuccess: gauge('airseries_database_collector_success', {
      help: 'Whether the database answered the query of a collector (1) or not (0): then its metrics are absent',
      labels: ['collector'],
    }),
  };
}

const seconds = (time: string | null) => (time === null ? null : Date.parse(time) / 1_000);
