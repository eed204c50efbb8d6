/**
 * The built service as a process of its own, answering from a database that was made for a
 * measurement.
 */
import { freePort } from '../../../support/freePort.ts';
import type { TestDatabase } from '../../../support/makeDatabase.ts';
import { addressVariables, ready, runAirseries } from '../../../support/program.ts';
import type { Context } from './measure.ts';
import { TIME_ZONE } from './network.ts';
import { NOW } from './world.ts';

export const BASE = '/en/air-quality-app/v1';
/** Every document is rendered for its request. */
export const UNKEPT = { RESPONSE_CACHE_MB: '0' };

export type Service = { port: number; adminPort: number; pid: number; close(): Promise<void> };

/** With the clock at NOW unless the environment says otherwise; it ends with the measure. */
export async function startService(
  { after }: Context,
  { target }: TestDatabase,
  environment: Record<string, string> = {},
): Promise<Service> {
  const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
  const own = { ...addressVariables(target), DATABASE_URL: 'postgres://', ROLE: 'api', TIME_ZONE };
  const quiet = { LOG_LEVEL: 'warn', DRAIN_SECONDS: '0', DEMO: 'off' };
  const ports = { PORT, ADMIN_PORT, INGEST_PORT, FIXED_NOW: NOW.toISOString() };
  const service = runAirseries(['start'], { ...own, ...quiet, ...ports, ...environment });
  const close = async () => {
    service.kill('SIGTERM');
    await service.finished;
  };
  after(close);
  await ready(ADMIN_PORT, service);
  return { port: Number(PORT), adminPort: Number(ADMIN_PORT), pid: service.pid, close };
}
