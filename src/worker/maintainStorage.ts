/** Every night: what is older than it need be goes, and the storage is kept in order. */
import type { Clock } from '../clock.ts';
import type { Target } from '../database/client.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/registry.ts';
import { forgetOldDigests } from '../rollups/digest.ts';
import { maintain } from '../rollups/refresh.ts';
import { deleteExpired } from '../rollups/retention.ts';
import type { Job } from './schedule.ts';

type Options = {
  /** How long readings are kept, such as `400 days`; undefined: for ever. */
  retention: string | undefined;
  timeZone: string;
  log: Log;
  metrics: Metrics;
};

export function maintainJob(target: Target, clock: Clock, { retention, timeZone, log, metrics }: Options): Job {
  const run = async () => {
    if (retention !== undefined) {
      const { isRefused } = await deleteExpired(target, clock(), retention, { log, timeZone });
      if (isRefused) metrics.add('airseries_retention_refusals_total');
    }
    await forgetOldDigests(target, clock());
    await maintain(target, clock());
  };
  return { name: 'maintain', every: '17 0 * * *', run };
}
