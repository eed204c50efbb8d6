/** Waiting for the database at a start: it may be starting too. */
import type { Log } from '../base/log.ts';
import { Unavailable } from '../base/unavailable.ts';
import { errorCode, type FailureKind, failureOf } from './errors.ts';

const RETRY_FOR_MS = 60_000;
const RETRY_EVERY_MS = 1_000;
const LOG_EVERY_NTH = 10;

const WAITED_FOR: ReadonlySet<FailureKind> = new Set(['silent', 'lost', 'busy']);

/**
 * Repeats `work` until it reaches the database, for a minute; then rejects with a remedy. What
 * waiting cannot fix (a wrong password, a missing database, a bug) is thrown at once.
 */
export async function waitForDatabase<T>(work: () => Promise<T>, log: Log): Promise<T> {
  const deadline = performance.now() + RETRY_FOR_MS;
  for (let n = 0; ; n++) {
    try {
      return await work();
    } catch (error) {
      const mayPass = error instanceof Unavailable || WAITED_FOR.has(failureOf(error).kind);
      if (!mayPass) throw error;
      const reason = (error as Error).message || errorCode(error);
      const left = Math.ceil((deadline - performance.now()) / 1_000);
      if (left <= 0) {
        // it may have one already
        const remedy = /[.?]$/.test(reason) ? '' : '. Is it running, and is DATABASE_URL right?';
        throw new Error(`No database for ${RETRY_FOR_MS / 1_000} seconds: ${reason}${remedy}`, {
          cause: error,
        });
      }
      if (n % LOG_EVERY_NTH === 0) {
        log.warn({ reason, seconds_left: left }, 'the database is not reachable yet; waiting');
      }
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_EVERY_MS));
  }
}
