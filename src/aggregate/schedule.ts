/**
 * Starting the jobs of a worker: first whatever is due, then each on its schedule in UTC, with
 * failures logged, counted and never fatal.
 */
import { schedule as cron } from 'node-cron';
import { type Clock, watchClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { remedyFor } from '../database/remedies.ts';
import type { Claim } from './claims.ts';
import { makeDigest } from './digest.ts';
import type { Job } from './jobs.ts';
import { refresh } from './refresh.ts';

/** Learns of every run of a job; metrics are one. */
export type JobObserver = {
  onScheduled(job: string): void;
  onStarted(job: string): void;
  onSucceeded(job: string, at: Date, seconds: number): void;
  onFailed(job: string, at: Date): void;
};

/** A run needs these besides the job itself. */
type RunContext = { clock: Clock; log: Log; observer: JobObserver; claim: Claim };

type StartContext = RunContext & {
  target: DatabaseAddress;
  /** True if a person watches stderr. */
  terminal: boolean;
  schedule?: Schedule | undefined;
};

/**
 * Starts the jobs on their schedules; the result stops them, and waits for those that are running.
 */
export type Schedule = (jobs: readonly Job[], context: RunContext) => () => Promise<void>;

/**
 * Brings the aggregates up to date, makes a digest, then schedules the jobs. The result stops them,
 * and waits for those that are running.
 */
export async function startJobs(
  jobs: readonly Job[],
  context: StartContext,
): Promise<() => Promise<void>> {
  const { target, clock, log, terminal, schedule = scheduleJobs } = context;
  log.info('bringing the aggregates up to date');
  const started = performance.now();
  await refresh(target, clock, { log, terminal });
  log.info(
    { seconds: Number(((performance.now() - started) / 1000).toFixed(1)) },
    'aggregates are up to date',
  );
  await makeDigest(target, clock());
  return schedule(jobs, context);
}

/** No job runs twice at once in this process. */
export const scheduleJobs: Schedule = (jobs, context) => {
  const { log, observer } = context;
  const running = new Map<string, Promise<void>>();
  for (const { name } of jobs) observer.onScheduled(name);
  const start = (job: Job) => {
    if (running.has(job.name)) {
      log.warn({ job: job.name }, 'the job is still running; this run is skipped');
      return;
    }
    running.set(
      job.name,
      runJob(job, context).finally(() => running.delete(job.name)),
    );
  };
  const schedule = () =>
    jobs.map((job) =>
      cron(job.schedule, () => start(job), {
        name: job.name,
        timezone: 'UTC',
        logger: cronLogger(log),
      }),
    );

  let isStopping = false;
  let tasks = schedule();
  const destroy = () => Promise.all(tasks.map((task) => task.destroy()));
  const unwatch = watchClock(async (seconds) => {
    log.warn({ seconds }, 'the system clock was changed; jobs continue on the new time');
    await destroy(); // they wait for a time by the old clock
    if (!isStopping) tasks = schedule();
  });
  return async () => {
    isStopping = true;
    unwatch();
    await destroy();
    await Promise.all(running.values());
  };
};

/** Passes the scheduler's own warnings on, such as the warning about a late run. */
function cronLogger(log: Log) {
  const warn = (message: string | Error) => log.warn({ scheduler: true }, String(message));
  return { info: () => undefined, debug: () => undefined, warn, error: warn };
}

/**
 * Claims a run of a job, and runs it if no other process has. Never rejects: a failure is logged
 * and counted.
 */
export async function runJob({ name: job, run }: Job, context: RunContext): Promise<void> {
  const { clock, log, observer, claim } = context;
  try {
    const minute = await claim(job);
    if (minute === undefined) {
      log.debug({ job }, 'another process has claimed this run');
      return;
    }
    observer.onStarted(job);
    const started = performance.now();
    await run(minute);
    const ms = performance.now() - started;
    observer.onSucceeded(job, clock(), ms / 1_000);
    log.debug({ job, ms: Math.round(ms) }, 'job done');
  } catch (error) {
    observer.onFailed(job, clock());
    log.error(
      { job, err: error, ...remedyFor(error) },
      'job failed; it will run again at its next scheduled time',
    );
  }
}
