/**
 * The version of the published data: a number that the database raises whenever they may have changed (logic.raise_data_version). A process
 * learns it by NOTIFY, and polls it every second as well: a connection that was cut silently delivers nothing, a standby sends nothing, and
 * each answer confirms that the database is in contact.
 */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { connect, type DatabaseAddress } from './client.ts';
import type { ApiDb } from './pools.ts';

const POLL_MS = 1_000;
/** Longer than a query may take to fail. */
const CONTACT_MS = 4_000;
const CHANNEL = 'airseries_data';

export type DataVersionWatch = {
  /** The newest version; undefined while the database is not in contact. */
  current(): number | undefined;
  /** The newest version heard of, and when it was last confirmed; undefined before the first contact. */
  lastKnown(): { version: number; at: Date } | undefined;
  /** Calls back after each new version. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
};

type Options = { db: ApiDb; target: DatabaseAddress; clock: Clock; log: Log };

/** `target` is the database that `db` reads from. Never rejects: without contact there is no current version. */
export function watchDataVersion({ db, target, clock, log }: Options): DataVersionWatch {
  const listeners: (() => void)[] = [];
  let known: { version: number; at: Date } | undefined;
  let contactAt = Number.NEGATIVE_INFINITY; // of performance.now()
  let isLost = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function hear(version: number): void {
    const isNew = known === undefined || version > known.version;
    known = { version: isNew ? version : (known?.version ?? version), at: clock() };
    if (isNew) for (const listener of listeners) listener();
  }

  async function poll(): Promise<void> {
    const askedAt = performance.now();
    try {
      const row = await db.selectFrom('api.freshness').select('data_version').executeTakeFirst();
      if (row === undefined) return;
      if (isLost) log.info('in contact with the database again');
      isLost = false;
      contactAt = askedAt;
      hear(Number(row.data_version));
    } catch (error) {
      if (!isLost && !closed)
        log.warn({ reason: (error as Error).message }, 'lost contact with the database; serving kept responses');
      isLost = true;
      contactAt = Number.NEGATIVE_INFINITY;
    }
  }

  async function run(): Promise<void> {
    await poll();
    if (!closed) timer = setTimeout(run, POLL_MS).unref();
  }
  void run();

  const connection = connect(target, { role: 'airseries_reader', name: 'airseries listen', max: 1 });
  connection
    .listen(
      CHANNEL,
      (payload) => hear(Number(payload)),
      () => void poll(),
    )
    .catch((error: Error) =>
      log.info({ err: error }, 'no notifications from this database; asking for changes instead'),
    );

  return {
    current: () => (performance.now() - contactAt <= CONTACT_MS ? known?.version : undefined),
    lastKnown: () => known,
    onChange(listener) {
      listeners.push(listener);
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await connection.end({ timeout: 1 });
    },
  };
}
