/**
 * The small template language of sql/: a list of metrics is written as one line, `{{each mean: avg(x.$name) as $name}}`, and the
 * zone, the engine and an aggregate's own words are filled in as literals, because a continuous aggregate admits nothing else.
 */
import { METRICS, type Metric } from '../contract/metrics.ts';

const GROUPS: Record<string, (metric: Metric) => boolean> = {
  metric: () => true,
  mean: (metric) => metric.kind === 'mean',
  thp: (metric) => metric.kind === 'mean' && metric.thp === true,
  air: (metric) => metric.kind === 'mean' && metric.thp !== true,
  extreme: (metric) => metric.extremes === true,
  as_given: ({ name }) => !name.startsWith('pm25'), // what no correction touches
};

/** Replaces every `{{word}}` by its value and every `{{each group: …}}` by the comma-separated lines of its metrics. */
export function render(template: string, words: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(?:each (\w+): ([^}]*)|([^}:]+))\}\}/g, (whole, group, line, word) => {
    if (group !== undefined) return each(group, line);
    const value = words[word];
    if (value === undefined) throw new Error(`SQL template: nothing to put for ${whole}`);
    return value;
  });
}

function each(group: string, line: string): string {
  const wanted = GROUPS[group];
  if (wanted === undefined) throw new Error(`SQL template: no group of metrics is called ${group}`);
  return METRICS.filter(wanted)
    .map((metric: Metric) => {
      const words = { ...metric, publish: metric.floor ? 'rollup.published_floor' : 'rollup.published' };
      return line.replace(/\$(name|digits|low|high|publish)/g, (_, key: keyof typeof words) => String(words[key]));
    })
    .join(',\n  ');
}

/** An SQL string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
