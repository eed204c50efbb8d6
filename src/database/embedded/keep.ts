/**
 * A server that ended under its users (killed, out of memory, out of space) is started again, or joined if another user was quicker.
 * It comes back in the same place, so whoever asks it has only to ask again. Its log is kept from growing without end.
 */
import { closeSync, statSync } from 'node:fs';
import type { Log } from '../../log.ts';
import type { Joined } from './join.ts';
import type { Place } from './place.ts';
import { liveServer } from './postmaster.ts';
import { runAs } from './serverUser.ts';
import { leave } from './shutdown.ts';

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
    log.error('the embedded PostgreSQL has ended; starting it again');
    try {
      const { held: next, postmaster } = await join();
      closeSync(held);
      held = next;
      log.info({ pid: postmaster.pid }, 'the embedded PostgreSQL is back');
      return LOOK_EVERY_MS;
    } catch (error) {
      log.error({ error: (error as Error).message }, 'the embedded PostgreSQL could not be started; trying again');
      return PAUSE_MS;
    }
  };
  const lookIn = (ms: number) => {
    timer = setTimeout(() => {
      looking = look().then(
        (next) => void (releasing || lookIn(next)),
        (error: Error) => log.error({ error: error.message }, 'the embedded PostgreSQL cannot be looked after'),
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
