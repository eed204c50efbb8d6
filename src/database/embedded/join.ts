/**
 * Becoming a user of the server, starting one if there is none, and counting users: every user holds a FIFO open for writing, the server's
 * watcher reads it, and the kernel reports its end when the last user is gone, by whatever death. Holding it is not enough, since the
 * watcher may have seen its end an instant before; so a user sends a line and is in only when the watcher of the running server has
 * answered it, which a watcher does only before the end. The FIFO is never removed: users of a replaced server are users of the next one.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Place } from './home.ts';
import { errorCode, lastLines, type Postmaster, readPostmaster } from './postmaster.ts';
import { stopUnwatched } from './supervise.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** Become a user; undefined if nobody watches. Being let in needs the watcher's answer too: see `join.ts`. */
export function hold(path: string): number | undefined {
  try {
    return openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    // ENXIO is how a FIFO says that nobody reads it.
    if (errorCode(error) === 'ENXIO' || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Both ends at once, for whoever starts a server: the watcher inherits an end that already has a writer, so there is no
 * moment in which our death would leave it waiting for a first user. The ends open one after the other because
 * each open would block, or fail, without its counterpart; the end to inherit must be a blocking one.
 */
export function openBothEnds(path: string): { held: number; readEnd: number } {
  const first = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const held = openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
    return { held, readEnd: openSync(path, O_RDONLY | O_NOFOLLOW) };
  } finally {
    closeSync(first);
  }
}

/** Whether anybody reads the lifeline: a watcher or, for a moment, somebody who is starting one. */
export function isWatched(path: string): boolean {
  const held = hold(path);
  if (held === undefined) return false;
  closeSync(held);
  return true;
}

/** Whether anybody else uses the server: without a writer a read ends at once, with one it would have to wait. */
export function isHeld(path: string): boolean {
  const end = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    // Lines taken away from the watcher here are sent again by those who wait for an answer.
    const taken = Buffer.alloc(4096);
    while (readSync(end, taken) > 0);
    return false;
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return true;
    throw error;
  } finally {
    closeSync(end);
  }
}

/** Sends a line to the watcher; false if it is gone. A full FIFO is no error: the line is sent again anyway. */
export function send(held: number, line: string): boolean {
  try {
    writeSync(held, `${line}\n`);
  } catch (error) {
    if (errorCode(error) === 'EPIPE') return false;
    if (errorCode(error) !== 'EAGAIN') throw error;
  }
  return true;
}

export type Started = { held: number; wrapper: number };
export type Joined = { held: number; startedHere: boolean; postmaster: Postmaster };

const TIMEOUT_MS = 120_000; // recovery after a power loss replays up to max_wal_size
const MOST_STARTS = 5;
const POLL_MS = 10;

export async function join(place: Place, start: () => Promise<Started>): Promise<Joined> {
  const deadline = performance.now() + TIMEOUT_MS;
  const wrappers: number[] = [];
  for (;;) {
    let held = hold(place.lifeline);
    if (held === undefined) {
      if (wrappers.length === MOST_STARTS) throw new Error(`PostgreSQL does not start. ${lastLines(place)}`);
      if (wrappers.length > 0) await pause(100 * 2 ** wrappers.length);
      await stopUnwatched(place);
      const started = await start();
      wrappers.push(started.wrapper);
      held = started.held;
    }
    const answer = await ask(held, place, deadline).catch((error) => {
      closeSync(held);
      throw error;
    });
    if (answer) return { held, startedHere: wrappers.includes(answer.wrapper), postmaster: answer.postmaster };
    closeSync(held); // the watcher is gone, with its server: go round again
  }
}

async function ask(held: number, place: Place, deadline: number) {
  const name = randomUUID(); // a process id would come again one day and find an old answer
  const answer = joinPath(place.answers, name);
  try {
    while (send(held, name)) {
      if (performance.now() > deadline) {
        throw new Error(`PostgreSQL was not ready after ${TIMEOUT_MS / 1000} s. ${lastLines(place)}`);
      }
      await pause(POLL_MS);
      const postmaster = readPostmaster(place);
      const [pid, wrapper] = readAnswer(answer);
      // An answer from the watcher of another server, one that lost the race or has died, says nothing about this one.
      if (wrapper !== undefined && postmaster?.ready && postmaster.pid === pid) return { wrapper, postmaster };
    }
    return undefined;
  } finally {
    rmSync(answer, { force: true });
  }
}

function readAnswer(path: string): number[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text.endsWith('\n') ? text.trim().split(' ').map(Number) : [];
  } catch {
    return [];
  }
}
