/**
 * Keeps rendered documents until the data behind them change, or time alone changes them. A rendering says until when it is valid without
 * new data, and at which data version it was read. A newer version makes older documents invalid, and so does another history of versions;
 * those requested lately are rendered again at once, before anyone waits for them.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { Unavailable } from '../unavailable.ts';
import type { DataVersionWatch } from './dataVersion.ts';
import type { CacheHeaders, Document } from './document.ts';

/** A document as it was read from the database. */
export type Rendering = {
  document: Document;
  /** The first instant at which the document would change without new data. */
  validUntil: Date;
  /** The data version that was visible to the query. */
  version: number;
  /** The label of its requests in metrics. */
  route: string;
};

export type Render = () => Promise<Rendering>;
export type Served = { document: Document; cacheHeaders: CacheHeaders; route: string };

export type DocumentCache = {
  /** The document, if it is kept and current. Never waits. */
  find(key: string): Served | undefined;
  /**
   * The document, rendered if need be, once for all requests that wait for it. While the database is unreachable, the last current one for
   * up to ten minutes, with its age. Rejects as `render` does.
   */
  get(key: string, render: Render): Promise<Served>;
};

/** What is known of the version of the data. */
export type DataVersions = Pick<DataVersionWatch, 'current' | 'lastKnown' | 'onChange'>;

type CacheEntry = Rendering & {
  render: Render;
  /** The history that counted its version; undefined if that was not known when it was rendered. */
  history: string | undefined;
  renderedAt: number;
  /** When the content last differed from that before, and the same as an HTTP date. */
  changedAt: number;
  lastModified: string;
  requestedAt: number;
  /** When it was last served as current. */
  currentAt: number;
};

const LONGEST_MAX_AGE_S = 60;
/** What was asked for within this time is rendered again when the data change. */
const RECENT_MS = 5 * 60_000;
const RENDERINGS_AT_ONCE = 4;
/** How long an outage is bridged with the last current document. */
const OUTAGE_MS = 10 * 60_000;
/** Compressed copies and the objects around a body, as a share of it. */
const OVERHEAD = 1.5;

type Options = { maxBytes: number; clock: Clock; versions: DataVersions };

/** With `maxBytes` 0 nothing is kept, and every document is rendered for its request (or those that come meanwhile). */
export function makeDocumentCache({ maxBytes, clock, versions }: Options): DocumentCache {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: Math.max(1, maxBytes), // smaller than any entry
    sizeCalculation: ({ document }, key) => Math.ceil(document.body.length * OVERHEAD) + key.length,
  });
  const rendering = new Map<string, Promise<Served>>();

  const isOfThisHistory = (entry: CacheEntry) => entry.history === versions.lastKnown()?.history;

  const isCurrent = (entry: CacheEntry, now: number) => {
    const version = versions.current();
    const isNewest = version !== undefined && entry.version >= version && isOfThisHistory(entry);
    // before its own instant the clock was set back
    return isNewest && now < entry.validUntil.getTime() && now >= entry.renderedAt;
  };

  function find(key: string): Served | undefined {
    const entry = entries.get(key);
    const now = clock().getTime();
    if (entry === undefined || !isCurrent(entry, now)) return undefined;
    entry.requestedAt = now;
    entry.currentAt = now;
    return served(entry, now);
  }

  async function renderInto(key: string, render: Render, requestedAt: number): Promise<Served> {
    const renderedAt = clock().getTime();
    const before = entries.peek(key);
    const history = versions.lastKnown()?.history;
    const read = await render();
    const isSame = before !== undefined && before.document.etag === read.document.etag;
    const changedAt = isSame ? before.changedAt : changedAfter(before, renderedAt);
    const entry: CacheEntry = {
      ...read,
      document: isSame ? before.document : read.document, // with its compressed copies
      render,
      history,
      renderedAt,
      changedAt,
      lastModified: new Date(changedAt).toUTCString(),
      requestedAt,
      currentAt: renderedAt,
    };
    // a lagging replica, or a change meanwhile: what was kept before is no older
    if (isOfThisHistory(entry) && entry.version >= (versions.lastKnown()?.version ?? 0)) entries.set(key, entry);
    return served(entry, renderedAt, maxBytes > 0);
  }

  function shared(key: string, render: Render, requestedAt: number): Promise<Served> {
    const underWay = rendering.get(key);
    if (underWay !== undefined) return underWay;
    const started = renderInto(key, render, requestedAt).finally(() => {
      if (rendering.get(key) === started) rendering.delete(key);
    });
    rendering.set(key, started);
    return started;
  }

  async function renderAgain(): Promise<void> {
    const since = clock().getTime() - RECENT_MS;
    const work = [...entries.entries()].filter(([, entry]) => entry.requestedAt >= since).values();
    const worker = async () => {
      for (const [key, entry] of work) {
        if (isCurrent(entries.peek(key) ?? entry, clock().getTime())) continue;
        await shared(key, entry.render, entry.requestedAt).catch(() => undefined); // its next reader hears of it
      }
    };
    await Promise.all(Array.from({ length: RENDERINGS_AT_ONCE }, worker));
  }

  versions.onChange(() => {
    rendering.clear(); // what is being rendered may have read the data before
    void renderAgain();
  });

  return {
    find,
    async get(key, render) {
      const found = find(key);
      if (found !== undefined) return found;
      const now = clock().getTime();
      const bridged = versions.current() === undefined ? stale(key, now) : undefined;
      if (bridged !== undefined) return bridged;
      try {
        return await shared(key, render, now);
      } catch (error) {
        const last = error instanceof Unavailable ? stale(key, now) : undefined;
        if (last === undefined) throw error;
        return last;
      }
    },
  };

  /** What was current until a short while ago, for an outage. */
  function stale(key: string, now: number): Served | undefined {
    const entry = entries.peek(key);
    if (entry === undefined || !isOfThisHistory(entry)) return undefined;
    const known = versions.lastKnown();
    const confirmed = known !== undefined && entry.version >= known.version ? known.at.getTime() : 0;
    const currentAt = Math.max(entry.currentAt, Math.min(confirmed, entry.validUntil.getTime()));
    const age = now - currentAt;
    if (age < 0 || age > OUTAGE_MS) return undefined;
    const { cacheHeaders, ...rest } = served(entry, now);
    return { ...rest, cacheHeaders: { ...cacheHeaders, maxAge: 0, age: Math.floor(age / 1_000) } };
  }

  function served({ document, validUntil, lastModified, route }: CacheEntry, now: number, isKept = true): Served {
    const left = Math.floor((validUntil.getTime() - now) / 1_000);
    const maxAge = Math.max(0, Math.min(LONGEST_MAX_AGE_S, left));
    // without the cache it is not known when the content changed
    return { document, route, cacheHeaders: { maxAge, lastModified: isKept ? lastModified : undefined } };
  }
}

/** In whole seconds, as HTTP dates are, and never twice the same for different contents of a document. */
function changedAfter(before: CacheEntry | undefined, now: number): number {
  const second = Math.floor(now / 1_000) * 1_000;
  return before === undefined ? second : Math.max(second, before.changedAt + 1_000);
}
