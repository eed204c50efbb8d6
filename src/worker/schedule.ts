/** node-cron behind a few lines: every job by the UTC clock, never twice at once, its failures told and never fatal. */
import { schedule as cron } from 'node-cron';
import { watchClock } from '../clock.ts';
import { hasDemo, loadDemo, shouldLoadDemo } from '../demo/lifecycle.ts';
import type { Log } from '../log.ts';
import { makeDigest, refresh } from '../rollups/refresh.ts';
import { type Job, type JobContext, makeJobs } from './jobs.ts';

/** Who is told how the jobs go, and who knows whether this process may work at all. */
export type Watch = Pick<JobContext, 'clock' | 'log' | 'metrics' | 'confirm'>;

/** Starts the jobs; the function it returns stops them and waits for those that are running. */
export function scheduleJobs(jobs: readonly Job[], watch: Watch): () => Promise<void> {
  const { log, metrics } = watch;
  const running = new Map<string, Promise<void>>();
  for (const { name: task } of jobs) {
    // told as 0 before the first: an increase is seen only from one number to the next
    metrics.jobRuns.inc({ task }, 0);
    metrics.jobFailures.inc({ task }, 0);
  }
  const start = (job: Job) => {
    if (running.has(job.name)) {
      log.warn({ job: job.name }, 'the job is still running; this run is skipped');
      return;
    }
    running.set(
      job.name,
      runJob(job, watch).finally(() => running.delete(job.name)),
    );
  };
  const schedule = () =>
    jobs.map((job) =>
      cron(job.schedule, () => start(job), { name: job.name, timezone: 'UTC', logger: loggerFor(log) }),
    );

  let tasks = schedule();
  const destroy = () => Promise.all(tasks.map((task) => task.destroy()));
  const unwatch = watchClock(async (seconds) => {
    log.warn({ seconds }, 'the system clock was changed; jobs continue on the new time');
    await destroy(); // they wait for the old one
    tasks = schedule();
  });
  return async () => {
    unwatch();
    await destroy();
    await Promise.all(running.values());
  };
}

/** What the scheduler itself has to say, as lines of our log: a run that was late, for instance. */
function loggerFor(log: Log) {
  const tell = (message: string | Error) => log.warn({ scheduler: true }, String(message));
  return { info: () => undefined, debug: () => undefined, warn: tell, error: tell };
}

/** Never rejects. */
export async function runJob({ name: task, run }: Job, { clock, log, metrics, confirm }: Watch): Promise<void> {
  const started = performance.now();
  metrics.jobRuns.inc({ task });
  try {
    await confirm?.();
    await run();
    const ms = performance.now() - started;
    metrics.jobDuration.observe({ task }, ms / 1_000);
    metrics.jobLastSuccess.set({ task }, clock().getTime() / 1_000);
    log.debug({ job: task, ms: Math.round(ms) }, 'job done');
  } catch (error) {
    metrics.jobFailures.inc({ task });
    log.error({ job: task, err: error }, 'job failed; it will run again at its next scheduled time');
  }
}

/** What the worker does: everything that writes. At first whatever is due, then each job at its time. */

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
  const demoHere = (demo && (await shouldLoadDemo(target))) || (await hasDemo(target));
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
