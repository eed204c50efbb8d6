/** Which failures mean that the database is unreachable or too busy, so that retrying may help; all others are bugs. And waiting for it at start. */
import type { Log } from '../log.ts';

/** There is no answer now, and there may be one soon. The message is for the log, never for a client. */
export class Unavailable extends Error {}

/** The server stopped the statement: it is there, and too slow. */
const TOO_SLOW = /^57014$/;

/** Codes of the server, of the driver, of the operating system under it, and our own for a server that says nothing (to a statement; to anything). */
const BROKEN =
  /^(08...|25006|28...|3D000|40001|53...|55000|57P..|CONNECTION_\w+|CONNECT_TIMEOUT|E(CONN|HOST|NET)\w+|EPIPE|ENOENT|EACCES|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|SILENCE|AWAY)$/;

/** Those of them after which a new connection may well succeed at once. */
const PASSING = /^(40001|57P0.|CONNECTION_(CLOSED|DESTROYED)|ECONN\w+|EPIPE|ENOENT|SILENCE)$/;

export const isConnectionError = (error: unknown): boolean => BROKEN.test(sqlState(error)) || endedItsSession(error);
/** Nothing is heard of the whole server: whoever waits for it waits in vain. */
export const isSilent = (error: unknown): boolean => sqlState(error) === 'AWAY';
export const isTransient = (error: unknown): boolean => PASSING.test(sqlState(error));

/** The error as Unavailable if it is of that kind, else as it is. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof Unavailable || !(isConnectionError(error) || TOO_SLOW.test(sqlState(error)))) return error;
  return new Unavailable(`${sqlState(error)}: ${(error as Error).message}`, { cause: error });
}

/** Whatever its code: a server without space on its disk, for one, ends a session with that of an internal error. */
function endedItsSession(error: unknown): boolean {
  const { severity } = Object(error) as { severity?: unknown };
  return severity === 'FATAL' || severity === 'PANIC';
}

/** Of the server, or the code of whatever is in between; empty without one. */
export function sqlState(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

const PATIENCE = { forMs: 60_000, everyMs: 1_000 };
const TELL_EVERY = 10;

/** Tries `work` until it finds the database, for a minute. What no waiting can mend (a password, a name, a fault of ours) is thrown at once. */
export async function waitForDatabase<T>(work: () => Promise<T>, log: Log, { forMs, everyMs } = PATIENCE): Promise<T> {
  const deadline = performance.now() + forMs;
  for (let n = 0; ; n++) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionError(error) || /^(28|3D)/.test(sqlState(error))) throw error;
      const reason = (error as Error).message || sqlState(error);
      const left = Math.ceil((deadline - performance.now()) / 1_000);
      if (left <= 0) {
        throw new Error(
          `No database for ${forMs / 1_000} seconds: ${reason}. Is it running, and is DATABASE_URL right?`,
          { cause: error },
        );
      }
      if (n % TELL_EVERY === 0) log.warn({ reason, seconds_left: left }, 'the database is not reachable yet; waiting');
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
