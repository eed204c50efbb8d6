/** prom-client behind one file: every metric of the catalogue under its name, and those of the process itself. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { DEFINITIONS_OF_METRICS, type MetricEntry, type MetricName } from './definitions.ts';

export type Labels = Readonly<Record<string, string>>;

export type Metrics = {
  /** Of a counter or a gauge: so much more (or less). */
  add(name: MetricName, labels?: Labels, by?: number): void;
  /** Of a gauge. */
  set(name: MetricName, labels: Labels, value: number): void;
  /** Of a histogram. */
  observe(name: MetricName, labels: Labels, value: number): void;
  /** Forgets the values of a gauge, for one that is about to be told anew. */
  reset(name: MetricName): void;
  /** Asked for before each answer; must not reject. */
  onScrape(collect: () => Promise<void>): void;
  contentType: string;
  text(): Promise<string>;
};

/** These count things by no unit of theirs, and gauges are not called total: `promtool check metrics` refuses them. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

export function makeMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const counters = new Map<MetricName, Counter>();
  const gauges = new Map<MetricName, Gauge>();
  const histograms = new Map<MetricName, Histogram>();
  for (const entry of DEFINITIONS_OF_METRICS as readonly (MetricEntry & { name: MetricName })[]) {
    const { name, type, help, labels, buckets = [] } = entry;
    const common = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === 'counter') counters.set(name, new Counter(common));
    if (type === 'gauge') {
      const gauge = new Gauge(common);
      if (labels.length === 0) gauge.set(Number.NaN); // or it would be told as 0 before anything is known
      gauges.set(name, gauge);
    }
    if (type === 'histogram') histograms.set(name, new Histogram({ ...common, buckets: [...buckets] }));
  }
  const collectors: (() => Promise<void>)[] = [];
  return {
    add: (name, labels = {}, by = 1) => (counters.get(name) ?? found(gauges, name)).inc(labels, by),
    set: (name, labels, value) => found(gauges, name).set(labels, value),
    observe: (name, labels, value) => found(histograms, name).observe(labels, value),
    reset: (name) => found(gauges, name).reset(),
    onScrape: (collect) => void collectors.push(collect),
    contentType: registry.contentType,
    async text() {
      await Promise.all(collectors.map((collect) => collect()));
      return await registry.metrics();
    },
  };
}

function found<T>(kind: ReadonlyMap<MetricName, T>, name: MetricName): T {
  const metric = kind.get(name);
  if (metric === undefined) throw new Error(`${name} is of another kind in the catalogue`);
  return metric;
}
