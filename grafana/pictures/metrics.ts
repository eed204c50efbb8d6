/** Asks Prometheus as the panels of the dashboard Service do. */
import type { Range, Target } from '../../test/grafana/dashboards.ts';

const POINTS = 240;

export type Column = {
  name: string;
  type: 'time' | 'number' | 'string' | 'boolean';
  labels?: Record<string, string>;
  values: unknown[];
};

type Answer = {
  data: {
    result: {
      metric: Record<string, string>;
      value?: [number, string];
      values?: [number, string][];
    }[];
  };
};

/**
 * One frame for each series; all processes are chosen. Throws if Prometheus does not answer the
 * query.
 */
export async function metrics(
  base: string,
  { expr = '', legendFormat = '', instant }: Target,
  { from, to }: Range,
): Promise<Column[][]> {
  const query = expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.+');
  const [start, end] = [from, to].map((at) => at.getTime() / 1000);
  const step = Math.ceil(((end ?? 0) - (start ?? 0)) / POINTS);
  const asked = instant === true ? { query, time: end } : { query, start, end, step };
  const url = new URL(`/api/v1/query${instant === true ? '' : '_range'}`, base);
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, String(value));
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(`Prometheus answered ${response.status} to ${query}: ${await response.text()}`);
  const { data } = (await response.json()) as Answer;
  return data.result.map(({ metric, value, values = value === undefined ? [] : [value] }) => [
    { name: 'time', type: 'time', values: values.map(([at]) => at * 1000) },
    {
      name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? ''),
      type: 'number',
      values: values.map(([, text]) => Number(text)),
    },
  ]);
}
