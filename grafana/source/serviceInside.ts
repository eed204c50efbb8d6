/** What the service does and needs: jobs and aggregates, the database, its processes. */
import type { Section } from './dashboard.ts';
import { all, chart, collected, quantile, rate, TASK } from './servicePanels.ts';
import { UNIT } from './units.ts';

export const jobs: Section = {
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
        [
          `max by (subject, resolution) (time() - ${all('airseries_newest_bucket_timestamp_seconds')})`,
          '{{subject}} {{resolution}}',
        ],
      ],
    }),
    chart({
      title: 'Time since the last success',
      description:
        'By job, in the worker, and since its last failure. A job that failed since it succeeded is an alert. Backfill: since no older change waited for a refresh; it grows while a backfill is being worked off.',
      unit: UNIT.seconds,
      queries: [
        [
          `abs(time() - max by (${TASK}) (${all('airseries_job_last_success_timestamp_seconds')}))`,
          `{{${TASK}}}`,
        ],
        [`max(time() - ${all('airseries_refresh_complete_timestamp_seconds')})`, 'backfill'],
        [
          `abs(time() - max by (${TASK}) (${all('airseries_job_last_failure_timestamp_seconds')}))`,
          `{{${TASK}}} failed`,
        ],
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
      description: 'Failed runs per second, by job: the log of the worker says why.',
      unit: UNIT.perSecond,
      stacked: true,
      queries: [[`sum by (${TASK}) (${rate('airseries_job_failures_total')})`, `{{${TASK}}}`]],
    }),
    chart({
      title: 'Job duration',
      description: '95th percentile of the duration, by job.',
      unit: UNIT.seconds,
      queries: [[quantile(0.95, 'airseries_job_duration_seconds', TASK), `{{${TASK}}}`]],
    }),
    chart({
      title: 'Time since the last digest and audit',
      description:
        'A digest of the values of all regions is made every five minutes. Every night, the audit recomputes the aggregates of the last 35 days from the readings and compares.',
      unit: UNIT.seconds,
      w: 12,
      queries: [
        [`max(abs(time() - ${all('airseries_newest_digest_timestamp_seconds')}))`, 'digest'],
        [`max(abs(time() - ${all('airseries_audit_last_success_timestamp_seconds')}))`, 'audit'],
      ],
    }),
    chart({
      title: 'Kept hours missing',
      description:
        'Sensor hours that were kept when retention deleted their readings, and have been deleted since. Nothing computes them again. It must be 0.',
      unit: UNIT.none,
      w: 12,
      queries: [[`max(${all('airseries_kept_buckets_missing')})`, 'missing']],
    }),
    chart({
      title: 'Time zone',
      description:
        "1: a change of the server's rules of the time zone is refused. Looked at when the worker starts and each night.",
      unit: UNIT.none,
      w: 12,
      queries: [[`max by (with) (${all('airseries_time_zone_conflict')})`, '{{with}}']],
    }),
    chart({
      title: 'Database collectors',
      description:
        'Whether the query of each collector was answered in time: 1, or 0, in which case its metrics are absent.',
      unit: UNIT.none,
      w: 12,
      queries: [
        [`min by (collector) (${all('airseries_database_collector_success')})`, '{{collector}}'],
      ],
    }),
    chart({
      title: 'Changes of history',
      description:
        'A spike where processes of the API found another history in the database: a replica was promoted, the server knows less than before (set_back), or it is another one (replaced). Readings may be lost each time.',
      unit: UNIT.none,
      w: 12,
      queries: [
        [`max by (change) (${rate('airseries_database_history_changes_total')})`, '{{change}}'],
      ],
    }),
  ],
};

export const database: Section = {
  heading: 'Database',
  panels: [
    chart({
      title: 'Connections',
      description: 'Database connections in use, by pool, and how many there may be.',
      unit: UNIT.none,
      queries: [
        [`sum by (pool) (${all('airseries_database_pool_in_use')})`, '{{pool}}'],
        [`sum by (pool) (${all('airseries_database_pool_size')})`, '{{pool}}, at most'],
      ],
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
      title: 'Wait for a connection',
      description:
        '95th percentile of the time that statements waited for a database connection, by pool.',
      unit: UNIT.seconds,
      queries: [
        [quantile(0.95, 'airseries_database_pool_wait_duration_seconds', 'pool'), '{{pool}}'],
      ],
    }),
    chart({
      title: 'Queries',
      description: '95th percentile of the query time, by the relation or function queried.',
      unit: UNIT.seconds,
      w: 12,
      queries: [
        [quantile(0.95, 'airseries_database_query_duration_seconds', 'query'), '{{query}}'],
      ],
    }),
    chart({
      title: 'Free disk space',
      description: 'On the disk of the embedded server. No data for any other database.',
      unit: UNIT.bytes,
      w: 12,
      queries: [[`min by (instance) (${all('airseries_disk_free_bytes')})`, '{{instance}}']],
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
      w: 24,
      queries: [
        [
          `${collected('airseries_database_size_bytes', 'schema')} - max by (schema) (${all('airseries_database_size_bytes')} offset 1d)`,
          '{{schema}}',
        ],
      ],
    }),
  ],
};

export const processes: Section = {
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
      description:
        'The version of the service and of Node that each process runs, and the engine of its database.',
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
      queries: [
        [`time() - max by (instance) (${all('process_start_time_seconds')})`, '{{instance}}'],
      ],
    }),
  ],
};
