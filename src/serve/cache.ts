/**
 * Caches documents. A path has no entry, a current one, or an outdated one. An entry is current
 * while the database is in contact, its data version is the newest known of the same history, and
 * `validUntil` lies ahead; then it is served without asking. A request for any other path renders,
 * once for all that wait, and what was read at an older version than the newest known is read
 * again, so nothing older than what was already served is served as current. An outdated entry
 * bridges: while the database is unreachable, or rendering takes longer than the deadline, it is
 * served with its age until ten minutes after it was last current. Without one the request fails.
 * A database with another history makes every entry useless.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { Unavailable } from '../base/unavailable.ts';
import { singleFlight } from '../database/singleFlight.ts';
import { withTimeout } from '../database/timeouts.ts';
import type { DataVersions } from './dataVersion.ts';
import { type CacheHeaders, sizeOf } from './document.ts';
import type { Entry, Validity } from './entry.ts';

/** An entry with the label of its requests in metrics. */
type Routed = Entry & { route: string };

export type Render = () => Promise<Routed>;

/** A document as it is sent, with headers of the moment. */
export type Sent = Routed & { cacheHeaders: CacheHeaders };

export type DocumentCache = {
  /** The document, if it is kept and current. Never waits. */
  find(key: string): Sent | undefined;
  /**
   * The document, rendered if need be, once for all requests that wait for it. While the database
   * is unreachable, or the rendering takes longer than a client should wait, the last current one
   * for up to ten minutes, with its age. Rejects as `render` does, and with Unavailable after that
   * time where there is no last one; the rendering goes on, and is kept.
   */
  get(key: string, render: Render): Promise<Sent>;
  /** The same, for what is made of documents: never an outdated one, so it rejects during an outage. */
  getCurrent(key: string, render: Render): Promise<Sent>;
  /**
   * A document that isn't kept, rendered for one request, however long it takes. Rejects as
   * `render` does.
   */
  renderOnce(render: Render): Promise<Sent>;
};

/**
 * When it was read, by our clock, and the history that counted its version; undefined if that was
 * not known.
 */
type Seen = { readAt: number; history: number | undefined };

type Kept = Routed &
  Seen & {
    /** When the content last differed from that before. */
    changedAt: number;
    /** The same as an HTTP date; undefined without the cache, where that isn't known. */
    lastModified: string | undefined;
  };

/**
 * The overhead of an entry in bytes, measured by test/serve/memory.ts: 1,440, and 200 for each
 * compressed copy.
 */
const ENTRY_BYTES = 1_800;
const LONGEST_MAX_AGE_S = 60;
/** How long an outage is bridged with the last current document. */
const OUTAGE_MS = 10 * 60_000;
const MAX_READS = 2;
/** A client gets an answer, or 503, within three seconds. */
const RESPONSE_DEADLINE_MS = 2_800;

type Options = { clock: Clock; versions: DataVersions };
type CacheOptions = Options & { maxBytes: number; deadlineMs?: number };

/**
 * With `maxBytes` 0 nothing is kept, and every document is rendered for its request (or those that
 * come meanwhile).
 */
