/**
 * A server is started again when it ended under its users (killed, out of memory, out of space), in the same place, so whoever queries it
 * has only to retry; its log is kept from growing without end. It ends when its last user leaves: by its watcher, or by us when that is gone.
 */
import { closeSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import { type Place, runAs } from './home.ts';
import { isHeld, isWatched, type Joined } from './join.ts';
import { errorCode, lastLines, liveServer } from './postmaster.ts';

const LOOK_EVERY_MS = 1_000;
const PAUSE_MS = 3_000;
export const LARGEST_LOG = 10 * 1024 * 1024;

type Kept = {
  /** Lets go; see `leave`. A server that is just being started again is let go of as well. */
  release(): Promise<void>;
};

export function keepServer(place: Place, first: Joined, join: () => Promise<Joined>, log: Log): Kept {
  let { held } = first;
  let releasing = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  const look = async () => {
    await turnLog(place);
    if (liveServer(place) !== undefined) return LOOK_EVERY_MS;
    log.error('the embedded PostgreSQL has stopped; restarting it');
    try {
      const { held: next, postmaster } = await join();
      closeSync(held);
      held = next;
      log.info({ pid: postmaster.pid }, 'the embedded PostgreSQL is back');
      return LOOK_EVERY_MS;
    } catch (error) {
      log.error({ err: error }, 'the embedded PostgreSQL failed to start; retrying');
      return PAUSE_MS;
    }
  };
  const lookIn = (ms: number) => {
    timer = setTimeout(() => {
      looking = look().then(
        (next) => void (releasing || lookIn(next)),
        (error: Error) => log.error({ err: error }, 'the embedded PostgreSQL could not be checked'),
      );
    }, ms);
    timer.unref(); // a command that is done need not wait
  };
  lookIn(LOOK_EVERY_MS);
  return {
    async release() {
      releasing = true;
      clearTimeout(timer);
      await looking;
      await leave(place, held);
    },
  };
}

/** What PostgreSQL writes to it from now on follows after what is kept of it in one older file. */
const TURN = 'umask 077; cp -f "$1" "$1.old" && : >"$1"';

export async function turnLog(place: Place, largest = LARGEST_LOG): Promise<void> {
  const size = statSync(place.log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > largest) await runAs(place.user, '/bin/sh', ['-c', TURN, 'sh', place.log]);
}

const TIMEOUT_MS = 120_000; // the last checkpoint may have much to write on a slow disk
const POLL_MS = 10;

/** Lets go of the server. If nobody else holds it, resolves when it is down. */
export async function leave(place: Place, held: number): Promise<void> {
  closeSync(held);
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const pid = liveServer(place); // not the one we joined, if that had to be replaced
    if (pid === undefined || isHeld(place.lifeline)) return;
    if (performance.now() > deadline) throw stillRunning(place, pid);
    await pause(POLL_MS);
    await stopUnwatched(place);
  }
}

/**
 * Ends a live server that nobody watches, and waits until it is down: its watcher was killed, or has just seen the last
 * user leave. The order matters: a server that was alive before nobody watched is not one that is just starting,
 * because a watcher's end is open before its server runs.
 */
export async function stopUnwatched(place: Place): Promise<void> {
  const pid = liveServer(place);
  if (pid === undefined || isWatched(place.lifeline)) return;
  try {
    process.kill(pid, 'SIGINT'); // fast shutdown; a second one changes nothing
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
  const deadline = performance.now() + TIMEOUT_MS;
  while (liveServer(place) === pid) {
    if (performance.now() > deadline) throw stillRunning(place, pid);
    await pause(POLL_MS);
  }
}

function stillRunning(place: Place, pid: number): Error {
  const seconds = TIMEOUT_MS / 1000;
  return new Error(`PostgreSQL (process ${pid}) is still shutting down after ${seconds} s.\n${lastLines(place)}`);
}
