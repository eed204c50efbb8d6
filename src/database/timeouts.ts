/**
 * Limits on waiting. A cut network or a frozen server reports nothing, so work of known length gets
 * a deadline; a long statement is silent too, so during work of unknown length the database is
 * probed. A semaphore limits how many statements wait, and for how long.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../base/unavailable.ts';
import { errorCode } from './errors.ts';

/**
 * Rejects with the error that `late` returns once `ms` have passed. Late work is not stopped, only
 * no longer awaited.
 */
export async function withTimeout<T>(
  ms: number,
  work: PromiseLike<T>,
  late: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** The database did not answer something short in time; its code is UNREACHABLE. */
export function unreachable(timeoutMs: number, cause?: unknown): Error {
  const error = new Error(`the database did not answer within ${timeoutMs} ms`, { cause });
  return Object.assign(error, { code: 'UNREACHABLE' });
}

export type ProbeTiming = {
  /** How long after the work began, and after each answer, the next probe is sent. */
  intervalMs: number;
  /** How long the answer to a probe may take. */
  timeoutMs: number;
};

/**
 * Resolves or rejects as `work` does, or rejects with code UNREACHABLE once a probe goes
 * unanswered. An error from the server is an answer: it may have no connection left, for instance.
 * The work is not stopped, only no longer awaited.
 */
export async function withLivenessProbe<T>(
  work: PromiseLike<T>,
  probe: () => PromiseLike<unknown>,
  { intervalMs, timeoutMs }: ProbeTiming,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const unanswered = new Promise<never>((_, reject) => {
    const probeAfterInterval = () => {
      timer = setTimeout(async () => {
        try {
          await answeredInTime(timeoutMs, probe());
        } catch (error) {
          if (!isFromServer(error)) return reject(unreachable(timeoutMs, error));
        }
        if (!isOver) probeAfterInterval();
      }, intervalMs);
    };
    probeAfterInterval();
  });
  try {
    return await Promise.race([work, unanswered]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

const TURNS = 30;

/**
 * Rejects with UNREACHABLE once this process has had time to read an answer, in so many turns of
 * its event loop. By the clock alone, a process that computed for three seconds on a busy machine
 * took its own delay for the server's: a first start with the demo ended so at load 25.
 */
async function answeredInTime(timeoutMs: number, answer: PromiseLike<unknown>): Promise<void> {
  let isAnswered = false;
  const silence = async () => {
    for (let turn = 0; turn < TURNS && !isAnswered; turn++) await pause(timeoutMs / TURNS);
    if (!isAnswered) throw unreachable(timeoutMs);
  };
  try {
    await Promise.race([answer, silence()]);
  } finally {
    isAnswered = true;
  }
}

/** SQLSTATEs have a digit, unlike EPIPE. */
const isFromServer = (error: unknown) => /^(?=.*\d)[0-9A-Z]{5}$/.test(errorCode(error));

/** Returns a function whose concurrent calls share one promise. */
export function singleFlight<T>(work: () => PromiseLike<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= Promise.resolve(work()).finally(() => {
      current = undefined;
    });
    return current;
  };
}

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
