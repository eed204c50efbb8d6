/** node-cron behind a few lines: every job by the UTC clock, never twice at once, its failures told and never fatal. */
import { schedule as cron } from 'node-cron';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/registry.ts';

export type Job = {
  readonly name: string;
  /** Cron expression. */
  readonly every: string;
  run(): Promise<void>;
};

/** Who is told how the jobs go. */
export type Watch = { clock: Clock; log: Log; metrics: Metrics };

/** Starts the jobs; the function it returns stops them and waits for the one that is running. */
export function scheduleJobs(jobs: readonly Job[], watch: Watch): () => Promise<void> {
  const running = new Set<Promise<void>>();
  for (const { name: task } of jobs) {
    // told as 0 before the first: an increase is seen only from one number to the next
    watch.metrics.add('airseries_job_runs_total', { task }, 0);
    watch.metrics.add('airseries_job_failures_total', { task }, 0);
  }
  const tasks = jobs.map((job) =>
    cron(
      job.every,
      async () => {
        const run = runJob(job, watch);
        running.add(run);
        await run;
        running.delete(run);
      },
      { name: job.name, noOverlap: true, timezone: 'UTC', logger: loggerFor(watch.log) },
    ),
  );
  return async () => {
    await Promise.all(tasks.map((task) => task.destroy()));
    await Promise.all(running);
  };
}

/** What the scheduler itself has to say, as lines of our log: a run that was skipped because the one before still goes on, or was late. */
function loggerFor(log: Log) {
  const tell = (message: string | Error) => log.warn({ scheduler: true }, String(message));
  return { info: () => undefined, debug: () => undefined, warn: tell, error: tell };
}

/** Never rejects. */
export async function runJob({ name: task, run }: Job, { clock, log, metrics }: Watch): Promise<void> {
  const started = performance.now();
  metrics.add('airseries_job_runs_total', { task });
  try {
    await run();
    const ms = performance.now() - started;
    metrics.observe('airseries_job_duration_seconds', { task }, ms / 1_000);
    metrics.set('airseries_job_last_success_timestamp_seconds', { task }, clock().getTime() / 1_000);
    log.debug({ job: task, ms: Math.round(ms) }, 'job done');
  } catch (error) {
    metrics.add('airseries_job_failures_total', { task });
    log.error({ job: task, error: (error as Error).message }, 'job failed; it runs again at its next time');
  }
}
