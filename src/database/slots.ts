/** A place for each connection of a pool, so that a question waits here, for a limited time, and not in line behind a slow one. */
import { Unavailable } from './unavailable.ts';
import { within } from './within.ts';

export type Slots = {
  take(): Promise<void>;
  give(): void;
  /** There is no use in waiting any more. */
  refuseWaiting(reason: unknown): void;
  inUse(): number;
  waiting(): number;
};

export function makeSlots(free: number, patienceMs: number): Slots {
  const all = free;
  const waiting = new Map<() => void, (reason: unknown) => void>();
  return {
    inUse: () => all - free,
    waiting: () => waiting.size,
    async take() {
      if (free > 0) {
        free -= 1;
        return;
      }
      let turn: () => void = () => undefined;
      const called = new Promise<void>((resolve, reject) => {
        turn = resolve;
        waiting.set(turn, reject);
      });
      await within(patienceMs, called, () => {
        waiting.delete(turn);
        return new Unavailable(`no database connection became free within ${patienceMs} ms`);
      });
    },
    give() {
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
