/** Every night: are the aggregates what the readings say? What it finds is recorded, told by a metric, and left as it is. */
import type { Clock } from '../clock.ts';
import type { Target } from '../database/client.ts';
import type { Log } from '../log.ts';
import { audit } from '../rollups/refresh.ts';
import type { Job } from './schedule.ts';

export const AUDITED_DAYS = 35;

export function auditJob(target: Target, clock: Clock, { timeZone, log }: { timeZone: string; log: Log }): Job {
  const run = async () => {
    const now = clock();
    const from = new Date(now.getTime() - AUDITED_DAYS * 86_400_000);
    const { found } = await audit(target, { now, from, timeZone });
    if (found.length > 0) {
      log.error(
        { buckets: found.length, first: found.slice(0, 3) },
        'aggregates differ from the readings: run audit --repair',
      );
    }
  };
  return { name: 'audit', every: '41 1 * * *', run };
}
