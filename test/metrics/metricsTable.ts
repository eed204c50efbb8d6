/** Our metrics as registered with prom-client, and as the table of grafana/README.md. */
import type { Registry } from 'prom-client';
import type { Metrics } from '../../src/metrics/definitions.ts';
import { makeAllMetrics } from './allMetrics.ts';

type Definition = {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labelNames: readonly string[];
};

/** prom-client's types lack `labelNames`. */
const registered = (registry: Registry) =>
  registry.getMetricsAsArray() as unknown as readonly Definition[];

const definitionsOf = ({ registry }: Metrics) =>
  registered(registry).filter(({ name }) => name.startsWith('airseries_'));

export const namesOf = (metrics: Metrics) => definitionsOf(metrics).map(({ name }) => name);

export const DEFINITIONS = definitionsOf(makeAllMetrics());

export function metricsTable(): string {
  const rows = DEFINITIONS.map(({ name, type, help, labelNames }) => [
    `\`${name}\``,
    type,
    labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  const head = ['metric', 'type', 'labels', 'what it says'];
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`;
  return [head, head.map(() => '---'), ...rows].map(line).join('\n');
}
