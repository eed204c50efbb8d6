/**
 * A histogram for what happens with every request. prom-client's checks, joins and looks up
 * the labels at each observation, which took 2 of the 21 µs that a 304 took.
 */
import type { MetricValueWithName, Registry } from 'prom-client';

type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** The observations with the same labels. */
export type Series = { observe(value: number): void };

type Counted<Label extends string> = Series & {
  labels: Labels<Label>;
  /** One for each upper bound, and the last for what is above all of them. */
  counts: number[];
  sum: number;
};

type Description<Label extends string> = {
  name: string;
  help: string;
  /** Upper bounds, ascending. */
  buckets: readonly number[];
  labelNames: readonly Label[];
  registers: readonly Registry[];
};

export class SeriesHistogram<Label extends string> {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  readonly #of: Description<Label>;
  readonly #all = new Map<string, Counted<Label>>();

  constructor(of: Description<Label>) {
    this.name = of.name;
    this.help = of.help;
    this.labelNames = of.labelNames;
    this.#of = of;
    // a registry needs no more of a metric than its name and `get`
    for (const registry of of.registers) registry.registerMetric(this as never);
  }

  /** The series with these labels, for the caller to keep. */
  series(labels: Labels<Label>): Series {
    const key = JSON.stringify(this.#of.labelNames.map((name) => labels[name]));
    const known = this.#all.get(key);
    if (known !== undefined) return known;
    const made = counting(labels, this.#of.buckets);
    this.#all.set(key, made);
    return made;
  }

  /** As the registry wants it. */
  async get() {
    const { type, name, help } = this;
    const { buckets } = this.#of;
    const values = [...this.#all.values()].flatMap((one) => valuesOf(name, buckets, one));
    return { name, help, type, values };
  }
}

function counting<Label extends string>(
  labels: Labels<Label>,
  buckets: readonly number[],
): Counted<Label> {
  const counted: Counted<Label> = {
    labels,
    counts: [...buckets.map(() => 0), 0],
    sum: 0,
    observe(value) {
      let bucket = 0;
      while (value > (buckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
      counted.counts[bucket] = (counted.counts[bucket] ?? 0) + 1;
      counted.sum += value;
    },
  };
  return counted;
}

/** Each bucket contains those below it. */
function valuesOf<Label extends string>(
  name: string,
  buckets: readonly number[],
  { labels, counts, sum }: Counted<Label>,
): MetricValueWithName<string>[] {
  let count = 0;
  const values: MetricValueWithName<string>[] = counts.map((n, bucket) => {
    count += n;
    const le = buckets[bucket] ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  values.push({ metricName: `${name}_sum`, labels, value: sum });
  values.push({ metricName: `${name}_count`, labels, value: count });
  return values;
}
