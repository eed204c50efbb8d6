/**
 * A histogram whose observations are counted in plain numbers: prom-client joins and checks the labels of each, which takes a tenth of the time
 * of a kept response.
 */
import { isDeepStrictEqual } from 'node:util';
import { Histogram, type HistogramConfiguration } from 'prom-client';

/** The observations with the same labels. `buckets` has how many are up to each bound and beyond the one before it. */
type Series<Label extends string> = { labels: Record<Label, string>; buckets: number[]; count: number; sum: number };

export class CountedHistogram<Label extends string> extends Histogram<Label> {
  readonly #series: Series<Label>[] = [];
  readonly #configuration: { name: string; help: string; buckets: number[] };

  constructor(configuration: HistogramConfiguration<Label> & { buckets: number[] }) {
    super(configuration);
    this.#configuration = configuration;
  }

  /** Returns what observes values with these labels. */
  observer(labels: Record<Label, string>): (value: number) => void {
    const { buckets: bounds } = this.#configuration;
    let series = this.#series.find((one) => isDeepStrictEqual(one.labels, labels));
    if (series === undefined) {
      series = { labels, buckets: bounds.map(() => 0), count: 0, sum: 0 };
      this.#series.push(series);
    }
    const counted = series;
    return (value) => {
      const index = bounds.findIndex((bound) => value <= bound);
      if (index !== -1) counted.buckets[index] = (counted.buckets[index] ?? 0) + 1;
      counted.count += 1;
      counted.sum += value;
    };
  }

  /** prom-client calls it at each scrape. */
  async getForPromString() {
    const { name, help, buckets: bounds } = this.#configuration;
    const values = this.#series.flatMap(({ labels, buckets, count, sum }) => {
      let upTo = 0;
      const bounded = bounds.map((le, index) => {
        upTo += buckets[index] ?? 0;
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: upTo };
      });
      return [
        ...bounded,
        { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}
