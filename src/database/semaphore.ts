/**
 * A place for each connection of a pool, so that a question waits here, for a limited time, and not in line behind a slow one. Only so
 * many wait as may hope for an answer: what comes beyond is refused at once, which costs nothing and keeps those that wait in time.
 */
import { Unavailable } from './errors.ts';
import { withTimeout } from './timeouts.ts';

export type Semaphore = {
  acquire(): Promise<void>;
  release(): void;
  /** There is no use in waiting any more. */
  refuseWaiting(reason: unknown): void;
  inUse(): number;
  waiting(): number;
};

export function makeSemaphore(
  free: number,
  { patienceMs, mostWaiting }: { patienceMs: number; mostWaiting: number },
): Semaphore {
  const all = free;
  const waiting = new Map<() => void, (reason: unknown) => void>();
  return {
    inUse: () => all - free,
    waiting: () => waiting.size,
    async acquire() {
      if (free > 0) {
        free -= 1;
        return;
      }
      if (waiting.size >= mostWaiting) throw new Unavailable(`${mostWaiting} statements already wait for a connection`);
      let turn: () => void = () => undefined;
      const called = new Promise<void>((resolve, reject) => {
        turn = resolve;
        waiting.set(turn, reject);
      });
      await withTimeout(patienceMs, called, () => {
        waiting.delete(turn);
        return new Unavailable(`no database connection became free within ${patienceMs} ms`);
      });
    },
    release() {
      const [turn] = waiting.keys();
      if (turn === undefined) {
        free += 1;
        return;
      }
      waiting.delete(turn);
      turn();
    },
    refuseWaiting(reason) {
      const all = [...waiting.values()];
      waiting.clear();
      for (const refuse of all) refuse(reason);
    },
  };
}
