/** Every minute: bring the aggregates up to date with what was accepted. */
import type { Clock } from '../clock.ts';
import type { Target } from '../database/client.ts';
import type { Metrics } from '../metrics/registry.ts';
import { refresh } from '../rollups/refresh.ts';
import type { Job } from './schedule.ts';

export function refreshJob(target: Target, clock: Clock, metrics: Metrics): Job {
  const run = async () => {
    const started = performance.now();
    await refresh(target, clock());
    metrics.observe('airseries_refresh_duration_seconds', {}, (performance.now() - started) / 1_000);
  };
  return { name: 'refresh', every: '* * * * *', run };
}
