/** The service in this process, over the database of a test, which says when a job runs. */
import { onTestFinished } from 'vitest';
import { runJob, type Schedule } from '../../src/aggregate/schedule.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { start } from '../../src/service.ts';
import { NOW } from './clock.ts';
import { freePort } from './freePort.ts';
import type { Installation } from './installation.ts';
import { keepingLog } from './keepingLog.ts';

export type Launched = {
  port: Record<'public' | 'admin' | 'ingest', number>;
  /** The names of its jobs. None runs by itself. */
  jobs: readonly string[];
  /** Runs a job as its schedule would, in another minute than the run before. */
  runJob(name: string): Promise<void>;
  /** What it has logged as an error. */
  errors(): string[];
  stop(): Promise<void>;
};

/**
 * A service that differs from the default in these values of its configuration, once it is ready.
 * Rejects if it cannot start. It stops with the test.
 */
export async function launch(here: Installation, config: Partial<Config> = {}): Promise<Launched> {
  const launched = await launchForSuite(here, config);
  onTestFinished(launched.stop);
  return launched;
}

/** The same, which the caller stops. */
export async function launchForSuite(
  here: Installation,
  config: Partial<Config> = {},
): Promise<Launched> {
  const port = {
    public: config.port ?? Number(await freePort()),
    admin: config.adminPort ?? Number(await freePort()),
    ingest: config.ingestPort ?? Number(await freePort()),
  };
  const settings = {
    ...readConfig({}),
    databaseUrl: address(here.database.target),
    ...config,
    port: port.public,
    adminPort: port.admin,
    ingestPort: port.ingest,
  };
  const log = keepingLog();
  const scheduled: Parameters<Schedule>[] = [];
  const service = start(settings, {
    clock: () => NOW,
    log,
    schedule: (...jobs) => {
      scheduled.push(jobs);
      return async () => undefined;
    },
    pollMs: 10,
  });
  const stop = () => service.stop(0);
  await service.ready.catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const [jobs = [], context] = scheduled[0] ?? [];
  return {
    port,
    jobs: jobs.map(({ name }) => name),
    async runJob(name) {
      const job = jobs.find((one) => one.name === name);
      if (job === undefined || context === undefined) throw new Error(`there is no job ${name}`);
      await here.database.as()`
        update raw.job_run set minute = minute - interval '1 minute' where job = ${name}`;
      await runJob(job, context);
    },
    errors: () => log.lines.filter(({ level }) => level === 'error').map(({ message }) => message),
    stop,
  };
}

/** The driver takes either; tests have a socket. */
export const address = (target: DatabaseAddress) => target as string;
