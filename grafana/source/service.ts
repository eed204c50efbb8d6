/** Dashboard for the operator: is the service up and fast, do readings arrive, do the aggregates keep up, does the disk last. */
import { timeseries } from './charts.ts';
import { EPA, fromGood, fromNone, limit, type Step } from './colours.ts';
import { dashboard, type Section } from './dashboard.ts';
import type { Panel } from './panel.ts';
import { stat } from './tables.ts';
import { now, overTime } from './targets.ts';
import { UNIT, type Unit } from './units.ts';
import { datasource, labelValues } from './variables.ts';

/** Labels in every selector: the processes chosen in the dashboard. */
const CHOSEN = 'job=~"$job", instance=~"$instance"';
/** The label of our jobs; `job` is a label of Prometheus. */
const TASK = 'task';

const all = (name: string, more = '') => `${name}{${CHOSEN}${more === '' ? '' : `, ${more}`}}`;
const rate = (name: string, more = '') => `rate(${all(name, more)}[$__rate_interval])`;
const quantile = (q: number, name: string, by = '') =>
  `histogram_quantile(${q}, sum by (${by === '' ? 'le' : `${by}, le`}) (${rate(`${name}_bucket`)}))`;
/** A metric collected from the database: every process reports the same, so any of them will do. */
const collected = (name: string, by: string, more = '') => `max by (${by}) (${all(name, more)})`;

const REQUESTS = 'airseries_http_requests_total';
const SECONDS = 'airseries_http_request_duration_seconds';

type Drawn = {
  title: string;
  description: string;
  unit: Unit;
  queries: readonly [expr: string, legend: string][];
  w?: number;
  stacked?: boolean;
  max?: number;
  decimals?: number;
  /** Differences can be below 0. */
  signed?: true;
};

const chart = ({ queries, w = 8, signed, ...rest }: Drawn): Panel =>
  timeseries({
    ...rest,
    w,
    h: 8,
    ...(signed ? {} : { min: 0 }),
    legend: 'table',
    targets: overTime(...queries.map(([expr, legend]) => ({ expr, legend }))),
  });

type Number = {
  title: string;
  description: string;
  unit: Unit;
  expr: string;
  steps: readonly Step[];
  decimals?: number;
};

const number = ({ expr, title, ...rest }: Number): Panel =>
  stat({ ...rest, title, w: 3, h: 4, show: 'background', targets: now({ expr, legend: title }) });

const glance: Panel[] = [
  number({
    title: 'Processes up',
    description: 'Chosen processes that Prometheus can scrape.',
    unit: UNIT.none,
    expr: `sum(${all('up')})`,
    steps: fromNone({ color: EPA.good, value: 1 }),
  }),
  number({
    title: 'Workers',
    description: 'Processes that run the scheduled jobs. It must be 1: without one, the aggregates are not updated.',
    unit: UNIT.none,
    expr: `sum(${all('airseries_worker')})`,
    steps: fromNone({ color: EPA.good, value: 1 }, { color: EPA.unhealthy, value: 2 }),
  }),
  number({
    title: 'Errors',
    description: 'Share of requests answered with a 5xx status.',
    unit: UNIT.ratio,
    decimals: 2,
    expr: `(sum(${rate(REQUESTS, 'status=~"5.."')}) or vector(0)) / sum(${rate(REQUESTS)})`,
    steps: limit(0.02),
  }),
  number({
    title: 'Latency, 95th percentile',
    description: '95 % of requests are answered within this time.',
    unit: UNIT.seconds,
    expr: quantile(0.95, SECONDS),
    steps: limit(0.5),
  }),
  number({
    title: 'Newest reading',
    description: 'Age of the newest reading of any provider.',
    unit: UNIT.seconds,
    decimals: 0,
    expr: `min(${all('airseries_newest_reading_age_seconds')})`,
    steps: limit(10_800),
  }),
  number({
    title: 'Aggregates behind by',
    description: 'Time since the aggregates were last brought up to date; about a minute is normal.',
    unit: UNIT.seconds,
    decimals: 0,
    expr: `abs(time() - max(${all('airseries_refresh_last_success_timestamp_seconds')}))`,
    steps: limit(600),
  }),
  number({
    title: 'Audit differences',
    description: 'Stored buckets that differ from the readings, as of the last audit. It must be 0.',
    unit: UNIT.none,
    expr: `max(${all('airseries_audit_differing_buckets')})`,
    steps: limit(1),
  }),
  number({
    title: 'Stations offline',
    description: 'Listed stations without a current reading.',
    unit: UNIT.none,
    expr: `sum(${collected('airseries_stations', 'provider', 'status="offline"')})`,
    steps: fromGood({ color: EPA.sensitive, value: 1 }),
  }),
];

