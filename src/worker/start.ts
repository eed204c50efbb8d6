/** What the worker does: everything that writes. At first whatever is due, then each job at its time. */
import type { Clock } from '../clock.ts';
import type { Target } from '../database/client.ts';
import { demoFeedJob, holdsDemo, loadDemo, wantsDemo } from '../demo/lifecycle.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/registry.ts';
import { screenJob } from '../network/screening.ts';
import { pullJob } from '../pull/pullDue.ts';
import { digestJob, makeDigest } from '../rollups/digest.ts';
import { refresh } from '../rollups/refresh.ts';
import { auditJob } from './auditAggregates.ts';
import type { Confirm } from './leader.ts';
import { maintainJob } from './maintainStorage.ts';
import { refreshJob } from './refreshAggregates.ts';
import { type Job, scheduleJobs } from './schedule.ts';
import { trimQuarantineJob } from './trimQuarantine.ts';

export type Work = {
  target: Target;
  timeZone: string;
  /** Whether a fresh database gets the demo network. */
  demo: boolean;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  terminal: boolean;
  /** How long readings are kept; undefined: for ever. */
  retention: string | undefined;
  /** Hosts that readings may be pulled from. */
  pullHosts: readonly string[];
  confirm?: Confirm;
};

const PAUSE_MS = 1_000;

/** Repeats the refresh until the loading is over. */
async function refreshWhile(loading: Promise<void>, refreshOnce: () => Promise<void>): Promise<void> {
  const ended = loading.then(() => true);
  const pause = () => new Promise<false>((resolve) => setTimeout(resolve, PAUSE_MS, false));
  while (!(await Promise.race([ended, pause()]))) await refreshOnce();
}

/** Resolves when the aggregates are up to date and the regions have a digest; the function it gives stops the jobs. */
export async function beginWork(work: Work): Promise<() => Promise<void>> {
  const { target, timeZone, demo, clock, log, terminal } = work;
  const demoHere = (demo && (await wantsDemo(target))) || (await holdsDemo(target));
  if (demoHere) {
    const loaded = loadDemo(target, { timeZone, now: clock(), log, terminal });
    await refreshWhile(loaded, () => refresh(target, clock())); // both cores work, and the first build is soon done
  }
  log.info('bringing the aggregates up to date');
  const started = performance.now();
  await refresh(target, clock());
  log.info({ seconds: Number(((performance.now() - started) / 1000).toFixed(1)) }, 'aggregates are up to date');
  await makeDigest(target, clock());
  return scheduleJobs(makeJobs(work), work);
}

/** All of them, in the order in which those of one minute begin. */
export function makeJobs({ target, timeZone, clock, log, metrics, retention, pullHosts: hosts, confirm }: Work): Job[] {
  return [
    demoFeedJob(target, clock),
    pullJob(target, clock, { hosts, log, metrics, timeZone, confirm }),
    refreshJob(target, clock, metrics),
    digestJob(target, clock),
    screenJob(target, clock, log),
    trimQuarantineJob(target, clock, log),
    maintainJob(target, clock, { retention, timeZone, log, metrics }),
    auditJob(target, clock, { timeZone, log }),
  ];
}
