/**
 * Work of unknown length: a long statement is as silent as a cut network or a frozen server, so the
 * database is probed while it runs. Whoever computes in this process meanwhile gives the event loop
 * a turn now and then; otherwise an answer is read too late.
 */
import { errorCode } from './errors.ts';
import { withTimeout } from './timeouts.ts';

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
          await withTimeout(timeoutMs, probe(), () => new Error('no answer'));
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

/** SQLSTATEs have a digit, unlike EPIPE. */
const isFromServer = (error: unknown) => /^(?=.*\d)[0-9A-Z]{5}$/.test(errorCode(error));

function unreachable(timeoutMs: number, cause: unknown): Error {
  const error = new Error(`the database did not answer within ${timeoutMs} ms`, { cause });
  return Object.assign(error, { code: 'UNREACHABLE' });
}
