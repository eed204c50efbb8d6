/** Measures the cost of work to its process: how long it blocks the event loop, memory, time. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

export type Cost = {
  /** The longest time that the event loop was blocked, in ms. */
  heldMs: number;
  /** Peak growth of the process' memory. */
  megabytes: number;
  seconds: number;
};

export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const before = process.memoryUsage().rss;
  const began = performance.now();
  let most = before;
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 20);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await setImmediate();
  delay.enable();
  await work();
  await setImmediate();
  delay.disable();
  clearInterval(watching);
  most = Math.max(most, process.memoryUsage().rss);
  const seconds = (performance.now() - began) / 1_000;
  return { heldMs: delay.max / 1e6, megabytes: (most - before) / 1_048_576, seconds };
}

/**
 * The least of a few tries, until one is short enough: other load on the machine may block the
 * process, too.
 */
export async function leastHeld(work: () => Promise<unknown>, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 4 && least > enoughMs; n++)
    least = Math.min(least, (await costOf(work)).heldMs);
  return least;
}
