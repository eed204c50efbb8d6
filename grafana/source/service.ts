/**
 * Dashboard for the operator: is the service up and fast, do readings arrive, do the aggregates
 * keep up, does the disk last.
 */
import { limit, noneIsGood, someAreNeeded } from './colours.ts';
import { dashboard } from './dashboard.ts';
import type { Panel } from './panel.ts';
import { database, jobs, processes } from './serviceInside.ts';
import { all, collected, number, quantile, REQUESTS, rate, SECONDS } from './servicePanels.ts';
import { readings, requests } from './serviceTraffic.ts';
import { UNIT } from './units.ts';
import { datasource, labelValues } from './variables.ts';

/**
 * 0, if there is a process at all: an idle service has nothing to count, which is no fault of it.
 */
const NONE = `0 * sum(${all('airseries_build_info')})`;

const glance: Panel[] = [
  number({
    title: 'Processes up',
    description: 'Chosen processes that Prometheus can scrape.',
    unit: UNIT.none,
    expr: `sum(${all('up')})`,
    steps: someAreNeeded(),
  }),
  number({
    title: 'Workers',
    description:
      'Processes that run the scheduled jobs, each run in one of them. Without any, the aggregates are not updated.',
    unit: UNIT.none,
    expr: `sum(${all('airseries_worker')})`,
    steps: someAreNeeded(),
  }),
  number({
    title: 'Errors',
    description: 'Share of requests answered with a 5xx status; 0 without requests.',
    unit: UNIT.ratio,
    decimals: 2,
    expr: `(sum(${rate(REQUESTS, 'status=~"5.."')}) / (sum(${rate(REQUESTS)}) > 0)) or ${NONE}`,
    steps: limit(0.02),
  }),
  number({
    title: 'Latency, 95 %',
    description: '95 % of requests are answered within this time.',
    noValue: 'idle',
    unit: UNIT.seconds,
    expr: quantile(0.95, SECONDS),
    steps: limit(0.4),
  }),
  number({
    title: 'Newest reading',
    description:
      'Age of the newest reading of any provider, in the process that knows the oldest: its replica may be behind.',
    noValue: 'none yet',
    unit: UNIT.seconds,
    decimals: 0,
    expr: `max(time() - max by (instance) (${all('airseries_newest_reading_timestamp_seconds')}))`,
    steps: limit(10_800),
  }),
  number({
    title: 'Last refresh',
    description:
      'Time since the aggregates were last brought up to date, by the process that is furthest behind; about a minute is normal.',
    noValue: 'not yet',
    unit: UNIT.seconds,
    decimals: 0,
    expr: `max(abs(time() - ${all('airseries_refresh_last_success_timestamp_seconds')}))`,
    steps: limit(600),
  }),
  number({
    title: 'Audit differences',
    description:
      'Stored buckets that differ from the readings, as of the last audit, which is made every night. It must be 0.',
    noValue: 'not yet',
    unit: UNIT.none,
    expr: `max(${all('airseries_audit_differing_buckets')})`,
    steps: limit(1),
  }),
  number({
    title: 'Stations offline',
    description: 'Listed stations without a current reading.',
    unit: UNIT.none,
    expr: `sum(${collected('airseries_stations', 'provider', 'status="offline"')}) or ${NONE}`,
    steps: noneIsGood,
  }),
];

export const service = dashboard({
  uid: 'airseries-service',
  title: 'Service',
  description: 'Requests, readings, jobs, aggregates and the database, from Prometheus.',
  from: 'now-6h',
  variables: [
    datasource('prometheus'),
    labelValues('job', 'Job', 'label_values(airseries_build_info, job)'),
    labelValues(
      'instance',
      'Instance',
      'label_values(airseries_build_info{job=~"$job"}, instance)',
    ),
  ],
  sections: [{ panels: glance }, requests, readings, jobs, database, processes],
});