const SECTIONS: Section[] = [
  { panels: glance },
  {
    heading: 'Requests',
    panels: [
      chart({
        title: 'Requests by status',
        description: 'Responses per second by HTTP status, on all servers.',
        unit: UNIT.requests,
        stacked: true,
        queries: [[`sum by (status) (${rate(REQUESTS)})`, '{{status}}']],
      }),
      chart({
        title: 'Requests by route',
        description: 'Responses per second by path pattern.',
        unit: UNIT.requests,
        stacked: true,
        queries: [[`sum by (route) (${rate(REQUESTS)})`, '{{route}}']],
      }),
      chart({
        title: 'Error ratio',
        description:
          'Share of requests answered with a 5xx status, by route. The alert fires above 2 % over all routes.',
        unit: UNIT.ratio,
        queries: [
          [`sum by (route) (${rate(REQUESTS, 'status=~"5.."')}) / sum by (route) (${rate(REQUESTS)})`, '{{route}}'],
        ],
      }),
      chart({
        title: 'Latency',
        description:
          'Median, 95th and 99th percentile of the response time. The alert fires when the 95th exceeds 0.5 s.',
        unit: UNIT.seconds,
        queries: [
          [quantile(0.5, SECONDS), 'median'],
          [quantile(0.95, SECONDS), '95 %'],
          [quantile(0.99, SECONDS), '99 %'],
        ],
      }),
      chart({
        title: 'Latency by route',
        description: '95th percentile of the response time, by route.',
        unit: UNIT.seconds,
        queries: [[quantile(0.95, SECONDS, 'route'), '{{route}}']],
      }),
      chart({
        title: 'Requests in flight',
        description: 'Requests being answered at the moment, by server.',
        unit: UNIT.none,
        queries: [[`sum by (server) (${all('airseries_http_requests_in_flight')})`, '{{server}}']],
      }),
      chart({
        title: 'Bytes sent',
        description: 'Bytes of response bodies per second, by route.',
        unit: UNIT.bytesPerSecond,
        stacked: true,
        w: 12,
        queries: [[`sum by (route) (${rate('airseries_http_response_bytes_total')})`, '{{route}}']],
      }),
      chart({
        title: 'Client caches',
        description:
          'Responses per second by what the client had cached: nothing (none), another version (other), or the same one (304 Not Modified).',
        unit: UNIT.requests,
        stacked: true,
        w: 12,
        queries: [[`sum by (outcome) (${rate('airseries_http_cache_total')})`, '{{outcome}}']],
      }),
    ],
  },
  {
    heading: 'Readings',
    panels: [
      chart({
        title: 'Readings by outcome',
        description: 'Readings per second, pushed over HTTP or pulled: accepted, unchanged, quarantined.',
        unit: UNIT.perSecond,
        stacked: true,
        queries: [[`sum by (outcome) (${rate('airseries_readings_total')})`, '{{outcome}}']],
      }),
      chart({
        title: 'Accepted by provider',
        description: 'Accepted readings per second, by provider.',
        unit: UNIT.perSecond,
        stacked: true,
        queries: [[`sum by (provider) (${rate('airseries_readings_total', 'outcome="accepted"')})`, '{{provider}}']],
      }),
      chart({
        title: 'Quarantined by reason',
        description:
          'Rejected readings per second, by reason, and lines not recorded because the quarantine of their provider is full.',
        unit: UNIT.perSecond,
        stacked: true,
        queries: [
          [`sum by (reason) (${rate('airseries_quarantined_readings_total')})`, '{{reason}}'],
          [`sum by (provider) (${rate('airseries_quarantine_left_out_total')})`, 'not recorded: {{provider}}'],
        ],
      }),
      chart({
        title: 'Age of the newest reading',
        description: 'By provider. Some always send late; a line that keeps climbing is a provider that went offline.',
        unit: UNIT.seconds,
        queries: [[collected('airseries_newest_reading_age_seconds', 'provider'), '{{provider}}']],
      }),
      chart({
        title: 'Stations',
        description: 'Listed stations by provider and status.',
        unit: UNIT.none,
        stacked: true,
        queries: [[collected('airseries_stations', 'provider, status'), '{{provider}} {{status}}']],
      }),
      chart({
        title: 'Readings in quarantine',
        description:
          'Complete readings in quarantine, by reason: `quarantine list` shows them, `quarantine retry` tries them again.',
        unit: UNIT.none,
        stacked: true,
        queries: [[collected('airseries_quarantine_lines', 'reason'), '{{reason}}']],
      }),
      chart({
        title: 'Delay of readings',
        description: 'Time from measurement to acceptance: median and 95th percentile of the accepted readings.',
        unit: UNIT.seconds,
        w: 12,
        queries: [
          [quantile(0.5, 'airseries_reading_delay_seconds'), 'median'],
          [quantile(0.95, 'airseries_reading_delay_seconds'), '95 %'],
        ],
      }),
      chart({
        title: 'Recomputed hours',
        description: 'Closed hours per second that are recomputed because late readings were accepted.',
        unit: UNIT.perSecond,
        w: 12,
        queries: [[`sum(${rate('airseries_late_buckets_total')})`, 'late hours']],
      }),
    ],
  },
  {
    heading: 'Jobs',
    panels: [
      chart({
        title: 'Refresh',
        description: 'Time to bring the aggregates up to date: median and 95th percentile.',
        unit: UNIT.seconds,
        queries: [
          [quantile(0.5, 'airseries_refresh_duration_seconds'), 'median'],
          [quantile(0.95, 'airseries_refresh_duration_seconds'), '95 %'],
        ],
      }),
      chart({
        title: 'Age of the newest bucket',
        description:
          'Time since the start of the newest bucket of each aggregate: up to two hours, two days and two months are normal.',
        unit: UNIT.seconds,
        queries: [
          [collected('airseries_newest_bucket_age_seconds', 'subject, resolution'), '{{subject}} {{resolution}}'],
        ],
      }),
      chart({
        title: 'Time since the last success',
        description: 'By job, in the worker. The alert is on failures.',
        unit: UNIT.seconds,
        queries: [
          [`abs(time() - max by (${TASK}) (${all('airseries_job_last_success_timestamp_seconds')}))`, `{{${TASK}}}`],
        ],
      }),
      chart({
        title: 'Job runs',
        description: 'Runs per second, by job.',
        unit: UNIT.perSecond,
        stacked: true,
        queries: [[`sum by (${TASK}) (${rate('airseries_job_runs_total')})`, `{{${TASK}}}`]],
      }),
      chart({
        title: 'Failed runs',
        description:
          'Failed runs per second, by job, and runs of retention that refused to delete too much at once: the log of the worker says why.',
        unit: UNIT.perSecond,
        stacked: true,
        queries: [
          [`sum by (${TASK}) (${rate('airseries_job_failures_total')})`, `{{${TASK}}}`],
          [`sum(${rate('airseries_retention_refusals_total')})`, 'retention refused'],
        ],
      }),
      chart({
        title: 'Job duration',
        description: '95th percentile of the duration, by job.',
        unit: UNIT.seconds,
        queries: [[quantile(0.95, 'airseries_job_duration_seconds', TASK), `{{${TASK}}}`]],
      }),
      chart({
        title: 'Time since the last audit',
        description:
          'Every night, the audit recomputes the aggregates of the last 35 days from the readings and compares.',
        unit: UNIT.seconds,
        w: 12,
        queries: [[`abs(time() - max(${all('airseries_audit_last_success_timestamp_seconds')}))`, 'last audit']],
      }),
      chart({
        title: 'Database collectors',
        description:
          'Whether the query of each collector was answered in time: 1, or 0, in which case its metrics are absent.',
        unit: UNIT.none,
        w: 12,
        queries: [[`min by (collector) (${all('airseries_database_collector_success')})`, '{{collector}}']],
      }),
    ],
  },
  {
    heading: 'Database',
    panels: [
      chart({
        title: 'Connections',
        description: 'Database connections in use, by pool.',
        unit: UNIT.none,
        stacked: true,
        queries: [[`sum by (pool) (${all('airseries_database_pool_in_use')})`, '{{pool}}']],
      }),
      chart({
        title: 'Waiting for a connection',
        description:
          'Statements waiting for a connection, by pool. If this lasts, the database is too slow or the pool too small.',
        unit: UNIT.none,
        stacked: true,
        queries: [[`sum by (pool) (${all('airseries_database_pool_waiting')})`, '{{pool}}']],
      }),
      chart({
        title: 'Queries',
        description: '95th percentile of the query time, by the relation or function queried.',
        unit: UNIT.seconds,
        queries: [[quantile(0.95, 'airseries_database_query_duration_seconds', 'query'), '{{query}}']],
      }),
      chart({
        title: 'Size on disk',
        description: 'Size of each schema, including indexes and compressed chunks.',
        unit: UNIT.bytes,
        stacked: true,
        w: 12,
        queries: [[collected('airseries_database_size_bytes', 'schema'), '{{schema}}']],
      }),
      chart({
        title: 'Growth per day',
        description:
          'Size now minus the size a day ago, by schema; below 0 where compression or retention freed more than arrived.',
        signed: true,
        unit: UNIT.bytes,
        w: 12,
        queries: [
          [
            `${collected('airseries_database_size_bytes', 'schema')} - max by (schema) (${all('airseries_database_size_bytes')} offset 1d)`,
            '{{schema}}',
          ],
        ],
      }),
    ],
  },
  {
    heading: 'Processes',
    panels: [
      chart({
        title: 'CPU',
        description: 'Cores in use, by process.',
        unit: UNIT.none,
        decimals: 2,
        queries: [[`sum by (instance) (${rate('process_cpu_seconds_total')})`, '{{instance}}']],
      }),
      chart({
        title: 'Memory',
        description: 'Resident memory, by process.',
        unit: UNIT.bytes,
        queries: [[`sum by (instance) (${all('process_resident_memory_bytes')})`, '{{instance}}']],
      }),
      chart({
        title: 'Event loop lag',
        description:
          '99th percentile of the event loop lag, by process. Above a few tenths of a second, requests wait.',
        unit: UNIT.seconds,
        queries: [[`max by (instance) (${all('nodejs_eventloop_lag_p99_seconds')})`, '{{instance}}']],
      }),
      chart({
        title: 'Versions',
        description: 'The version of the service and of Node that each process runs, and the engine of its database.',
        unit: UNIT.none,
        w: 12,
        queries: [
          [
            `sum by (instance, version, node, engine) (${all('airseries_build_info')})`,
            '{{instance}}: {{version}}, Node {{node}}, {{engine}}',
          ],
        ],
      }),
      chart({
        title: 'Uptime',
        description: 'Time since each process started.',
        unit: UNIT.seconds,
        w: 12,
        queries: [[`time() - max by (instance) (${all('process_start_time_seconds')})`, '{{instance}}']],
      }),
    ],
  },
];

export const service = dashboard({
  uid: 'airseries-service',
  title: 'Service',
  description: 'Requests, readings, jobs, aggregates and the database, from Prometheus.',
  from: 'now-6h',
  variables: [
    datasource('prometheus'),
    labelValues('job', 'Job', 'label_values(airseries_build_info, job)'),
    labelValues('instance', 'Instance', 'label_values(airseries_build_info{job=~"$job"}, instance)'),
  ],
  sections: SECTIONS,
});
