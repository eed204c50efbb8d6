/** The histogram of requests prints the same as prom-client's; equal labels share a series. */
import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { SeriesHistogram } from '../../src/metrics/seriesHistogram.ts';

const LABELS = ['route', 'status_class'] as const;
const VALUES = [0, 0.1, 0.1000001, 0.4, 7];

it('our histogram prints the same as prom-client’s for the same observations', async () => {
  const of = { name: 'x_seconds', help: 'X', buckets: [0.1, 0.2, 0.4], labelNames: [...LABELS] };
  const [theirs, ours] = [new Registry(), new Registry()];
  const reference = new Histogram({ ...of, registers: [theirs] });
  const histogram = new SeriesHistogram({ ...of, registers: [ours] });
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const labels of [
    { route: '/a', status_class: '2xx' },
    { route: '/a "quoted"', status_class: '3xx' },
    { status_class: '2xx', route: '/a' },
  ]) {
    for (const value of VALUES) {
      reference.observe(labels, value);
      histogram.series(labels).observe(value);
    }
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
