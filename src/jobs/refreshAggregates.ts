/** Every minute: bring the aggregates up to date with what was accepted. */
import type { Clock } from '../clock.ts';
import type { Target } from '../database/connect.ts';
import { refresh } from '../database/refresh.ts';
import type { Job } from './schedule.ts';

export function refreshJob(target: Target, clock: Clock): Job {
  return { name: 'refresh', every: '* * * * *', run: () => refresh(target, clock()) };
}
