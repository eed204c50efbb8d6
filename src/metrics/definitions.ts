/**
 * Every metric of ours: what it is called, what it counts, how it is labelled. The registry and the README's table are made from this,
 * and dashboards and alerts are checked against it. Base units; labels have few values whatever anybody sends.
 */

export type MetricEntry = {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
};

const REQUEST_SECONDS = [0.025, 0.1, 0.5, 2.5, 10] as const;
const WORK_SECONDS = [0.1, 1, 10, 60] as const;
const HOUR = 3_600;

export const DEFINITIONS_OF_METRICS = [
  {
    name: 'airseries_build_info',
    type: 'gauge',
    help: 'Always 1: the version of the service, of Node, and how the database keeps its data',
    labels: ['version', 'node', 'engine'],
  },
  {
    name: 'airseries_worker',
    type: 'gauge',
    help: 'Whether this process does the work that is done by the clock (1) or not (0)',
    labels: [],
  },
  {
    name: 'airseries_http_requests_total',
    type: 'counter',
    help: 'Requests by pattern of their path; status aborted: the client left before its answer',
    labels: ['route', 'method', 'status'],
  },
  {
    name: 'airseries_http_request_duration_seconds',
    type: 'histogram',
    help: 'Time to answer a request that the path is for; status as its class: 2xx, 3xx, 4xx, 5xx, aborted',
    labels: ['route', 'method', 'status'],
    buckets: REQUEST_SECONDS,
  },
  {
    name: 'airseries_http_requests_in_flight',
    type: 'gauge',
    help: 'Requests that are being answered',
    labels: ['door'],
  },
  {
    name: 'airseries_http_response_bytes_total',
    type: 'counter',
    help: 'Bytes of the bodies of answers',
    labels: ['route'],
  },
  {
    name: 'airseries_http_cache_total',
    type: 'counter',
    help: 'Answers by what the client had: nothing to compare, something else, or the same (304)',
    labels: ['outcome'],
  },
  {
    name: 'airseries_readings_total',
    type: 'counter',
    help: 'Readings that came in over HTTP or were pulled: accepted, unchanged, quarantined',
    labels: ['provider', 'outcome'],
  },
  {
    name: 'airseries_quarantined_readings_total',
    type: 'counter',
    help: 'Readings that could not be used, by reason',
    labels: ['reason'],
  },
  {
    name: 'airseries_quarantine_left_out_total',
    type: 'counter',
    help: 'Lines that were not recorded in quarantine, because their provider has too much there',
    labels: ['provider'],
  },
  {
    name: 'airseries_reading_delay_seconds',
    type: 'histogram',
    help: 'Time from the measurement of an accepted reading to its acceptance',
    labels: [],
    buckets: [60, 300, 0.5 * HOUR, 3 * HOUR, 24 * HOUR, 7 * 24 * HOUR],
  },
  {
    name: 'airseries_late_buckets_total',
    type: 'counter',
    help: 'Closed hours that accepted readings touched, and that are computed anew for it; counted for each batch',
    labels: [],
  },
  {
    name: 'airseries_newest_reading_age_seconds',
    type: 'gauge',
    help: 'Age of the newest reading of a provider; absent for one that never sent any',
    labels: ['provider'],
  },
  {
    name: 'airseries_stations',
    type: 'gauge',
    help: 'Listed stations: online, offline',
    labels: ['provider', 'status'],
  },
  {
    name: 'airseries_quarantine_lines',
    type: 'gauge',
    help: 'Whole readings waiting in quarantine, by reason',
    labels: ['reason'],
  },
  {
    name: 'airseries_refresh_duration_seconds',
    type: 'histogram',
    help: 'Time to bring the aggregates up to date',
    labels: [],
    buckets: WORK_SECONDS,
  },
  {
    name: 'airseries_refresh_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When the aggregates were last brought up to date, by any process',
    labels: [],
  },
  {
    name: 'airseries_newest_bucket_age_seconds',
    type: 'gauge',
    help: 'Age of the start of the newest bucket of an aggregate',
    labels: ['place', 'grain'],
  },
  {
    name: 'airseries_audit_differing_buckets',
    type: 'gauge',
    help: 'Buckets that the last audit found to differ from the readings',
    labels: [],
  },
  {
    name: 'airseries_audit_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When the last audit was made',
    labels: [],
  },
  {
    name: 'airseries_untold',
    type: 'gauge',
    help: 'Whether the database failed to answer what a metric of it needs (1): then that metric is absent',
    labels: ['question'],
  },
  { name: 'airseries_job_runs_total', type: 'counter', help: 'Runs of a job', labels: ['task'] },
  { name: 'airseries_job_failures_total', type: 'counter', help: 'Runs of a job that failed', labels: ['task'] },
  {
    name: 'airseries_job_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a job last succeeded in this process',
    labels: ['task'],
  },
  {
    name: 'airseries_job_duration_seconds',
    type: 'histogram',
    help: 'Time a run of a job took',
    labels: ['task'],
    buckets: WORK_SECONDS,
  },
  {
    name: 'airseries_retention_refusals_total',
    type: 'counter',
    help: 'Nights on which RAW_RETENTION would have deleted more than two months of readings at once, and deleted none',
    labels: [],
  },
  {
    name: 'airseries_database_pool_in_use',
    type: 'gauge',
    help: 'Database connections that are working',
    labels: ['pool'],
  },
  {
    name: 'airseries_database_pool_waiting',
    type: 'gauge',
    help: 'Questions that wait for a database connection',
    labels: ['pool'],
  },
  {
    name: 'airseries_database_query_duration_seconds',
    type: 'histogram',
    help: 'Time the database took to answer, by the relation or function that was asked',
    labels: ['query'],
    buckets: REQUEST_SECONDS,
  },
  {
    name: 'airseries_database_size_bytes',
    type: 'gauge',
    help: 'Space on disk of a schema, its indexes and compressed parts included',
    labels: ['schema'],
  },
] as const satisfies readonly MetricEntry[];

export type MetricName = (typeof DEFINITIONS_OF_METRICS)[number]['name'];
