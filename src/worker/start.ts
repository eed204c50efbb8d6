/** What the worker does: everything that writes. At first whatever is due, then each job at its time. */
import { holdsDemo, loadDemo, wantsDemo } from '../demo/lifecycle.ts';
import { makeDigest } from '../rollups/digest.ts';
import { refresh } from '../rollups/refresh.ts';
import { type JobContext, makeJobs } from './jobs.ts';
import { scheduleJobs } from './schedule.ts';

export type Work = JobContext & {
  /** Whether a fresh database gets the demo network. */
  demo: boolean;
  terminal: boolean;
};

const PAUSE_MS = 1_000;

/** Repeats the refresh until the loading is over. */
async function refreshWhile(loading: Promise<void>, refreshOnce: () => Promise<void>): Promise<void> {
  const ended = loading.then(() => true);
  const pause = () => new Promise<false>((resolve) => setTimeout(resolve, PAUSE_MS, false));
  while (!(await Promise.race([ended, pause()]))) await refreshOnce();
}

/** Resolves when the aggregates are up to date and the regions have a digest; the function it gives stops the jobs. */
export async function startJobs(work: Work): Promise<() => Promise<void>> {
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
