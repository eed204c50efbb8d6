/** Starting the worker: first whatever is due, then each job on its schedule in UTC, with failures logged, counted and never fatal. */
import { schedule as cron } from 'node-cron';
import { watchClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config.ts';
import { remedyFor } from '../database/errors.ts';
import { startDemo, startDemoHistory } from '../extras/demo/lifecycle.ts';
import { makeDigest } from './digest.ts';
import { type Job, type JobContext, makeJobs } from './jobs.ts';
import { refresh } from './refresh.ts';

type StartContext = JobContext & {
  /** `on`: a new database gets the demo network; `off`: the history of one that is there is not loaded. */
  demo: Config['demo'];
  /** True if a person watches stderr. */
  terminal: boolean;
  schedule?: Schedule | undefined;
};

/** Starts the jobs on their schedules; the result stops them, and waits for those that are running. */
export type Schedule = (jobs: readonly Job[], context: RunContext) => () => Promise<void>;

/**
 * Loads the demo network if it is due, brings the aggregates up to date, makes a digest, then starts the jobs; the history of the demo follows
 * behind them. The result stops everything and waits for what is running.
 */
export async function startJobs(context: StartContext): Promise<() => Promise<void>> {
  const { target, clock, log, terminal, schedule = scheduleJobs } = context;
  const getsHistory = await startDemo(target, context);
  log.info('bringing the aggregates up to date');
  const started = performance.now();
  await refresh(target, clock(), { log, terminal });
  log.info(
    { seconds: Number(((performance.now() - started) / 1000).toFixed(1)) },
    'aggregates are up to date',
  );
  await makeDigest(target, clock());
  const stopJobs = schedule(makeJobs(context), context);
  const stopHistory = getsHistory ? startDemoHistory(target, context) : undefined;
  return async () => void (await Promise.all([stopJobs(), stopHistory?.()]));
}

/** A run needs these besides the job itself. */
type RunContext = Pick<JobContext, 'clock' | 'log' | 'metrics'>;

/** No job runs twice at once. */
export const scheduleJobs: Schedule = (jobs, context) => {
  const { log, metrics } = context;
  const running = new Map<string, Promise<void>>();
  for (const { name: task } of jobs) {
    // Prometheus sees an increase only between two values, so the first is 0
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

  let tasks = schedule();
  const destroy = () => Promise.all(tasks.map((task) => task.destroy()));
  const unwatch = watchClock(async (seconds) => {
    log.warn({ seconds }, 'the system clock was changed; jobs continue on the new time');
    await destroy(); // they wait for a time by the old clock
    tasks = schedule();
  });
  return async () => {
    unwatch();
    await destroy();
    await Promise.all(running.values());
  };
};

/** Passes the scheduler's own warnings on, such as that of a late run. */
function cronLogger(log: Log) {
  const warn = (message: string | Error) => log.warn({ scheduler: true }, String(message));
  return { info: () => undefined, debug: () => undefined, warn, error: warn };
}

/** Runs a job once. Never rejects: a failure is logged and counted. */
export async function runJob(
  { name: task, run }: Job,
  { clock, log, metrics }: RunContext,
): Promise<void> {
  const started = performance.now();
  metrics.jobRuns.inc({ task });
  try {
    await run();
    const ms = performance.now() - started;
    metrics.jobDuration.observe({ task }, ms / 1_000);
    metrics.jobLastSuccess.set({ task }, clock().getTime() / 1_000);
    log.debug({ job: task, ms: Math.round(ms) }, 'job done');
  } catch (error) {
    metrics.jobFailures.inc({ task });
    metrics.jobLastFailure.set({ task }, clock().getTime() / 1_000);
    log.error(
      { job: task, err: error, ...remedyFor(error) },
      'job failed; it will run again at its next scheduled time',
    );
  }
}
