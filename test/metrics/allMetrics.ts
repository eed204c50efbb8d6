/** All metrics of a process, of the core and of the extras. */
import { EXTRAS } from '../../src/extras.ts';
import { type Metrics, makeMetrics } from '../../src/metrics/definitions.ts';

export function makeAllMetrics(): Metrics {
  const metrics = makeMetrics();
  for (const extra of EXTRAS) extra.metrics?.(metrics);
  return metrics;
}
