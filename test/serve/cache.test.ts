/** The rules of the response cache, with a clock and data versions that the test sets. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Unavailable } from '../../src/base/unavailable.ts';
import {
  type DocumentCache,
  makeDocumentCache,
  type Render,
  shareWhileCurrent,
} from '../../src/serve/cache.ts';
import { type Document, renderDocument } from '../../src/serve/document.ts';
import { needs } from '../support/tools.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const KEY = '/en/a.json';

/** The clock, and the database as the watch of data versions knows it. */
let now: number;
let history: number;
let version: number;
let inContact: boolean;
let confirmedAt: number;
/** The number of renderings, and the versions that the cache reported to the watch. */
let rendered: number;
let saw: string[];

beforeEach(() => {
  now = START;
  history = 1;
  version = 1;
  inContact = true;
  confirmedAt = START;
  rendered = 0;
  saw = [];
});

const lastKnown = () => ({ history, version, confirmedAt: new Date(confirmedAt) });
const versions = {
  current: () => (inContact ? lastKnown() : undefined),
  lastKnown,
  sawVersion(seen: number, ofHistory: number) {
    saw.push(`version ${seen} of history ${ofHistory}`);
  },
};
const clock = () => new Date(now);
const pass = (ms: number) => {
  now += ms;
};
const loseContact = () => {
  inContact = false;
};
const makeCache = (maxBytes = 1e6, deadlineMs = 60_000) =>
  makeDocumentCache({ maxBytes, clock, versions, deadlineMs });

/** A document that is valid for a while, read at the version of its rendering. */
const rendering =
  (
    content: object,
    { seconds = 3_600, readAt }: { seconds?: number; readAt?: () => number } = {},
  ): Render =>
  async () => {
    rendered += 1;
    const read = readAt?.() ?? version;
    return {
      document: renderDocument('en', JSON.stringify(content)),
      validUntil: new Date(now + seconds * 1_000),
      version: read,
      route: 'a',
    };
  };
/** The same rendering, which ends only when the second of these is called. */
function slowly(render: Render): [Render, () => void] {
  let proceed = () => {};
  const allowed = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  const slow: Render = async () => {
    const read = await render();
    await allowed;
    return read;
  };
  return [slow, proceed];
}
const away: Render = async () => {
  throw new Unavailable('away');
};
const bodyOf = (served: { document: Document } | undefined) =>
  served && JSON.parse(String(served.document.kept.get('identity')));

