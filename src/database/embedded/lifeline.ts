/**
 * The lifeline counts the users of a server. It is a FIFO: every user holds it open for writing, the server's watcher
 * reads it, and the kernel reports its end when the last user is gone, by whatever death. The FIFO itself is never
 * removed, so that users of a server that had to be replaced are users of the next one.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { errorCode } from './errorCode.ts';

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
