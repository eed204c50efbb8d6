/** How a server ends: by its watcher when the last user leaves, or by us when its watcher is gone too. */
import { closeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from './errorCode.ts';
import { isHeld, isWatched } from './lifeline.ts';
import type { Place } from './place.ts';
import { liveServer } from './postmaster.ts';
import { lastLines } from './serverLog.ts';

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