/** Lets everything that is ready to go on do so. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a document', () => {
  let cache: DocumentCache;
  beforeEach(() => {
    cache = makeCache();
  });

  it('a document is found after it was rendered, and not before', async () => {
    expect(cache.find(KEY)).toBeUndefined();
    expect(bodyOf(await cache.get(KEY, rendering({ n: 1 })))).toEqual({ n: 1 });
    expect(bodyOf(cache.find(KEY))).toEqual({ n: 1 });
    expect(bodyOf(await cache.get(KEY, rendering({ n: 2 })))).toEqual({ n: 1 });
    expect(rendered).toBe(1);
  });

  it('a document is rendered once for all requests meanwhile, and a failure fails them all', async () => {
    const both = await Promise.all([
      cache.get(KEY, rendering({ n: 1 })),
      cache.get(KEY, rendering({ n: 2 })),
    ]);
    expect(both.map(bodyOf)).toEqual([{ n: 1 }, { n: 1 }]);
    const fail = async () => {
      throw new Error('no');
    };
    const failed = await Promise.allSettled([
      cache.get('b', fail),
      cache.get('b', rendering({ n: 3 })),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(bodyOf(await cache.get('b', rendering({ n: 3 })))).toEqual({ n: 3 });
  });

  it.each([
    ['time has changed it', () => pass(10_000)],
    ['the clock is before its own instant', () => pass(-1)],
    ['the data version has risen', () => void version++],
  ])('a document is invalid once %s, and not before', async (_, change) => {
    await cache.get(KEY, rendering({ n: 1 }, { seconds: 10 }));
    now += 9_999;
    expect(bodyOf(cache.find(KEY))).toEqual({ n: 1 });
    now -= 9_999;
    change();
    expect(cache.find(KEY)).toBeUndefined();
    expect(bodyOf(await cache.get(KEY, rendering({ n: 2 })))).toEqual({ n: 2 });
  });

  it('a document of another history is invalid whatever its version, even to bridge an outage', async () => {
    await cache.get(KEY, rendering({ n: 1 }, { readAt: () => 10 }));
    history = 2;
    version = 6;
    expect(cache.find(KEY)).toBeUndefined();
    inContact = false;
    await expect(cache.get(KEY, away)).rejects.toThrow(Unavailable);
  });

  it('a document whose rendering began in another history is read again', async () => {
    const [slow, proceed] = slowly(rendering({ n: 1 }, { readAt: () => 10 }));
    const begun = cache.get(KEY, slow);
    history = 2;
    version = 6;
    proceed();
    await begun;
    expect([rendered, saw]).toEqual([2, ['version 10 of history 2']]);
    expect(cache.find(KEY)).toBeDefined();
  });

  it('a document older than one that was served before is read again, and never served', async () => {
    version = 7;
    let reads = 0;
    // a reading from another server
    const readAt = () => {
      reads += 1;
      return reads === 1 ? 6 : 7;
    };
    const second = rendering({ n: 1 }, { readAt });
    expect(bodyOf(await cache.get(KEY, second))).toEqual({ n: 1 });
    await expect(cache.get('other', rendering({ n: 1 }, { readAt: () => 6 }))).rejects.toThrow(
      Unavailable,
    );
    expect([reads, rendered, cache.find('other')]).toEqual([2, 4, undefined]);
  });

  it('the kept document is served with its age, instead of an older one', async () => {
    version = 7;
    await cache.get(KEY, rendering({ n: 1 }, { seconds: 10 }));
    now += 25_000;
    const bridged = await cache.get(KEY, rendering({ n: 2 }, { readAt: () => 6 }));
    const sent = { ...bodyOf(bridged), ...bridged.cacheHeaders };
    expect(sent).toMatchObject({ n: 1, maxAge: 0, age: 25 });
  });

  it('an empty document and one without data are served whatever their version', async () => {
    version = 7;
    expect(bodyOf(await cache.get('empty', rendering([], { readAt: () => 0 })))).toEqual([]);
    expect(
      bodyOf(await cache.get('rules', rendering({}, { readAt: () => Number.POSITIVE_INFINITY }))),
    ).toEqual({});
  });

  it('a document is rendered again if the data changed meanwhile, also for requests from before', async () => {
    const [slow, proceed] = slowly(rendering({ n: 1 }));
    const begun = cache.get(KEY, slow);
    version += 1;
    const later = cache.get(KEY, rendering({ n: 2 }));
    proceed();
    await Promise.all([begun, later]);
    expect([rendered, saw]).toEqual([2, ['version 2 of history 1']]);
    expect(cache.find(KEY)).toBeDefined();
  });
});

describe('a document that is rendered once', () => {
  it('a document that is rendered once is not kept, and never older than one that was served before', async () => {
    const cache = makeCache();
    version = 7;
    const [first, second] = [rendering({ n: 1 }, { readAt: () => 6 }), rendering({ n: 2 })];
    const renderings = [first, second].values();
    const served = await cache.renderOnce(async () => (renderings.next().value as Render)());
    expect([bodyOf(served), served.cacheHeaders]).toEqual([{ n: 2 }, { maxAge: 60 }]);
  });

  it('a document that is rendered once may take long, and its max-age counts from the end', async () => {
    const cache = makeCache(1e6, 0);
    const [slow, proceed] = slowly(rendering({ n: 1 }, { seconds: 50 }));
    const served = cache.renderOnce(slow);
    await settle();
    now += 30_000;
    proceed();
    expect((await served).cacheHeaders.maxAge).toBe(20);
  });
});

describe('cacheHeaders', () => {
  it('max-age is a minute, or less if time changes the document earlier', async () => {
    const cache = makeCache();
    expect((await cache.get('a', rendering({}, { seconds: 3_600 }))).cacheHeaders.maxAge).toBe(60);
    expect((await cache.get('b', rendering({}, { seconds: 42 }))).cacheHeaders.maxAge).toBe(42);
    now += 40_500;
    expect(cache.find('b')?.cacheHeaders.maxAge).toBe(1);
  });

  it('Last-Modified tells when the content changed, not when it was last rendered', async () => {
    const cache = makeCache();
    const first = await cache.get(KEY, rendering({ n: 1 }));
    expect(first.cacheHeaders.lastModified).toBe('Fri, 20 Nov 2026 12:00:00 GMT');
    now += 90_000;
    version += 1;
    const same = await cache.get(KEY, rendering({ n: 1 }));
    expect(same).toMatchObject({
      document: first.document,
      cacheHeaders: { lastModified: first.cacheHeaders.lastModified },
    });
    version += 1;
    const other = await cache.get(KEY, rendering({ n: 2 }));
    expect(other.cacheHeaders.lastModified).toBe('Fri, 20 Nov 2026 12:01:30 GMT');
    version += 1; // again within a second
    const again = await cache.get(KEY, rendering({ n: 3 }));
    expect(again.cacheHeaders.lastModified, 'not before it has come').toBeUndefined();
    now += 1_000;
    expect(cache.find(KEY)?.cacheHeaders.lastModified).toBe('Fri, 20 Nov 2026 12:01:31 GMT');
  });

  it('Last-Modified is never in the future, even after the clock was set back', async () => {
    const cache = makeCache();
    await cache.get(KEY, rendering({ n: 1 }));
    now -= 3_600_000;
    for (const n of [1, 2]) {
      version += 1;
      const { cacheHeaders } = await cache.get(KEY, rendering({ n }));
      expect(cacheHeaders).toEqual({ maxAge: 60 });
    }
    now += 3_600_000 + 1_000;
    version += 1;
    const later = await cache.get(KEY, rendering({ n: 2 }));
    expect(later.cacheHeaders.lastModified).toBe('Fri, 20 Nov 2026 12:00:01 GMT');
  });
});

describe('a document that takes longer than its readers wait', () => {
  it('a slow document is rendered once, and the last one is served meanwhile with its age', async () => {
    const cache = makeCache(1e6, 0);
    await cache.get(KEY, rendering({ n: 1 }));
    version += 1;
    now += 5_000;
    const [slow, proceed] = slowly(rendering({ n: 2 }));
    for (let n = 0; n < 3; n++) {
      const bridged = await cache.get(KEY, slow);
      const sent = { ...bodyOf(bridged), ...bridged.cacheHeaders };
      expect(sent).toMatchObject({ n: 1, maxAge: 0, age: 5 });
    }
    proceed();
    await settle();
    expect(bodyOf(cache.find(KEY))).toEqual({ n: 2 });
    expect(rendered).toBe(2);
  });

  it('a request waits for a slow document up to a deadline, counted from the start of its rendering', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const cache = makeCache(1e6, 50);
    await cache.get(KEY, rendering({ n: 1 }));
    version += 1;
    const [slow] = slowly(rendering({ n: 2 }));
    const answered: string[] = [];
    const ask = (name: string) => cache.get(KEY, slow).then(() => answered.push(name));
    void ask('at the beginning');
    await vi.advanceTimersByTimeAsync(30);
    void ask('later');
    await vi.advanceTimersByTimeAsync(19);
    expect(answered).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(answered).toEqual(['at the beginning', 'later']);
    void ask('too late'); // it is being rendered still
    await vi.advanceTimersByTimeAsync(0);
    expect(answered).toContain('too late');
  });

  it('a slow document without a last one is unavailable until it is rendered', async () => {
    const cache = makeCache(1e6, 0);
    const [slow, proceed] = slowly(rendering({ n: 1 }));
    await expect(cache.get(KEY, slow)).rejects.toThrow(Unavailable);
    proceed();
    await settle();
    expect(bodyOf(cache.find(KEY))).toEqual({ n: 1 });
    expect(rendered).toBe(1);
  });
});

describe('while the database is not in contact', () => {
  it('without contact, the last current document is served with its age for ten minutes, without a query', async () => {
    const cache = makeCache();
    await cache.get(KEY, rendering({ n: 1 }));
    inContact = false;
    now += 30_000;
    confirmedAt = now; // known to be current so long, and its age counts from then
    rendered = 0;
    now += 45_900;
    expect(cache.find(KEY)).toBeUndefined();
    const bridged = await cache.get(KEY, rendering({ n: 2 }));
    const sent = { ...bodyOf(bridged), ...bridged.cacheHeaders };
    expect(sent).toMatchObject({ n: 1, maxAge: 0, age: 45 });
    expect(rendered).toBe(0);
    now = confirmedAt + 600_000;
    expect((await cache.get(KEY, away)).cacheHeaders.age).toBe(600);
    now += 1;
    await expect(cache.get(KEY, away)).rejects.toThrow(Unavailable);
    now = confirmedAt - 1; // a clock that was set back tells no age
    await expect(cache.get(KEY, away)).rejects.toThrow(Unavailable);
  });

  it('the age of a document counts from the instant at which time changed it', async () => {
    const cache = makeCache();
    await cache.get(KEY, rendering({ n: 1 }, { seconds: 10 }));
    inContact = false;
    confirmedAt = now + 60_000;
    now += 70_000;
    expect((await cache.get(KEY, away)).cacheHeaders.age).toBe(60);
  });

  it('the last document is served when a query fails unexpectedly, but not for a fault of our own', async () => {
    const cache = makeCache();
    await cache.get(KEY, rendering({ n: 1 }));
    version += 1;
    now += 5_000;
    confirmedAt = now; // of the newer version: the age counts from the last reading
    expect((await cache.get(KEY, away)).cacheHeaders).toMatchObject({ maxAge: 0, age: 5 });
    const wrong = async () => {
      throw new Error('a fault of ours');
    };
    await expect(cache.get(KEY, wrong)).rejects.toThrow('a fault of ours');
  });
});

describe('the bound of memory', () => {
  // the test below holds the bound daily, in bytes that it counts itself
  it.for([
    [110, 'too short to be compressed'],
    [1_500, 'hardly longer than its compressed copies'],
    [20_000, 'as large as a day of hours'],
  ] as const)(
    'the cache keeps within its bound under a flood of distinct documents of %s bytes, %s',
    needs('all'),
    ([size]) => {
      const script = fileURLToPath(new URL('memory.ts', import.meta.url));
      const taken = Number(
        execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx', script, String(size)]),
      );
      expect(taken).toBeGreaterThan(0.5);
      expect(taken).toBeLessThan(1.3);
    },
  );

  it('the bound of the cache is in bytes, and the least recently used documents go first', async () => {
    const text = 'x'.repeat(10_000);
    const cache = makeCache(60_000); // three, with their compressed copies
    for (const key of ['a', 'b', 'c']) await cache.get(key, rendering({ key, text }));
    cache.find('a');
    await cache.get('d', rendering({ key: 'd', text }));
    expect(['a', 'b', 'c', 'd'].filter((key) => cache.find(key) !== undefined)).toEqual([
      'a',
      'c',
      'd',
    ]);
  });

  it('a document larger than the bound of the cache is served and not kept', async () => {
    const cache = makeCache(3_000);
    await cache.get('small', rendering({}));
    expect(bodyOf(await cache.get('large', rendering({ text: 'x'.repeat(2_000) })))).toHaveProperty(
      'text',
    );
    expect(cache.find('large')).toBeUndefined();
    expect(cache.find('small')).toBeDefined();
  });
});

describe('shared results', () => {
  let readings: { finish(): void; fail(): void }[];
  beforeEach(() => {
    readings = [];
  });

  /** A result with a number, valid for a second; each reading ends when the test says so. */
  const share = () =>
    shareWhileCurrent(
      async (at) => {
        const read = {
          n: readings.length + 1,
          validUntil: new Date(at.getTime() + 1_000),
          version,
        };
        await new Promise<void>((resolve, reject) => {
          readings.push({ finish: resolve, fail: () => reject(new Error('away')) });
        });
        return read;
      },
      { clock, versions },
    );
  async function finish(n: number): Promise<void> {
    await settle();
    readings[n - 1]?.finish();
    await settle();
  }

  it('a shared result is read once for all requests', async () => {
    const read = share();
    const asked = [read(), read()];
    await finish(1);
    expect(await Promise.all(asked)).toMatchObject([{ n: 1 }, { n: 1 }]);
    now += 999;
    expect(await read()).toMatchObject({ n: 1 });
  });

  it.each([
    ['the data change', () => void version++],
    ['time changes it', () => pass(1_000)],
    ['the clock is set back', () => pass(-1)],
    ['the database has another history', () => void history++],
    ['the version is unknown', () => loseContact()],
  ])('a shared result is read again when %s', async (_, change) => {
    const read = share();
    const first = read();
    await finish(1);
    await first;
    change();
    const second = read();
    await finish(2);
    expect(await second).toMatchObject({ n: 2 });
  });

  it('a shared result is read again for all if the data changed meanwhile, never twice at a time', async () => {
    const read = share();
    const before = read();
    await settle();
    version += 1;
    const after = read();
    await settle();
    expect(readings).toHaveLength(1);
    await finish(1);
    await finish(2);
    expect(await Promise.all([before, after])).toMatchObject([{ n: 2 }, { n: 2 }]);
  });

  it('a shared result is read again by the next request after a failure', async () => {
    const read = share();
    const failed = read();
    await settle();
    readings[0]?.fail();
    await expect(failed).rejects.toThrow('away');
    const next = read();
    await finish(2);
    expect(await next).toMatchObject({ n: 2 });
  });
});
