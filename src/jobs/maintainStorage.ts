/** Every night: what is older than it need be goes, and the storage is kept in order. */
import type { Clock } from '../clock.ts';
import type { Target } from '../database/connect.ts';
import { deleteExpired, maintain } from '../database/refresh.ts';
import { forgetOldDigests } from './makeDigests.ts';
import type { Job } from './schedule.ts';

/** `retention`: how long readings are kept, such as `400 days`; undefined: for ever. */
export function maintainJob(target: Target, clock: Clock, retention: string | undefined): Job {
  const run = async () => {
    if (retention !== undefined) await deleteExpired(target, clock(), retention);
    await forgetOldDigests(target, clock());
    await maintain(target, clock());
  };
  return { name: 'maintain', every: '17 0 * * *', run };
}
