/** A service in this process, with some of its configuration, over the database of a test. */
import { onTestFinished } from 'vitest';
import type { Job } from '../../src/aggregate/jobs.ts';
import { makeLog } from '../../src/base/log.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { type Service, start } from '../../src/service.ts';
import type { Installation } from './installation.ts';
import { freePort } from './program.ts';

export const LAUNCHED_AT = new Date('2026-11-20T12:00:00Z');

type Ports = Record<'port' | 'adminPort' | 'ingestPort', number>;
export type Launched = {
  service: Service;
  ports: Ports;
  jobs: Map<string, Job>;
  failure: Promise<string>;
};

/** Starts the service over the test's database, with these values instead of the defaults. */
export async function launch(here: Installation, config: Partial<Config> = {}): Promise<Launched> {
  const launched = await launchForAll(here, config);
  onTestFinished(() => launched.service.stop(0));
  return launched;
}

/** The same service, which the caller stops. */
export async function launchForAll(here: Installation, config: Partial<Config>): Promise<Launched> {
  const ports = {
    port: Number(await freePort()),
    adminPort: Number(await freePort()),
    ingestPort: Number(await freePort()),
  };
  const jobs = new Map<string, Job>();
  const service = start(
    { ...readConfig({}), databaseUrl: address(here.database.target), ...ports, ...config },
    {
      clock: () => LAUNCHED_AT,
      log: makeLog('silent'),
      schedule: (all) => {
        for (const job of all) jobs.set(job.name, job);
        return async () => undefined;
      },
    },
  );
  const failure = service.ready.then(
    () => 'none',
    (error: Error) => error.message,
  );
  return { service, ports, jobs, failure };
}

/** The driver takes either; tests have a socket. */
export const address = (target: DatabaseAddress) => target as string;

export async function ready(launching: Promise<Launched>): Promise<Launched> {
  const launched = await launching;
  await launched.service.ready;
  return launched;
}

/** Starts the service; resolves once it answers. */
export const running = (here: Installation, config?: Partial<Config>) =>
  ready(launch(here, config));
