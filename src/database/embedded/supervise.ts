/**
 * Restarting a server that ended while in use (killed, out of memory, out of disk space), at the same address, so that clients only have
 * to retry; and limiting the size of its log.
 */
import { closeSync, statSync } from 'node:fs';
import type { Log } from '../../log.ts';
import { type Home, runAs } from './home.ts';
import { type Joined, leave } from './join.ts';
import { liveServer } from './postmaster.ts';

const CHECK_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 3_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

export type Supervision = {
  /** Ends the supervision, waits for a restart that is under way, and leaves the server; rejects as `leave` does. Call it once. */
  release(): Promise<void>;
};

/** Checks the server every second until released. `join` is called, and called again three seconds after a failure, to restart it. */
export function supervise(home: Home, joined: Joined, join: () => Promise<Joined>, log: Log): Supervision {
  let { reference } = joined;
  let releasing = false;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();

  /** Resolves to the milliseconds until the next check. */
  const check = async () => {
    await rotateLog(home);
    if (liveServer(home) !== undefined) return CHECK_EVERY_MS;
    log.error('the embedded PostgreSQL has stopped; restarting it');
    try {
      const rejoined = await join();
      closeSync(reference);
      reference = rejoined.reference;
      log.info({ pid: rejoined.postmaster.pid }, 'the embedded PostgreSQL has restarted');
      return CHECK_EVERY_MS;
    } catch (error) {
      log.error({ err: error }, 'the embedded PostgreSQL failed to start; retrying');
      return RETRY_AFTER_MS;
    }
  };
  const checkAfter = (ms: number) => {
    timer = setTimeout(() => {
      checking = check().then(
        (next) => void (releasing || checkAfter(next)),
        (error: Error) => {
          log.error({ err: error }, 'the embedded PostgreSQL could not be checked');
          if (!releasing) checkAfter(RETRY_AFTER_MS);
        },
      );
    }, ms);
    timer.unref(); // must not keep a finished command alive
  };
  checkAfter(CHECK_EVERY_MS);
  return {
    async release() {
      releasing = true;
      clearTimeout(timer);
      await checking;
      await leave(home, reference);
    },
  };
}

/** PostgreSQL keeps the file open, so it is copied and emptied rather than renamed. */
const ROTATE = 'umask 077; cp -f "$1" "$1.old" && : >"$1"';

/** Keeps one older file once the log exceeds 10 MiB. */
export async function rotateLog(home: Home): Promise<void> {
  const size = statSync(home.log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) await runAs(home.user, '/bin/sh', ['-c', ROTATE, 'sh', home.log]);
}
