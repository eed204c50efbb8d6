/**
 * Becoming a user of the server, which starts one if none runs, and ceasing to be one, which ends it if no user is left. A user opens a
 * reference and sends a name through it; it has joined once the watcher of the running server has replied to that name, which a watcher
 * does only before end-of-file.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, readFileSync, rmSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../errors.ts';
import type { Home } from './home.ts';
import { lastLogLines, liveServer, type Postmaster, readPostmaster, type StartedWrapper } from './postmaster.ts';
import { acquire, isReferenced, isWatched, type Reference, send } from './references.ts';

/** `startedHere` is false if another process had started the server. */
export type Joined = { reference: Reference; startedHere: boolean; postmaster: Postmaster };

const START_TIMEOUT_MS = 120_000; // recovery after a power loss replays up to max_wal_size
const STOP_TIMEOUT_MS = 120_000; // the last checkpoint may have much to write on a slow disk
const MAX_STARTS = 5;
const POLL_MS = 10;

/**
 * Resolves once the server is ready and counts us as a user; `start` is called where none runs. Rejects, with the last lines of the
 * server's log, if it does not start five times in a row or is not ready after two minutes.
 */
export async function join(home: Home, start: () => Promise<StartedWrapper>): Promise<Joined> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  const wrappers: number[] = [];
  for (;;) {
    let reference = acquire(home.references);
    if (reference === undefined) {
      if (wrappers.length === MAX_STARTS) throw new Error(`PostgreSQL does not start. ${lastLogLines(home)}`);
      if (wrappers.length > 0) await pause(100 * 2 ** wrappers.length);
      await stopUnwatched(home);
      const started = await start();
      wrappers.push(started.wrapper);
      reference = started.reference;
    }
    const reply = await awaitReply(reference, home, deadline).catch((error) => {
      closeSync(reference);
      throw error;
    });
    if (reply) return { reference, startedHere: wrappers.includes(reply.wrapper), postmaster: reply.postmaster };
    closeSync(reference); // the watcher has exited, and its server with it: try again
  }
}

/** Undefined if the watcher exits first. */
async function awaitReply(
  reference: Reference,
  home: Home,
  deadline: number,
): Promise<{ wrapper: number; postmaster: Postmaster } | undefined> {
  const name = randomUUID(); // a process id would recur one day and find an old reply
  const path = joinPath(home.replies, name);
  try {
    while (send(reference, name)) {
      if (performance.now() > deadline) {
        throw new Error(`PostgreSQL was not ready after ${START_TIMEOUT_MS / 1000} s. ${lastLogLines(home)}`);
      }
      await pause(POLL_MS);
      const postmaster = readPostmaster(home);
      const [pid, wrapper] = readReply(path);
      // the watcher of another server, one that lost the race or has died, may have replied: that says nothing about this one
      if (wrapper !== undefined && postmaster?.ready && postmaster.pid === pid) return { wrapper, postmaster };
    }
    return undefined;
  } finally {
    rmSync(path, { force: true });
  }
}

/** The process ids of the server and its wrapper; empty while there is no complete reply. */
function readReply(path: string): number[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text.endsWith('\n') ? text.trim().split(' ').map(Number) : [];
  } catch {
    return [];
  }
}

/** Closes the reference. If no other process has one, resolves once the server is down; rejects if that takes over two minutes. */
export async function leave(home: Home, reference: Reference): Promise<void> {
  closeSync(reference);
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  for (;;) {
    const pid = liveServer(home); // not the one we joined, if that was replaced
    if (pid === undefined || isReferenced(home.references)) return;
    if (performance.now() > deadline) throw stillRunning(home, pid);
    await pause(POLL_MS);
    await stopUnwatched(home);
  }
}

/**
 * Stops a live server without a watcher and waits until it is down: its watcher was killed, or has just seen the last user leave. The
 * order of the two checks matters: a watcher opens its end before its server runs, so a server that was alive before the FIFO had no
 * reader is not one that is just starting.
 */
async function stopUnwatched(home: Home): Promise<void> {
  const pid = liveServer(home);
  if (pid === undefined || isWatched(home.references)) return;
  try {
    process.kill(pid, 'SIGINT'); // fast shutdown; a second one changes nothing
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (liveServer(home) === pid) {
    if (performance.now() > deadline) throw stillRunning(home, pid);
    await pause(POLL_MS);
  }
}

function stillRunning(home: Home, pid: number): Error {
  const seconds = STOP_TIMEOUT_MS / 1000;
  return new Error(`PostgreSQL (process ${pid}) is still shutting down after ${seconds} s.\n${lastLogLines(home)}`);
}
