/**
 * The archive in a service: a run each night, one soon after a start, and one when a backfill or an
 * import into months that have ended is done, whichever process made it.
 */
import type { Job } from '../../aggregate/jobs.ts';
import type { Clock } from '../../base/clock.ts';
import { InputError } from '../../base/inputError.ts';
import type { Log } from '../../base/log.ts';
import type { DatabaseAddress } from '../../database/address.ts';
import { NIGHT } from './catalogue.ts';
import { findBacklog, makeArchive } from './makeArchive.ts';

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
  /** One at night, after `maintain` and `audit`, and one that looks for a backlog. */
  jobs: Job[];
  /** Starts a run without waiting for it: a start may follow a rebuild, or a night without a worker. */
  begin(): void;
  /** Ends what is running, and resolves when it has ended. */
  stop(): Promise<void>;
};

/**
 * Between two runs that no process waits for, at least this many times as long passes as the last one
 * took: on a large network where readings of the last month trickle in, the archive would otherwise
 * be made all day.
 */
const REST = 4;

export function archiveRuns({ clock, log, ...options }: Options): ArchiveRuns {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let restsUntil = 0;
  let backlog: string | undefined;
  const now = () => ({ ...options, log, now: clock(), signal: stopping.signal });
  let isMaking = false;
  const run = async () => {
    stopping.signal.throwIfAborted();
    isMaking = true;
    const archived = await makeArchive(options.target, now()).finally(() => {
      isMaking = false;
    });
    if (archived === undefined)
      log.info('another session is making an archive from this database; this run is skipped');
    else if (archived.changed.length + archived.removed.length > 0)
      log.info(
        { changed: archived.changed.length, removed: archived.removed.length },
        `the archive in ${options.folder} has changed`,
      );
  };
  const unlessStopping = (work: () => Promise<void>) => async () => {
    const next = running.catch(() => undefined).then(work); // one at a time
    running = next;
    await next.catch((error) => {
      if (!stopping.signal.aborted) throw error;
    });
  };
  const begin = () =>
    unlessStopping(run)().catch((error: Error) => {
      if (error instanceof InputError) log.error({ job: 'archive' }, error.message);
      else
        log.error({ job: 'archive', err: error }, 'job failed; it will run again within minutes');
    });
  /**
   * An import or a backfill is done once nothing was added since the last look. The run may take
   * longer than until the next one, and is not waited for.
   */
  const look = async () => {
    stopping.signal.throwIfAborted();
    const found = await findBacklog(options.target, now());
    const isDone = found !== undefined && found === backlog;
    backlog = found;
    const started = performance.now();
    if (!isDone || started < restsUntil) return;
    void begin().then(() => {
      restsUntil = performance.now() + REST * (performance.now() - started);
    });
  };
  const lookUnlessMaking = async () => {
    if (!isMaking) await unlessStopping(look)();
  };
  return {
    jobs: [
      {
        name: 'archive',
        schedule: `${NIGHT.minute} ${NIGHT.hour} * * *`,
        run: unlessStopping(run),
      },
      { name: 'archive_backlog', schedule: '1-59/2 * * * *', run: lookUnlessMaking },
    ],
    begin: () => void begin(),
    async stop() {
      stopping.abort();
      await running.catch(() => undefined);
    },
  };
}
