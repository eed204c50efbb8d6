import { Unavailable } from './errors.ts';

/**
 * Limits on waiting. Work of known length gets a deadline. Work of unknown length is watched: a cut network or a frozen server says
 * nothing, and neither does a long statement, so the database is asked something short beside it for as long as it lasts.
 */

/** A promise with a limit: rejects with what `late` makes once `ms` have passed. What is late is not stopped, only no longer awaited. */
export async function withTimeout<T>(ms: number, promised: PromiseLike<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([promised, limit]);
  } finally {
    clearTimeout(timer);
  }
}

export type Rhythm = {
  /** How long after the work began, and after each answer, the database is asked. */
  everyMs: number;
  /** How long it may take to answer. */
  answerMs: number;
};

/** Resolves or rejects as `work` does; rejects with the code AWAY once `ask` was not answered. The work is not stopped, only no longer awaited. */
export async function whileAnswered<T>(
  work: PromiseLike<T>,
  ask: () => PromiseLike<unknown>,
  { everyMs, answerMs }: Rhythm,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const silence = new Promise<never>((_, reject) => {
    const beat = async () => {
      await answered(ask, answerMs);
      if (!over) timer = setTimeout(() => beat().catch(reject), everyMs);
    };
    timer = setTimeout(() => beat().catch(reject), everyMs);
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    over = true;
    clearTimeout(timer);
  }
}

async function answered(ask: () => PromiseLike<unknown>, answerMs: number): Promise<void> {
  const away = (cause?: unknown) =>
    Object.assign(new Error(`the database did not answer within ${answerMs} ms`, { cause }), { code: 'AWAY' });
  try {
    await withTimeout(answerMs, ask(), away);
  } catch (error) {
    if (!isOfServer(error)) throw away(error);
  }
}

/** A server that refuses, because it has no connection left for instance, is there. */
const isOfServer = (error: unknown) => /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));

/**
 * A place for each connection of a pool, so that a question waits here, for a limited time, and not in line behind a slow one. Only so
 * many wait as may hope for an answer: what comes beyond is refused at once, which costs nothing and keeps those that wait in time.
 */

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
