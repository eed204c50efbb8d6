/**
 * Parses PromQL with the parser of Prometheus' own editor, and reports metrics and labels that do
 * not exist.
 */
import { parser } from '@prometheus-io/lezer-promql';
import { DEFINITIONS } from '../metrics/metricsTable.ts';

export type Parsed = { faulty: boolean; metrics: string[]; labels: string[]; rates: string[] };

/** Replaces Grafana's variables with sample values before parsing. */
export function parsePromql(expr: string): Parsed {
  const text = expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.+');
  const parsed: Parsed = { faulty: false, metrics: [], labels: [], rates: [] };
  parser.parse(text).iterate({
    enter({ name, type, from, to, node }) {
      const word = text.slice(from, to);
      if (type.isError) parsed.faulty = true;
      if (name === 'Identifier') parsed.metrics.push(word);
      if (name === 'LabelName') parsed.labels.push(word);
      if (name === 'MatrixSelector' && node.parent?.parent !== null) parsed.rates.push(word);
    },
  });
  return parsed;
}

/** Metrics of prom-client and Prometheus that the dashboards use. */
const STANDARD = [
  'up',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
  'nodejs_eventloop_lag_p99_seconds',
];

/** Metrics of Patroni 3.0 and newer, where Prometheus scrapes it. */
const PATRONI = ['patroni_sync_standby'];

const PARTS = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] };

/**
 * Labels of every series by its name. Prometheus renames labels that clash with its own: `job`
 * becomes exported_job.
 */
export const SERIES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...STANDARD.map((name): [string, string[]] => [name, []]),
  ...PATRONI.map((name): [string, string[]] => [name, ['scope']]),
  ...DEFINITIONS.flatMap(({ name, type, labelNames }) => {
    const scraped = labelNames.map((label) =>
      ['job', 'instance'].includes(label) ? `exported_${label}` : label,
    );
    return PARTS[type].map(
      (part) =>
        [`${name}${part}`, part === '_bucket' ? [...scraped, 'le'] : scraped] as [string, string[]],
    );
  }),
]);

/**
 * The faults of an expression: it cannot be parsed, or uses metrics or labels that do not exist.
 */
export function faults(expr: string): string[] {
  const { faulty, metrics, labels } = parsePromql(expr);
  const known = new Set([
    'job',
    'instance',
    ...metrics.flatMap((metric) => SERIES.get(metric) ?? []),
  ]);
  return [
    ...(faulty ? ['cannot be parsed'] : []),
    ...(metrics.length === 0 ? ['queries no metric'] : []),
    ...metrics.filter((metric) => !SERIES.has(metric)).map((metric) => `no metric ${metric}`),
    ...labels.filter((label) => !known.has(label)).map((label) => `no label ${label}`),
  ];
}
