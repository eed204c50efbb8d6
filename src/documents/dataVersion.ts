/**
 * The version of the published data: a number that the database raises whenever they have changed (logic.raise_data_version). A process asks
 * for it every second, and at once after a notification: that is only a hint, as any login may send one, a connection that was cut silently
 * delivers none, a standby sends none and a pooler keeps none. Each answer confirms that the database is in contact. Numbers are compared
 * within one history: a database that was restored, or a replica that was promoted, may count the same numbers for other data.
 */
import type { Clock } from '../clock.ts';
import { connect, type DatabaseAddress, hasPooler } from '../database/client.ts';
import type { ApiDb } from '../database/pools.ts';
import type { Log } from '../log.ts';

const POLL_MS = 1_000;
/** However many notifications come. */
const POLL_AT_MOST_EVERY_MS = 50;
/** Longer than a query may take to fail. */
const CONTACT_MS = 4_000;
const CHANNEL = 'airseries_data';

/** A version, and which history counted it. `at`: when it was last confirmed. */
type KnownVersion = { history: string; version: number; at: Date };

export type DataVersionWatch = {
  /** The newest version; undefined while the database is not in contact. */
  current(): number | undefined;
  /** The newest version; undefined before the first contact. */
  lastKnown(): KnownVersion | undefined;
  /** Calls back after each new version. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
};

type Options = { db: ApiDb; target: DatabaseAddress; clock: Clock; log: Log; pollMs?: number };

/** `target` is the database that `db` reads from. Never rejects: without contact there is no current version. */
export function watchDataVersion({ db, target, clock, log, pollMs = POLL_MS }: Options): DataVersionWatch {
  const listeners: (() => void)[] = [];
  let known: KnownVersion | undefined;
  let timesSetBack = 0;
  let contactAt = Number.NEGATIVE_INFINITY; // of performance.now()
  let isLost = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  let isHinted = false;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const historyOf = (identity: string) => `${identity} ${timesSetBack}`;

  function learn(identity: string, version: number): void {
    const before = known;
    if (before?.history === historyOf(identity) && version < before.version) timesSetBack += 1;
    known = { history: historyOf(identity), version, at: clock() };
    if (before?.history === known.history && before.version === version) return;
    if (before !== undefined && before.history !== known.history) {
      log.warn(
        { version, version_before: before.version },
        'the database has another history; nothing kept from before is served',
      );
    }
    for (const listener of listeners) listener();
  }

  async function poll(): Promise<void> {
    try {
      const row = await db.selectFrom('api.freshness').select(['history', 'data_version']).executeTakeFirst();
      if (row === undefined) return;
      if (isLost) log.info('in contact with the database again');
      isLost = false;
      contactAt = askedAt;
      learn(String(row.history), Number(row.data_version));
    } catch (error) {
      if (!isLost && !closed)
        log.warn({ reason: (error as Error).message }, 'lost contact with the database; serving kept responses');
      isLost = true;
      contactAt = Number.NEGATIVE_INFINITY;
    }
  }

  const askIn = (ms: number) => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(ask, ms).unref();
  };
  const soon = () => Math.max(0, askedAt + POLL_AT_MOST_EVERY_MS - performance.now());

  async function ask(): Promise<void> {
    askedAt = performance.now();
    [isAsking, isHinted] = [true, false];
    await poll();
    isAsking = false;
    askIn(isHinted ? soon() : pollMs);
  }
  void ask();

  const hint = () => {
    isHinted = true; // what is being asked may have been answered before
    if (!isAsking) askIn(soon());
  };
  const connection = connect(target, { role: 'airseries_reader', name: 'airseries listen', max: 1 });
  if (!hasPooler(target)) {
    connection.listen(CHANNEL, hint, hint).catch((error: Error) => {
      log.info({ err: error }, 'no notifications from this database; asking for changes instead');
    });
  }

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
