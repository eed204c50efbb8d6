/** The service as a process on a test database, with every listener open. */
import { createToken } from '../../src/ingest/http/tokens.ts';
import { NOW } from './clock.ts';
import { freePort } from './freePort.ts';
import type { Installation } from './installation.ts';
import { until } from './patience.ts';
import { addressVariables, type Running, ready, runAirseries } from './program.ts';

export type Service = Running & {
  port: Record<'public' | 'admin' | 'ingest', number>;
  /** A token scoped to the provider `us`. */
  token: string;
  /** Resolves when the log contains this. */
  logged(text: string): Promise<void>;
};

/** Starts the service with these variables; resolves once it is ready. */
export async function startService(
  here: Installation,
  environment: Record<string, string> = {},
): Promise<Service> {
  const service = await beginService(here, environment);
  await service.ready();
  return service;
}

/** Where it listens, once it is ready; `close` also drops the database. */
export async function serve(
  here: Installation,
): Promise<{ origin: string; close(): Promise<void> }> {
  const service = await startService(here);
  return {
    origin: `http://localhost:${service.port.public}`,
    async close() {
      service.kill('SIGTERM');
      await service.finished;
      await here.close();
    },
  };
}

/** Starts the service as well; resolves while it starts. */
export async function beginService(
  here: Installation,
  environment: Record<string, string> = {},
): Promise<Service & { ready(): Promise<void> }> {
  const owner = here.database.as();
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const { token } = await createToken(owner, {
    name: `feed ${PORT}`,
    provider: 'us',
    stations: null,
    now: NOW,
  });
  const service = runAirseries(['start'], {
    ...addressVariables(here.database.target),
    DATABASE_URL: 'postgres://', // the driver reads the address from PGHOST and others
    FIXED_NOW: NOW.toISOString(),
    PORT,
    ADMIN_PORT,
    INGEST_PORT,
    ...environment,
  });
  const logged = (text: string) =>
    until(() => service.log().includes(text), `the log says "${text}"`);
  return {
    ...service,
    port: { public: Number(PORT), admin: Number(ADMIN_PORT), ingest: Number(INGEST_PORT) },
    token,
    logged,
    async ready() {
      await ready(ADMIN_PORT, service);
      await logged('ready: ');
    },
  };
}
