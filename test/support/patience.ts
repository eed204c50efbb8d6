/** Limits of time in tests, and waiting for a condition. */
import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';

/** The limit on this machine for a limit on a quiet one (limits.ts), both in milliseconds. */
export const patient = (milliseconds: number): number =>
  Math.ceil(milliseconds * (inject('slowness') ?? 1));

/**
 * Polls a condition; rejects if it does not come true: it waits for an event, however slow the
 * machine is.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  const limit = patient(60_000);
  const deadline = performance.now() + limit;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${limit / 1_000} s: ${what}`);
    await pause(10);
  }
}
