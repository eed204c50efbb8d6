/** Every night: housekeeping of the storage, and old digests go. */
import type { Clock } from '../clock.ts';
import type { Target } from '../database/connect.ts';
import { maintain } from '../database/refresh.ts';
import { forgetOldDigests } from './makeDigests.ts';
import type { Job } from './schedule.ts';

export function maintainJob(target: Target, clock: Clock): Job {
  const run = async () => {
    await forgetOldDigests(target, clock());
    await maintain(target, clock());
  };
  return { name: 'maintain', every: '17 0 * * *', run };
}
