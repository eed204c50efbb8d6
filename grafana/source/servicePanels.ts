/**
 * What the panels of the dashboard Service are made of: PromQL on the chosen processes, charts and
 * numbers.
 */
import { timeseries } from './charts.ts';
import type { Common, Panel } from './panel.ts';
import { stat } from './tables.ts';
import { now, overTime } from './targets.ts';

/** Labels in every selector: the processes chosen in the dashboard. */
export const CHOSEN = 'job=~"$job", instance=~"$instance"';
/** The label of our jobs; `job` is a label of Prometheus. */
export const TASK = 'task';

export const all = (name: string, more = '') =>
  `${name}{${CHOSEN}${more === '' ? '' : `, ${more}`}}`;
export const rate = (name: string, more = '') => `rate(${all(name, more)}[$__rate_interval])`;
export const quantile = (q: number, name: string, by = '') =>
  `histogram_quantile(${q}, sum by (${by === '' ? 'le' : `${by}, le`}) (${rate(`${name}_bucket`)}))`;
/** A metric collected from the database: every process reports the same, so any of them will do. */
export const collected = (name: string, by: string, more = '') =>
  `max by (${by}) (${all(name, more)})`;

export const REQUESTS = 'airseries_http_requests_total';
export const SECONDS = 'airseries_http_request_duration_seconds';

type Drawn = Pick<Common, 'title' | 'description' | 'unit' | 'decimals'> & {
  queries: readonly [expr: string, legend: string][];
  w?: number;
  stacked?: boolean;
  /** Differences can be below 0. */
  signed?: true;
};

export const chart = ({ queries, w = 8, signed, ...rest }: Drawn): Panel =>
  timeseries({
    ...rest,
    w,
    h: 8,
    ...(signed ? {} : { min: 0 }),
    legend: 'table',
    targets: overTime(...queries.map(([expr, legend]) => ({ expr, legend }))),
  });

/** `noValue`: what stands there if a healthy service has no value. */
type Number = Pick<Common, 'title' | 'description' | 'unit' | 'decimals' | 'steps' | 'noValue'> & {
  expr: string;
};

export const number = ({ expr, title, ...rest }: Number): Panel =>
  stat({ ...rest, title, w: 3, h: 4, targets: now({ expr, legend: title }) });
