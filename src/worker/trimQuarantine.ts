/** Every ten minutes: keep the quarantine within its bounds. */
import type { Clock } from '../clock.ts';
import { onConnection, type Target } from '../database/client.ts';
import { type Cap, trimQuarantine } from '../ingest/quarantine/trim.ts';
import type { Log } from '../log.ts';
import type { Job } from './schedule.ts';

export function trimQuarantineJob(target: Target, clock: Clock, log: Log, cap?: Partial<Cap>): Job {
  const run = async () => {
    const { expired, surplus } = await onConnection(
      target,
      { role: 'airseries_owner', name: 'airseries quarantine' },
      (sql) => trimQuarantine(sql, clock(), cap),
    );
    if (Object.keys(expired).length > 0) log.debug({ lines: expired }, 'lines of the quarantine were 90 days old');
    if (Object.keys(surplus).length > 0) {
      log.warn(
        { lines: surplus },
        'a provider has more in quarantine than is kept; the oldest were dropped, or the newest not recorded',
      );
    }
  };
  return { name: 'trim quarantine', every: '7-59/10 * * * *', run };
}
