/**
 * Keeps rendered documents for as long as they are valid; those requested lately are rendered again as soon as the data change, before anyone
 * waits for them. While a document takes its time, or the database is away, the last one is served with its age; so is what a database
 * says that is far behind. Nothing older than what was served before is served as current.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { withTimeout } from '../database/timeouts.ts';
import { Unavailable } from '../unavailable.ts';
import { type CacheHeaders, type Document, sizeOf } from './document.ts';
import { type DataVersions, isCurrent, isOfThisHistory, type Read, type Validity } from './validity.ts';

/**
 * A document as it was read from the database, and the label of its requests in metrics. It is kept, and rendered again when the data change;
 * `on demand`: not before it is asked for again; `never`: not kept at all.
 */
export type Rendering = Validity & { document: Document; route: string; keep?: 'on demand' | 'never' };

export type Render = () => Promise<Rendering>;
export type Served = { document: Document; cacheHeaders: CacheHeaders; route: string };

export type DocumentCache = {
  /** The document, if it is kept and current. Never waits. */
  find(key: string): Served | undefined;
  /**
   * The document, rendered if need be, once for all requests that wait for it. While the database is unreachable, or the rendering takes
   * longer than a client should wait, the last current one for up to ten minutes, with its age. Rejects as `render` does, and with Unavailable
   * after that time where there is no last one; the rendering goes on, and is kept.
   */
  get(key: string, render: Render): Promise<Served>;
  /** A document that isn't kept, rendered for one request, however long it takes. Rejects as `render` does. */
  renderOnce(render: Render): Promise<Served>;
};

type CacheEntry = Rendering &
  Read & {
    /** Undefined where it is not rendered before it is asked for again. */
    render: Render | undefined;
    /** When the content last differed from that before, and the same as an HTTP date: undefined without the cache, where that isn't known. */
    changedAt: number;
    lastModified: string | undefined;
    requestedAt: number;
    /** When it was last served as current. */
    currentAt: number;
  };

/** `began`: by performance.now(). */
type UnderWay = { began: number; result: Promise<Served> };

/** The bytes that an entry takes beside its key and content, measured by test/documents/memory.ts: 1,440, and 200 for each compressed copy. */
const ENTRY_BYTES = 1_800;
const LONGEST_MAX_AGE_S = 60;
/** What was asked for within this time is rendered again when the data change. */
const RECENT_MS = 5 * 60_000;
const RENDERINGS_AT_ONCE = 4;
/** How long an outage is bridged with the last current document. */
const OUTAGE_MS = 10 * 60_000;
/** How often a document is read that is older than what was served before. */
const MAX_READS = 2;
/** A client gets an answer, or 503, within three seconds. */
const PATIENCE_MS = 2_800;

type Options = { maxBytes: number; clock: Clock; versions: DataVersions; patienceMs?: number };

