/**
 * The built service as a process of its own, answering from a database that was made for a
 * measurement.
 */
import { freePort } from '../../../support/freePort.ts';
import type { TestDatabase } from '../../../support/makeDatabase.ts';
import { addressVariables, ready, runProgram } from '../../../support/program.ts';
import { NOW, TIME_ZONE } from './world.ts';

export const BASE = '/en/air-quality-app/v1';

export type Service = {
  port: number;
  adminPort: number;
  pid: number;
  close(): Promise<void>;
};

/** With the clock at NOW unless the environment says otherwise. */
export async function startService(
  { target }: TestDatabase,
  environment: Record<string, string> = {},
): Promise<Service> {
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const program = new URL('../../../../dist/cli.js', import.meta.url).pathname;
  const own = {
    ...addressVariables(target),
    DATABASE_URL: 'postgres://',
    ROLE: 'api',
    TIME_ZONE,
    FIXED_NOW: NOW.toISOString(),
  };
  const quiet = { LOG_LEVEL: 'warn', DRAIN_SECONDS: '0', DEMO: 'off' };
  const service = runProgram([process.execPath, program, 'start'], {
    environment: { ...own, ...quiet, PORT, ADMIN_PORT, INGEST_PORT, ...environment },
  });
  await ready(ADMIN_PORT, service);
  return {
    port: Number(PORT),
    adminPort: Number(ADMIN_PORT),
    pid: service.pid,
    async close() {
      service.kill('SIGTERM');
      await service.finished;
    },
  };
}
