/** Counts the polls of each provider. */
import type { Metrics } from '../../metrics/definitions.ts';

export type PullCounter = ReturnType<typeof makePullCounter>;

export function makePullCounter({ counter, eachProvider }: Metrics) {
  const pulls = counter('airseries_pulls_total', {
    help: 'Polls of a provider by outcome: success, quiet (it answered, but has had nothing new for long), failure',
    labels: ['provider', 'outcome'],
  });
  eachProvider((provider) => {
    for (const outcome of ['success', 'quiet', 'failure']) pulls.inc({ provider, outcome }, 0);
  });
  return pulls;
}
