/**
 * Asks the database every second for the version of the published data, a number that it raises
 * whenever they have changed (logic.raise_data_version). Versions are compared within one history
 * only: a database that was restored, or a replica that was promoted, may count the same numbers
 * for other data.
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ApiDb } from '../database/apiDb.ts';

const POLL_MS = 1_000;

/** The newest version that was read. */
type KnownVersion = {
  version: number;
  /** Number of the history that counted it. */
  history: number;
  /** When the database was last asked and had no newer one. */
  confirmedAt: Date;
};

export type DataVersions = {
  /** Undefined while the database is not in contact. */
  current(): KnownVersion | undefined;
  /** Undefined before the first contact. */
  lastKnown(): KnownVersion | undefined;
  /** Reports a version that was read with a document: nothing older is current from now on. */
  sawVersion(version: number, history: number): void;
};

export type DataVersionWatch = DataVersions & { close(): void };

/**
 * How one history followed another: a replica was promoted, the same server knows less than it did,
 * or it is another server or database, such as a restored one. Readings may be lost each time.
 */
export const HISTORY_CHANGES = ['promoted', 'set_back', 'replaced'] as const;
export type HistoryChange = (typeof HISTORY_CHANGES)[number];

type Options = {
  db: ApiDb;
  clock: Clock;
  log: Log;
  pollMs?: number | undefined;
  onHistoryChange?: ((change: HistoryChange) => void) | undefined;
};

/** Never rejects: without contact there is no current version. */
export function watchDataVersion({
  db,
  clock,
  log,
  pollMs = POLL_MS,
  onHistoryChange,
}: Options): DataVersionWatch {
  let known: KnownVersion | undefined;
  let identity: string | null = null;
  let isInContact: boolean | undefined; // undefined until the first answer
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function poll(): Promise<void> {
    try {
      await ask();
      if (isInContact === false) log.info('in contact with the database again');
      isInContact = true;
    } catch (error) {
      const reason = (error as Error).message;
      if (isInContact !== false && !isClosed)
        log.warn({ reason }, 'lost contact with the database; serving kept responses');
      isInContact = false;
    }
    if (!isClosed) timer = setTimeout(poll, pollMs).unref();
  }

  /**
   * Throws where a replica is behind what this process has served. So is a former primary, a replica
   * of an earlier timeline until it is rewound: after a pause of 60 s it showed what it knew before.
   */
  async function ask(): Promise<void> {
    const confirmedAt = clock();
    const before = known;
    const row = await db
      .selectFrom('api.freshness')
      .innerJoin('api.server', (join) => join.onTrue())
      .select(['history', 'data_version', 'is_replica'])
      .executeTakeFirstOrThrow();
    const version = Number(row.data_version);
    const change = changeBetween(identity, row.history);
    // a replica names the timeline before a promotion until its next restart point: for 153 s once
    const isSame =
      before !== undefined && (change === undefined || (change === 'set_back' && row.is_replica));
    const isOlder = isSame && version < before.version;
    if (isOlder && row.is_replica)
      throw new Error(`a replica has data version ${version}, after ${before.version}`);
    if (!isSame || isOlder) {
      if (before !== undefined) {
        // a primary that knows less than before was set back
        const reason = change ?? 'set_back';
        const about = { reason, version, version_before: before.version };
        log.warn(about, 'the database has another history; nothing kept from before is served');
        onHistoryChange?.(reason);
      }
      identity = row.history;
      known = { version, history: (before?.history ?? 0) + 1, confirmedAt };
      return;
    }
    // a document may have been read at a newer version meanwhile
    known = { ...before, version: Math.max(version, known?.version ?? 0), confirmedAt };
  }

  void poll();
  return {
    current: () => (isInContact ? known : undefined),
    lastKnown: () => known,
    sawVersion(version, history) {
      const isNewer = known?.history === history && version > known.version;
      if (known !== undefined && isNewer && Number.isFinite(version)) known = { ...known, version };
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Compares two values of api.freshness.history: server, timeline, and marks that a restore changes. */
function changeBetween(before: string | null, history: string | null): HistoryChange | undefined {
  if (before === history || before === null || history === null) return undefined;
  const [server, timelineBefore, ...objects] = before.split('-');
  const [, timeline] = history.split('-');
  if ([server, timeline, ...objects].join('-') !== history) return 'replaced';
  return Number(timeline) > Number(timelineBefore) ? 'promoted' : 'set_back';
}
