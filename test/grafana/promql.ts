/** What a PromQL expression is made of, by the parser that Prometheus' own editor uses. */
import { parser } from '@prometheus-io/lezer-promql';
import { DEFINITIONS } from '../metrics/metricsTable.ts';

export type Parsed = { faulty: boolean; metrics: string[]; labels: string[]; rates: string[] };

/** Variables are filled in as Grafana would. */
export function parsePromql(expr: string): Parsed {
  const text = expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.+');
  const parsed: Parsed = { faulty: false, metrics: [], labels: [], rates: [] };
  parser.parse(text).iterate({
    enter({ name, type, from, to, node }) {
      const said = text.slice(from, to);
      if (type.isError) parsed.faulty = true;
      if (name === 'Identifier') parsed.metrics.push(said);
      if (name === 'LabelName') parsed.labels.push(said);
      if (name === 'MatrixSelector' && node.parent?.parent !== null) parsed.rates.push(said);
    },
  });
  return parsed;
}

/** Of prom-client and of Prometheus itself, those that we use. */
const STANDARD = [
  'up',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
  'nodejs_eventloop_lag_p99_seconds',
];

const PARTS = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] };

/** Every series by name with its labels. Prometheus keeps `job` for itself and calls ours exported_job. */
export const SERIES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...STANDARD.map((name): [string, string[]] => [name, []]),
  ...DEFINITIONS.flatMap(({ name, type, labelNames }) => {
    const scraped = labelNames.map((label) => (['job', 'instance'].includes(label) ? `exported_${label}` : label));
    return PARTS[type].map(
      (part) => [`${name}${part}`, part === '_bucket' ? [...scraped, 'le'] : scraped] as [string, string[]],
    );
  }),
]);

/** What is wrong with an expression: unreadable, or of metrics and labels that nothing has. */
export function faults(expr: string): string[] {
  const { faulty, metrics, labels } = parsePromql(expr);
  const known = new Set(['job', 'instance', ...metrics.flatMap((metric) => SERIES.get(metric) ?? [])]);
  return [
    ...(faulty ? ['cannot be parsed'] : []),
    ...(metrics.length === 0 ? ['asks for nothing'] : []),
    ...metrics.filter((metric) => !SERIES.has(metric)).map((metric) => `no metric ${metric}`),
    ...labels.filter((label) => !known.has(label)).map((label) => `no label ${label}`),
  ];
}
