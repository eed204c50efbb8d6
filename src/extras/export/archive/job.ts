/** The archive in a service: a run each night, and one soon after a start. */
import type { Job } from '../../../aggregate/jobs.ts';
import type { Clock } from '../../../base/clock.ts';
import { InputError } from '../../../base/inputError.ts';
import type { Log } from '../../../base/log.ts';
import type { DatabaseAddress } from '../../../database/address.ts';
import { makeArchive } from './makeArchive.ts';

type Options = {
  target: DatabaseAddress;
  folder: string;
  timeZone: string;
  clock: Clock;
  log: Log;
  terminal: boolean;
  license: string | undefined;
};

export type ArchiveRuns = {
  /** After `maintain` and `audit`. */
  job: Job;
  /** Starts a run without waiting for it: a start may follow a rebuild, or a night without a worker. */
  begin(): void;
  /** Ends what is running, and resolves when it has ended. */
  stop(): Promise<void>;
};

export function archiveRuns({ clock, log, ...options }: Options): ArchiveRuns {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    const { signal } = stopping;
    signal.throwIfAborted();
    const archived = await makeArchive(options.target, { ...options, log, now: clock(), signal });
    if (archived === undefined)
      log.info('another session is making an archive from this database; this run is skipped');
    else if (archived.changed.length + archived.removed.length > 0)
      log.info(
        { changed: archived.changed.length, removed: archived.removed.length },
        `the archive in ${options.folder} has changed`,
      );
  };
  const runUnlessStopping = async () => {
    const next = running.catch(() => undefined).then(run); // one at a time
    running = next;
    await next.catch((error) => {
      if (!stopping.signal.aborted) throw error;
    });
  };
  return {
    job: { name: 'archive', schedule: '23 2 * * *', run: runUnlessStopping },
    begin() {
      runUnlessStopping().catch((error: Error) => {
        if (error instanceof InputError) log.error({ job: 'archive' }, error.message);
        else log.error({ job: 'archive', err: error }, 'job failed; it will run again at night');
      });
    },
    async stop() {
      stopping.abort();
      await running.catch(() => undefined);
    },
  };
}
