/** For the start: everything on a machine starts at once, and the database may need a moment longer than we do. */
import type { Log } from '../log.ts';
import { isBroken, sqlState } from './errors.ts';

const PATIENCE = { forMs: 60_000, everyMs: 1_000 };
const TELL_EVERY = 10;

/** Tries `work` until it finds the database, for a minute. What no waiting can mend (a password, a name, a fault of ours) is thrown at once. */
export async function whenThere<T>(work: () => Promise<T>, log: Log, { forMs, everyMs } = PATIENCE): Promise<T> {
  const deadline = performance.now() + forMs;
  for (let n = 0; ; n++) {
    try {
      return await work();
    } catch (error) {
      if (!isBroken(error) || /^(28|3D)/.test(sqlState(error))) throw error;
      const reason = (error as Error).message || sqlState(error);
      const left = Math.ceil((deadline - performance.now()) / 1_000);
      if (left <= 0) {
        throw new Error(
          `No database for ${forMs / 1_000} seconds: ${reason}. Is it running, and is DATABASE_URL right?`,
          { cause: error },
        );
      }
      if (n % TELL_EVERY === 0)
        log.warn({ reason, seconds_left: left }, 'the database does not answer yet; waiting for it');
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