export function makeDocumentCache({
  maxBytes,
  deadlineMs = RESPONSE_DEADLINE_MS,
  ...options
}: CacheOptions): DocumentCache {
  const { clock, versions } = options;
  const entries = new LRUCache<string, Kept>({
    maxSize: Math.max(1, maxBytes), // smaller than any entry
    sizeCalculation: ({ document }, key) => ENTRY_BYTES + Math.ceil(sizeOf(document)) + key.length,
  });
  const underWay = new Map<string, Promise<Sent>>();

  function find(key: string): Sent | undefined {
    const entry = entries.get(key);
    const now = clock().getTime();
    return entry !== undefined && isCurrent(entry, versions, now) ? served(entry, now) : undefined;
  }

  async function renderAndKeep(key: string, render: Render): Promise<Sent> {
    const read = await readNewest(render, options);
    const before = entries.peek(key);
    const isSame = before !== undefined && before.document.etag === read.document.etag;
    const changedAt = isSame ? before.changedAt : changedAfter(before, read.readAt);
    const entry: Kept = {
      ...read,
      document: isSame ? before.document : read.document, // with its compressed copies
      changedAt,
      lastModified: maxBytes > 0 ? new Date(changedAt).toUTCString() : undefined,
    };
    if (maxBytes > 0) entries.set(copyOf(key), entry);
    return served(entry, clock().getTime());
  }

  /** Rejects with Unavailable at the deadline of the first request. */
  function renderShared(key: string, render: Render): Promise<Sent> {
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const rendering = renderAndKeep(key, render).finally(() => underWay.delete(key));
    const inTime = withTimeout(
      deadlineMs,
      rendering,
      () => new Unavailable(`it takes longer than ${deadlineMs} ms`),
    );
    underWay.set(key, inTime);
    return inTime;
  }

  /** The last document, with its age, if it was current until a short while ago. */
  function bridge(key: string): Sent | undefined {
    const entry = entries.peek(key);
    const newest = versions.lastKnown();
    if (entry === undefined || newest === undefined || entry.history !== newest.history)
      return undefined;
    const now = clock().getTime();
    const confirmedAt =
      entry.version < newest.version ? entry.readAt : newest.confirmedAt.getTime();
    const currentAt = Math.max(entry.readAt, Math.min(confirmedAt, entry.validUntil.getTime()));
    const ageMs = now - currentAt;
    if (ageMs < 0 || ageMs > OUTAGE_MS) return undefined;
    const { cacheHeaders, ...rest } = served(entry, now);
    return {
      ...rest,
      cacheHeaders: { ...cacheHeaders, maxAge: 0, age: Math.floor(ageMs / 1_000) },
    };
  }

  return {
    find,
    getCurrent: async (key, render) => find(key) ?? (await renderShared(key, render)),
    async get(key, render) {
      const found = find(key) ?? (versions.current() === undefined ? bridge(key) : undefined);
      if (found !== undefined) return found;
      try {
        return await renderShared(key, render);
      } catch (error) {
        const last = error instanceof Unavailable ? bridge(key) : undefined;
        if (last === undefined) throw error;
        return last;
      }
    },
    async renderOnce(render) {
      const read = await readNewest(render, options);
      const now = clock().getTime();
      return served({ ...read, changedAt: now, lastModified: undefined }, now);
    },
  };
}

function served(
  { document, validUntil, version, route, changedAt, lastModified }: Omit<Kept, keyof Seen>,
  now: number,
): Sent {
  const left = Math.floor((validUntil.getTime() - now) / 1_000);
  const maxAge = Math.max(0, Math.min(LONGEST_MAX_AGE_S, left));
  // no origin may send one in the future (RFC 9110, 8.8.2.1), and after a clock was set back it
  // would be one
  const isTold = lastModified !== undefined && changedAt <= now;
  const cacheHeaders = isTold ? { maxAge, lastModified, sentAt: now } : { maxAge };
  // no spread: it took 3.5 % of the processor time of a 304
  return { document, validUntil, version, route, cacheHeaders };
}

/**
 * Returns a function that reads once, and shares the result while it is current. Rejects as `read`
 * does.
 */
export function shareWhileCurrent<T extends Validity>(
  read: (at: Date) => Promise<T>,
  { clock, versions }: Options,
): () => Promise<T> {
  let kept: (T & Seen) | undefined;
  const readShared = singleFlight(async () => {
    kept = await readNewest(read, { clock, versions });
    return kept;
  });
  return async () =>
    kept !== undefined && isCurrent(kept, versions, clock().getTime()) ? kept : await readShared();
}

/**
 * Reads again if the result is older than the version known by then: the data changed meanwhile, or
 * another of several servers behind one address answered. Rejects with Unavailable if it is still
 * older.
 */
async function readNewest<T extends Validity>(
  read: (at: Date) => Promise<T>,
  { clock, versions }: Options,
): Promise<T & Seen> {
  for (let n = 1; ; n++) {
    const at = clock();
    const history = versions.lastKnown()?.history;
    const result = await read(at);
    const newest = versions.lastKnown();
    const isNewest = newest?.history === history && result.version >= (newest?.version ?? 0);
    // version 0: there is nothing at all
    if (isNewest || result.version === 0) {
      if (history !== undefined) versions.sawVersion(result.version, history);
      return { ...result, readAt: at.getTime(), history };
    }
    if (n === MAX_READS)
      throw new Unavailable(`data version ${result.version} was read after ${newest?.version}`);
  }
}

function isCurrent(read: Validity & Seen, versions: DataVersions, now: number): boolean {
  const newest = versions.current();
  const isNewest =
    newest !== undefined && read.history === newest.history && read.version >= newest.version;
  // before its own instant the clock was set back
  return isNewest && now < read.validUntil.getTime() && now >= read.readAt;
}

/** A part of a string keeps the whole alive: a path, the target with a long query. */
const copyOf = (text: string) => Buffer.from(text).toString();

/**
 * In whole seconds, as HTTP dates are, and never twice the same for different contents of a
 * document.
 */
function changedAfter(before: Kept | undefined, now: number): number {
  const second = Math.floor(now / 1_000) * 1_000;
  return before === undefined ? second : Math.max(second, before.changedAt + 1_000);
}
