/**
 * Becoming a user of the server, starting one if there is none. Holding the lifeline is not enough: the watcher may have
 * seen its end an instant before. So a user sends a line and is in only when the watcher of the running server has
 * answered it, which a watcher does only before the end. Who starts a server asks in the same way, because of
 * two that start at once PostgreSQL lets one serve.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, readFileSync, rmSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hold, send } from './lifeline.ts';
import type { Place } from './place.ts';
import { type Postmaster, readPostmaster } from './postmaster.ts';
import { lastLines } from './serverLog.ts';
import { stopUnwatched } from './shutdown.ts';

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
