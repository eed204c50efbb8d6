/** The service as whoever is on call sees it: is it up, is it fast, do readings come in, do the aggregates keep up, does the disk last. */
import { EPA, limit, type Step } from './colours.ts';
import { dashboard, type Section } from './dashboard.ts';
import { type Panel, stat, timeseries } from './panel.ts';
import { now, overTime } from './targets.ts';
import { UNIT, type Unit } from './units.ts';
import { datasource, labelValues } from './variables.ts';

/** What every selector begins with: the processes chosen above the dashboard. */
const CHOSEN = 'job=~"$job", instance=~"$instance"';
/** Prometheus has a label job of its own, and calls ours this. */
const TASK = 'task';

const all = (name: string, more = '') => `${name}{${CHOSEN}${more === '' ? '' : `, ${more}`}}`;
const rate = (name: string, more = '') => `rate(${all(name, more)}[$__rate_interval])`;
const quantile = (q: number, name: string, by = '') =>
  `histogram_quantile(${q}, sum by (${by === '' ? 'le' : `${by}, le`}) (${rate(`${name}_bucket`)}))`;
/** Every process tells the same of the database; the greatest is as good as any. */
const told = (name: string, by: string, more = '') => `max by (${by}) (${all(name, more)})`;

const REQUESTS = 'airseries_http_requests_total';
const SECONDS = 'airseries_http_request_duration_seconds';
const good: Step[] = [{ color: EPA.good, value: null }];

type Drawn = {
  title: string;
  description: string;
  unit: Unit;
  asked: readonly [expr: string, legend: string][];
  w?: number;
  stacked?: boolean;
  max?: number;
  decimals?: number;
};

const chart = ({ asked, w = 8, ...rest }: Drawn): Panel =>
  timeseries({
    ...rest,
    w,
    h: 8,
    min: 0,
    legend: 'table',
    targets: overTime(...asked.map(([expr, legend]) => ({ expr, legend }))),
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
    description: 'Processes that answer Prometheus, of those chosen above.',
    unit: UNIT.none,
    expr: `sum(${all('up')})`,
    steps: [
      { color: EPA.unhealthy, value: null },
      { color: EPA.good, value: 1 },
    ],
  }),
  number({
    title: 'Workers',
    description: 'Processes that do the work of the clock: one, or the aggregates stand still.',
    unit: UNIT.none,
    expr: `sum(${all('airseries_worker')})`,
    steps: [
      { color: EPA.unhealthy, value: null },
      { color: EPA.good, value: 1 },
      { color: EPA.unhealthy, value: 2 },
    ],
  }),
  number({
    title: 'Errors',
    description: 'Share of answers with a status of 500 or more.',
    unit: UNIT.ratio,
    decimals: 2,
    expr: `(sum(${rate(REQUESTS, 'status=~"5.."')}) or vector(0)) / sum(${rate(REQUESTS)})`,
    steps: limit(0.02),
  }),
  number({
    title: '95 % faster than',
    description: 'Time within which 95 of 100 requests are answered.',
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
    description: 'Time since the aggregates were last brought up to date; a minute is usual.',
    unit: UNIT.seconds,
    decimals: 0,
    expr: `abs(time() - max(${all('airseries_refresh_last_success_timestamp_seconds')}))`,
    steps: limit(600),
  }),
  number({
    title: 'Audit: differing',
    description: 'Buckets that the last audit found to differ from the readings. Anything but 0 is a fault.',
    unit: UNIT.none,
    expr: `max(${all('airseries_audit_differing_buckets')})`,
    steps: limit(1),
  }),
  number({
    title: 'Stations offline',
    description: 'Listed stations without a reading that is not stale.',
    unit: UNIT.none,
    expr: `sum(${told('airseries_stations', 'provider', 'status="offline"')})`,
    steps: [...good, { color: EPA.sensitive, value: 1 }],
  }),
];

