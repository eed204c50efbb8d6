/** Statements that wait for a connection of a pool: their number is limited, and so is their wait. */
import { Unavailable } from '../base/unavailable.ts';
import { withTimeout } from './timeouts.ts';

/** Permits for the connections of a pool. */
export type Semaphore = {
  /**
   * Waits for a permit. Rejects with Unavailable if none is released in time, and at once if too
   * many wait already; with the signal's reason once that is aborted.
   */
  acquire(signal?: AbortSignal): Promise<void>;
  /** Call it once for each `acquire` that resolved. */
  release(): void;
  /** Rejects all waiting calls, because a permit would be of no use now. */
  rejectWaiting(reason: unknown): void;
  inUse(): number;
  waiting(): number;
};

/**
 * A bounded queue: statements wait here, for a limited time, rather than behind a slow one, and
 * only as many as can expect an answer. Refusing the rest at once costs nothing and keeps those
 * that wait in time.
 */
export function makeSemaphore(
  permits: number,
  { acquireTimeoutMs, maxWaiting }: { acquireTimeoutMs: number; maxWaiting: number },
): Semaphore {
  let free = permits;
  const waiting = new Map<() => void, (reason: unknown) => void>();
  return {
    inUse: () => permits - free,
    waiting: () => waiting.size,
    async acquire(signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return;
      }
      if (waiting.size >= maxWaiting)
        throw new Unavailable(`${maxWaiting} statements already wait for a connection`);
      let grant: () => void = () => undefined;
      const granted = new Promise<void>((resolve, reject) => {
        grant = resolve;
        waiting.set(grant, reject);
        signal?.addEventListener('abort', () => waiting.delete(grant) && reject(signal.reason), {
          once: true,
        });
      });
      await withTimeout(acquireTimeoutMs, granted, () => {
        waiting.delete(grant);
        return new Unavailable(`no database connection became free within ${acquireTimeoutMs} ms`);
      });
    },
    release() {
      const [grant] = waiting.keys();
      if (grant === undefined) {
        free += 1;
        return;
      }
      waiting.delete(grant);
      grant();
    },
    rejectWaiting(reason) {
      const rejects = [...waiting.values()];
      waiting.clear();
      for (const reject of rejects) reject(reason);
    },
  };
}
