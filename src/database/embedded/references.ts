/**
 * Counting the users of a server with a FIFO: every user keeps it open for writing, the server's watcher reads it, and the kernel reports
 * end-of-file when the last user has closed it or died. The FIFO is never removed, so the users of a replaced server are counted by
 * the next one.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { errorCode } from '../errors.ts';

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** The file descriptor of an open writing end. It counts as one user until it is closed, or until the process ends. */
export type Reference = number;

/**
 * Opens a reference; undefined if no watcher reads the FIFO. A reference alone does not keep the server up, because the watcher may
 * just have read end-of-file: wait for its reply as well (join.ts).
 */
export function acquire(path: string): Reference | undefined {
  try {
    return openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
  } catch (error) {
    if (errorCode(error) === 'ENXIO' || errorCode(error) === 'ENOENT') return undefined; // ENXIO: the FIFO has no reader
    throw error;
  }
}

/**
 * Opens both ends, for the process that starts a server. The watcher inherits a reading end that already has a writer, so it sees
 * end-of-file even if we die at once. The caller closes `readEnd` once the watcher has it.
 */
export function openBothEnds(path: string): { reference: Reference; readEnd: number } {
  // each open would block or fail without its counterpart, and the inherited end must be a blocking one
  const first = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const reference = openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
    return { reference, readEnd: openSync(path, O_RDONLY | O_NOFOLLOW) };
  } finally {
    closeSync(first);
  }
}

/** Sends a line to the watcher; false if it has exited. A full FIFO is no error, because senders repeat the line until the reply. */
export function send(reference: Reference, line: string): boolean {
  try {
    writeSync(reference, `${line}\n`);
  } catch (error) {
    if (errorCode(error) === 'EPIPE') return false;
    if (errorCode(error) !== 'EAGAIN') throw error;
  }
  return true;
}

/** Whether a process reads the FIFO: a watcher or, briefly, a process that is starting one. */
export function isWatched(path: string): boolean {
  const reference = acquire(path);
  if (reference === undefined) return false;
  closeSync(reference);
  return true;
}

/** Whether any process has a reference: without a writer a read returns at once, with one it would block. */
export function isReferenced(path: string): boolean {
  const end = openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    // this may take lines meant for the watcher, but their senders repeat them
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
