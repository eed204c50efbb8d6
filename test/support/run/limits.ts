/**
 * Limits of time that follow the machine: their lengths on a quiet one, times the slowness of this
 * one, measured when the run begins. A limit only ends a test that hangs; how fast something is,
 * `npm run bench` and the second half of `npm run test:all` measure.
 */
import { spawnSync } from 'node:child_process';
import { pbkdf2Sync } from 'node:crypto';
import { availableParallelism, loadavg } from 'node:os';

declare module 'vitest' {
  export interface ProvidedContext {
    slowness: number;
  }
}

/** The time of the work below on two quiet cores. */
const QUIET_MS = 550;

/** 1 on a quiet machine, 10 where everything takes ten times as long. */
function measureSlowness(): number {
  const began = performance.now();
  for (let n = 0; n < 3; n++) {
    spawnSync(process.execPath, ['-e', '']);
    pbkdf2Sync('', '', 200_000, 32, 'sha256');
  }
  const measured = (performance.now() - began) / QUIET_MS;
  const [lastMinute = 0] = loadavg();
  return Math.ceil(Math.max(1, measured, lastMinute / availableParallelism()) * 10) / 10;
}

const slowness = measureSlowness();

/** Limits for Vitest's configuration, long because they end only tests that hang. */
export const limits = {
  provide: { slowness },
  testTimeout: 180_000 * slowness,
  hookTimeout: 300_000 * slowness,
  teardownTimeout: 60_000 * slowness,
  expect: { poll: { timeout: 30_000 * slowness } },
};