/** With `maxBytes` 0 nothing is kept, and every document is rendered for its request (or those that come meanwhile). */
export function makeDocumentCache({ maxBytes, clock, versions, patienceMs = PATIENCE_MS }: Options): DocumentCache {
  const entries = new LRUCache<string, CacheEntry>({
    maxSize: Math.max(1, maxBytes), // smaller than any entry
    sizeCalculation: ({ document }, key) => ENTRY_BYTES + Math.ceil(sizeOf(document)) + key.length,
  });
  const rendering = new Map<string, UnderWay>();

  function find(key: string): Served | undefined {
    const entry = entries.get(key);
    const now = clock().getTime();
    if (entry === undefined || !isCurrent(entry, versions, now)) return undefined;
    entry.requestedAt = now;
    entry.currentAt = now - lagMs();
    return served(entry, now);
  }

  const lagMs = () => (versions.lastKnown()?.lagSeconds ?? 0) * 1_000;

  /** Rejects with Unavailable where the database knows less than before: of several behind one address, it may be another one. */
  async function readNewest(render: Render): Promise<Rendering> {
    for (let n = 1; ; n++) {
      const before = versions.lastKnown();
      const read = await render();
      // version 0: of nothing at all
      const isOlder = before !== undefined && read.version > 0 && read.version < before.version;
      if (!isOlder || before.history !== versions.lastKnown()?.history) return read;
      if (n === MAX_READS) throw new Unavailable(`data version ${read.version} was read after ${before.version}`);
    }
  }

  async function renderInto(key: string, render: Render, requestedAt: number): Promise<Served> {
    const readAt = clock().getTime();
    const history = versions.lastKnown()?.history;
    const read = await readNewest(render);
    const isKept = maxBytes > 0 && read.keep !== 'never';
    const before = entries.peek(key);
    const isSame = before !== undefined && before.document.etag === read.document.etag;
    const changedAt = isSame ? before.changedAt : changedAfter(before, readAt);
    const entry: CacheEntry = {
      ...read,
      document: isSame ? before.document : read.document, // with its compressed copies
      render: read.keep === undefined ? render : undefined,
      history,
      readAt,
      changedAt,
      lastModified: isKept ? new Date(changedAt).toUTCString() : undefined,
      requestedAt,
      currentAt: readAt - lagMs(),
    };
    const isOlder = before !== undefined && before.version > entry.version && before.history === history; // it took longer
    if (isKept && isOfThisHistory(entry, versions) && !isOlder) entries.set(copyOf(key), entry);
    if (history !== undefined) versions.sawVersion(read.version, history);
    return served(entry, readAt);
  }

  function shared(key: string, render: Render, requestedAt: number): UnderWay {
    const underWay = rendering.get(key);
    if (underWay !== undefined) return underWay;
    const result = renderInto(key, render, requestedAt).finally(() => {
      if (rendering.get(key) === started) rendering.delete(key);
    });
    const started = { began: performance.now(), result };
    rendering.set(key, started);
    return started;
  }

  async function renderAgain(): Promise<void> {
    const since = clock().getTime() - RECENT_MS;
    const work = [...entries.entries()].filter(([, { requestedAt }]) => requestedAt >= since).values();
    const worker = async () => {
      for (const [key, entry] of work) {
        const { render, requestedAt } = entry;
        if (render === undefined || isCurrent(entries.peek(key) ?? entry, versions, clock().getTime())) continue;
        await shared(key, render, requestedAt).result.catch(() => undefined); // its next reader hears of it
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
      const last = () => stale(key, now);
      const bridged = versions.current() === undefined ? last() : undefined;
      if (bridged !== undefined) return bridged;
      const { began, result } = shared(key, render, now);
      const patience = last() === undefined ? patienceMs : Math.max(0, began + patienceMs - performance.now());
      const late = () => new Unavailable(`it takes longer than ${patienceMs} ms`);
      try {
        return await withTimeout(patience, result, late);
      } catch (error) {
        const bridge = error instanceof Unavailable ? last() : undefined;
        if (bridge === undefined) throw error;
        return bridge;
      }
    },
    async renderOnce(render) {
      const read = await readNewest(render);
      return served({ ...read, lastModified: undefined }, clock().getTime());
    },
  };

  /** What was current until a short while ago, for an outage. */
  function stale(key: string, now: number): Served | undefined {
    const entry = entries.peek(key);
    if (entry === undefined || !isOfThisHistory(entry, versions)) return undefined;
    const known = versions.lastKnown();
    const confirmed = known !== undefined && entry.version >= known.version ? known.at.getTime() : 0;
    const currentAt = Math.max(entry.currentAt, Math.min(confirmed, entry.validUntil.getTime()));
    const age = now - currentAt;
    if (age < 0 || age > OUTAGE_MS) return undefined;
    const { cacheHeaders, ...rest } = served(entry, now);
    return { ...rest, cacheHeaders: { ...cacheHeaders, maxAge: 0, age: Math.floor(age / 1_000) } };
  }

  function served(
    { document, validUntil, lastModified, route }: Rendering & Pick<CacheEntry, 'lastModified'>,
    now: number,
  ): Served {
    const left = Math.floor((validUntil.getTime() - now) / 1_000);
    const age = versions.lastKnown()?.lagSeconds;
    const maxAge = age === undefined ? Math.max(0, Math.min(LONGEST_MAX_AGE_S, left)) : 0;
    const cacheHeaders = { maxAge, lastModified };
    return { document, route, cacheHeaders: age === undefined ? cacheHeaders : { ...cacheHeaders, age } };
  }
}

/** A part of a string keeps the whole alive: a path, the target with a long query. */
const copyOf = (text: string) => Buffer.from(text).toString();

/** In whole seconds, as HTTP dates are, and never twice the same for different contents of a document. */
function changedAfter(before: CacheEntry | undefined, now: number): number {
  const second = Math.floor(now / 1_000) * 1_000;
  return before === undefined ? second : Math.max(second, before.changedAt + 1_000);
}
