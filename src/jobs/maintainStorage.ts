/** Every night: housekeeping of the storage. */
import type { Clock } from '../clock.ts';
import type { Target } from '../database/connect.ts';
import { maintain } from '../database/refresh.ts';
import type { Job } from './schedule.ts';

export function maintainJob(target: Target, clock: Clock): Job {
  return { name: 'maintain', every: '17 0 * * *', run: () => maintain(target, clock()) };
}
