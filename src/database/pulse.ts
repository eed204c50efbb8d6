/**
 * Waiting for work of unknown length on a database that may fall silent: a network that is cut without a word, or a server that
 * froze, says nothing, and neither does a long statement. So the database is asked something short beside it, again and again, and
 * the waiting goes on as long as that is answered.
 */
import { within } from './timeouts.ts';

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
    await within(answerMs, ask(), away);
  } catch (error) {
    if (!isOfServer(error)) throw away(error);
  }
}

/** A server that refuses, because it has no connection left for instance, is there. */
const isOfServer = (error: unknown) => /^[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code));
