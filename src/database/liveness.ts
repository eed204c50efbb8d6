/**
 * Work of unknown length: a long statement is as silent as a cut network or a frozen server, so the
 * database is probed while it runs. Whoever computes in this process meanwhile gives the event loop
 * a turn now and then. Where a timer is late all the same, the process was held and not the
 * database silent: of a probe that is late, the answer is awaited once more.
 */
import { errorCode } from './errors.ts';
import { withTimeout } from './timeouts.ts';

export type ProbeTiming = {
  /** How long after the work began, and after each answer, the next probe is sent. */
  intervalMs: number;
  /** How long the answer to a probe may take. */
  timeoutMs: number;
};

/** A timer that took this many times its time was held up with the whole process. */
const LATE = 1.5;

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
          await answered(probe, timeoutMs);
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

/**
 * Resolves when a probe is answered. The driver gives a connection two seconds to open; within the
 * time of a probe it is tried again. After a timer that was late the database is asked once more.
 */
async function answered(probe: () => PromiseLike<unknown>, timeoutMs: number): Promise<void> {
  const begun = performance.now();
  const waited = () => performance.now() - begun;
  const connected = async () => {
    for (;;) {
      try {
        return await probe();
      } catch (error) {
        if (errorCode(error) !== 'CONNECT_TIMEOUT' || waited() >= timeoutMs) throw error;
      }
    }
  };
  const late = () => new Error('no answer');
  try {
    await withTimeout(timeoutMs, connected(), late);
  } catch (error) {
    if (isFromServer(error) || waited() < LATE * timeoutMs) throw error;
    await withTimeout(timeoutMs, probe(), late);
  }
}

/** SQLSTATEs have a digit, unlike EPIPE. */
const isFromServer = (error: unknown) => /^(?=.*\d)[0-9A-Z]{5}$/.test(errorCode(error));

function unreachable(timeoutMs: number, cause: unknown): Error {
  const error = new Error(`the database did not answer within ${timeoutMs} ms`, { cause });
  return Object.assign(error, { code: 'UNREACHABLE' });
}
