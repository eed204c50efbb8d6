/** node-cron behind a few lines: every job by the UTC clock, never twice at once, its failures told and never fatal. */
import { schedule as cron } from 'node-cron';
import type { Log } from '../log.ts';

export type Job = {
  readonly name: string;
  /** Cron expression. */
  readonly every: string;
  run(): Promise<void>;
};

/** Starts the jobs; the function it returns stops them and waits for the one that is running. */
export function scheduleJobs(jobs: readonly Job[], log: Log): () => Promise<void> {
  const running = new Set<Promise<void>>();
  const tasks = jobs.map((job) =>
    cron(
      job.every,
      async () => {
        const run = runJob(job, log);
        running.add(run);
        await run;
        running.delete(run);
      },
      { name: job.name, noOverlap: true, timezone: 'UTC' },
    ),
  );
  return async () => {
    await Promise.all(tasks.map((task) => task.destroy()));
    await Promise.all(running);
  };
}

async function runJob(job: Job, log: Log): Promise<void> {
  const started = performance.now();
  try {
    await job.run();
    log.debug({ job: job.name, ms: Math.round(performance.now() - started) }, 'job done');
  } catch (error) {
    log.error({ job: job.name, error: (error as Error).message }, 'job failed; it runs again at its next time');
  }
}