const SECTIONS: Section[] = [
  { panels: glance },
  {
    heading: 'Requests',
    panels: [
      chart({
        title: 'Requests by status',
        description: 'Answers per second by HTTP status, at all doors.',
        unit: UNIT.requests,
        stacked: true,
        asked: [[`sum by (status) (${rate(REQUESTS)})`, '{{status}}']],
      }),
      chart({
        title: 'Requests by route',
        description: 'Answers per second by the pattern of the path.',
        unit: UNIT.requests,
        stacked: true,
        asked: [[`sum by (route) (${rate(REQUESTS)})`, '{{route}}']],
      }),
      chart({
        title: 'Error ratio',
        description: 'Share of answers with a status of 500 or more, by route. The alert is at 2 % of all.',
        unit: UNIT.ratio,
        asked: [
          [`sum by (route) (${rate(REQUESTS, 'status=~"5.."')}) / sum by (route) (${rate(REQUESTS)})`, '{{route}}'],
        ],
      }),
      chart({
        title: 'Latency',
        description: 'Time within which half, 95 and 99 of 100 requests are answered. The alert is at 0.5 s for 95.',
        unit: UNIT.seconds,
        asked: [
          [quantile(0.5, SECONDS), 'half'],
          [quantile(0.95, SECONDS), '95 %'],
          [quantile(0.99, SECONDS), '99 %'],
        ],
      }),
      chart({
        title: 'Latency by route',
        description: 'Time within which 95 of 100 requests of each route are answered.',
        unit: UNIT.seconds,
        asked: [[quantile(0.95, SECONDS, 'route'), '{{route}}']],
      }),
      chart({
        title: 'Being answered',
        description: 'Requests that are being answered at the moment, by server.',
        unit: UNIT.none,
        asked: [[`sum by (server) (${all('airseries_http_requests_in_flight')})`, '{{server}}']],
      }),
      chart({
        title: 'Bytes sent',
        description: 'Bytes of the bodies of answers per second, by route.',
        unit: UNIT.bytesPerSecond,
        stacked: true,
        w: 12,
        asked: [[`sum by (route) (${rate('airseries_http_response_bytes_total')})`, '{{route}}']],
      }),
      chart({
        title: 'What clients had',
        description:
          'Answers per second to clients with nothing to compare (none), with something else (other), and with the same (304 Not Modified).',
        unit: UNIT.requests,
        stacked: true,
        w: 12,
        asked: [[`sum by (outcome) (${rate('airseries_http_cache_total')})`, '{{outcome}}']],
      }),
    ],
  },
  {
    heading: 'Readings',
    panels: [
      chart({
        title: 'Readings by outcome',
        description: 'Readings per second that came in over HTTP or were pulled: accepted, unchanged, quarantined.',
        unit: UNIT.perSecond,
        stacked: true,
        asked: [[`sum by (outcome) (${rate('airseries_readings_total')})`, '{{outcome}}']],
      }),
      chart({
        title: 'Accepted by provider',
        description: 'Accepted readings per second, by provider.',
        unit: UNIT.perSecond,
        stacked: true,
        asked: [[`sum by (provider) (${rate('airseries_readings_total', 'outcome="accepted"')})`, '{{provider}}']],
      }),
      chart({
        title: 'Quarantined by reason',
        description:
          'Readings per second that could not be used, by reason, and lines that were not recorded because their provider has too much in quarantine.',
        unit: UNIT.perSecond,
        stacked: true,
        asked: [
          [`sum by (reason) (${rate('airseries_quarantined_readings_total')})`, '{{reason}}'],
          [`sum by (provider) (${rate('airseries_quarantine_left_out_total')})`, 'not recorded: {{provider}}'],
        ],
      }),
      chart({
        title: 'Age of the newest reading',
        description:
          'By provider. Some are late by nature; a line that climbs without end is a provider that went offline.',
        unit: UNIT.seconds,
        asked: [[told('airseries_newest_reading_age_seconds', 'provider'), '{{provider}}']],
      }),
      chart({
        title: 'Stations',
        description: 'Listed stations by provider and status.',
        unit: UNIT.none,
        stacked: true,
        asked: [[told('airseries_stations', 'provider, status'), '{{provider}} {{status}}']],
      }),
      chart({
        title: 'Waiting in quarantine',
        description:
          'Whole readings in quarantine by reason: `quarantine list` shows them, `quarantine retry` tries them again.',
        unit: UNIT.none,
        stacked: true,
        asked: [[told('airseries_quarantine_lines', 'reason'), '{{reason}}']],
      }),
      chart({
        title: 'Delay of readings',
        description: 'Time from measurement to acceptance of half and of 95 of 100 accepted readings.',
        unit: UNIT.seconds,
        w: 12,
        asked: [
          [quantile(0.5, 'airseries_reading_delay_seconds'), 'half'],
          [quantile(0.95, 'airseries_reading_delay_seconds'), '95 %'],
        ],
      }),
      chart({
        title: 'Late hours',
        description: 'Closed hours per second that accepted readings touched, and that are computed anew for it.',
        unit: UNIT.perSecond,
        w: 12,
        asked: [[`sum(${rate('airseries_late_buckets_total')})`, 'late hours']],
      }),
    ],
  },
  {
    heading: 'Work',
    panels: [
      chart({
        title: 'Refresh',
        description: 'Time to bring the aggregates up to date: half and 95 of 100 times.',
        unit: UNIT.seconds,
        asked: [
          [quantile(0.5, 'airseries_refresh_duration_seconds'), 'half'],
          [quantile(0.95, 'airseries_refresh_duration_seconds'), '95 %'],
        ],
      }),
      chart({
        title: 'Age of the newest bucket',
        description:
          'From the start of the newest bucket of each aggregate: up to two hours, two days and two months are usual.',
        unit: UNIT.seconds,
        asked: [[told('airseries_newest_bucket_age_seconds', 'subject, resolution'), '{{subject}} {{resolution}}']],
      }),
      chart({
        title: 'Since the last success of each job',
        description: 'By job, in the process that works. The alert is on failures.',
        unit: UNIT.seconds,
        asked: [
          [`abs(time() - max by (${TASK}) (${all('airseries_job_last_success_timestamp_seconds')}))`, `{{${TASK}}}`],
        ],
      }),
      chart({
        title: 'Runs of jobs',
        description: 'Runs per second, by job.',
        unit: UNIT.perSecond,
        stacked: true,
        asked: [[`sum by (${TASK}) (${rate('airseries_job_runs_total')})`, `{{${TASK}}}`]],
      }),
      chart({
        title: 'Failed runs',
        description:
          'Failed runs per second, by job, and nights on which retention would have deleted too much: the log of the worker says why.',
        unit: UNIT.perSecond,
        stacked: true,
        asked: [
          [`sum by (${TASK}) (${rate('airseries_job_failures_total')})`, `{{${TASK}}}`],
          [`sum(${rate('airseries_retention_refusals_total')})`, 'retention refused'],
        ],
      }),
      chart({
        title: 'Duration of jobs',
        description: 'Time within which 95 of 100 runs of each job ended.',
        unit: UNIT.seconds,
        asked: [[quantile(0.95, 'airseries_job_duration_seconds', TASK), `{{${TASK}}}`]],
      }),
      chart({
        title: 'Since the last audit',
        description: 'The audit compares every stored aggregate of the last 35 days with the readings, once a night.',
        unit: UNIT.seconds,
        w: 12,
        asked: [[`abs(time() - max(${all('airseries_audit_last_success_timestamp_seconds')}))`, 'last audit']],
      }),
      chart({
        title: 'Collectors of the database',
        description:
          'Whether the database answers in time what metrics are collected from it: 1, or 0, and then those metrics are absent.',
        unit: UNIT.none,
        w: 12,
        asked: [[`min by (collector) (${all('airseries_database_collector_success')})`, '{{collector}}']],
      }),
    ],
  },
  {
    heading: 'Database',
    panels: [
      chart({
        title: 'Connections',
        description: 'Database connections that are working, by pool.',
        unit: UNIT.none,
        stacked: true,
        asked: [[`sum by (pool) (${all('airseries_database_pool_in_use')})`, '{{pool}}']],
      }),
      chart({
        title: 'Waiting for a connection',
        description:
          'Questions that wait for one, by pool: anything lasting means the database is too slow or the pool too small.',
        unit: UNIT.none,
        stacked: true,
        asked: [[`sum by (pool) (${all('airseries_database_pool_waiting')})`, '{{pool}}']],
      }),
      chart({
        title: 'Queries',
        description: 'Time within which 95 of 100 questions were answered, by what was asked.',
        unit: UNIT.seconds,
        asked: [[quantile(0.95, 'airseries_database_query_duration_seconds', 'query'), '{{query}}']],
      }),
      chart({
        title: 'Size on disk',
        description: 'Space of each schema with indexes and compressed parts.',
        unit: UNIT.bytes,
        stacked: true,
        w: 12,
        asked: [[told('airseries_database_size_bytes', 'schema'), '{{schema}}']],
      }),
      chart({
        title: 'Growth in a day',
        description: 'Size now less that of a day ago, by schema.',
        unit: UNIT.bytes,
        w: 12,
        asked: [
          [
            `${told('airseries_database_size_bytes', 'schema')} - max by (schema) (${all('airseries_database_size_bytes')} offset 1d)`,
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
        title: 'Processor',
        description: 'Cores in use, by process.',
        unit: UNIT.none,
        decimals: 2,
        asked: [[`sum by (instance) (${rate('process_cpu_seconds_total')})`, '{{instance}}']],
      }),
      chart({
        title: 'Memory',
        description: 'Resident memory, by process.',
        unit: UNIT.bytes,
        asked: [[`sum by (instance) (${all('process_resident_memory_bytes')})`, '{{instance}}']],
      }),
      chart({
        title: 'Event loop',
        description:
          'How late the event loop of a process is, 99 of 100 times: above some tenths of a second requests wait for it.',
        unit: UNIT.seconds,
        asked: [[`max by (instance) (${all('nodejs_eventloop_lag_p99_seconds')})`, '{{instance}}']],
      }),
      chart({
        title: 'Versions',
        description: 'The version of the service and of Node that each process runs, and the engine of its database.',
        unit: UNIT.none,
        w: 12,
        asked: [
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
        asked: [[`time() - max by (instance) (${all('process_start_time_seconds')})`, '{{instance}}']],
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
