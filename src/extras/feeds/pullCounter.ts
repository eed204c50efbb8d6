/** Counts the polls of each provider. */
import { Counter } from 'prom-client';
import type { Metrics } from '../../metrics/definitions.ts';

export type PullCounter = ReturnType<typeof makePullCounter>;

export function makePullCounter({ registry, eachProvider }: Metrics) {
  const pulls = new Counter({
    name: 'airseries_pulls_total',
    help: 'Polls of a provider by outcome: success, failure',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  eachProvider((provider) => {
    for (const outcome of ['success', 'failure']) pulls.inc({ provider, outcome }, 0);
  });
  return pulls;
}
