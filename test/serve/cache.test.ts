/** The rules of the response cache, with a clock and data versions that the test sets. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Unavailable } from '../../src/base/unavailable.ts';
import {
  type DocumentCache,
  makeDocumentCache,
  type Render,
  shareWhileCurrent,
} from '../../src/serve/cache.ts';
import { type Document, renderDocument } from '../../src/serve/document.ts';
import { isAll } from '../support/database.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const KEY = '/en/a.json';

let now: number;
let history: number;
let version: number;
let inContact: boolean;
let confirmedAt: number;
let rendered: number;
let saw: string[];

beforeEach(() => {
  [now, history, version, inContact, confirmedAt, rendered, saw] = [
    START,
    1,
    1,
    true,
    START,
    0,
    [],
  ];
});

const lastKnown = () => ({ history, version, confirmedAt: new Date(confirmedAt) });
const versions = {
  current: () => (inContact ? lastKnown() : undefined),
  lastKnown,
  sawVersion: (seen: number, ofHistory: number) => void saw.push(`${seen} of ${ofHistory}`),
};
const clock = () => new Date(now);
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
/** The same, but it comes to its end only when the second of these is called. */
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

  it('is found after it was rendered, and not before', async () => {
    expect(cache.find(KEY)).toBeUndefined();
    expect(bodyOf(await cache.get(KEY, rendering({ n: 1 })))).toEqual({ n: 1 });
    expect(bodyOf(cache.find(KEY))).toEqual({ n: 1 });
    expect(bodyOf(await cache.get(KEY, rendering({ n: 2 })))).toEqual({ n: 1 });
    expect(rendered).toBe(1);
  });

  it('is rendered once for all who ask meanwhile, and fails for all of them', async () => {
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

  it('is valid up to the instant at which time changes it, and not at that instant', async () => {
    await cache.get(KEY, rendering({ n: 1 }, { seconds: 10 }));
    now += 9_999;
    expect(bodyOf(cache.find(KEY))).toEqual({ n: 1 });
    now += 1;
    expect(cache.find(KEY)).toBeUndefined();
    expect(bodyOf(await cache.get(KEY, rendering({ n: 2 })))).toEqual({ n: 2 });
  });

  it('is not valid before its own instant, when the clock was set back', async () => {
    await cache.get(KEY, rendering({ n: 1 }));
    now -= 1;
    expect(cache.find(KEY)).toBeUndefined();
  });

  it('is invalid from a newer data version on', async () => {
    await cache.get(KEY, rendering({ n: 1 }));
    version += 1;
    expect(cache.find(KEY)).toBeUndefined();
  });

  it('is invalid in another history, whatever its version, even to bridge an outage', async () => {
    await cache.get(KEY, rendering({ n: 1 }, { readAt: () => 10 }));
    [history, version] = [2, 6];
    expect(cache.find(KEY)).toBeUndefined();
    inContact = false;
    await expect(cache.get(KEY, away)).rejects.toThrow(Unavailable);
  });

  it('that was begun in another history is read again', async () => {
    const [slow, proceed] = slowly(rendering({ n: 1 }, { readAt: () => 10 }));
    const begun = cache.get(KEY, slow);
    [history, version] = [2, 6];
    proceed();
    await begun;
    expect([rendered, saw]).toEqual([2, ['10 of 2']]);
    expect(cache.find(KEY)).toBeDefined();
  });

  it('that is older than what was served before is read again, and is never served', async () => {
    version = 7;
    let reads = 0;
    // of another server
    const second = rendering({ n: 1 }, { readAt: () => (reads++ === 0 ? 6 : 7) });
    expect(bodyOf(await cache.get(KEY, second))).toEqual({ n: 1 });
    await expect(cache.get('other', rendering({ n: 1 }, { readAt: () => 6 }))).rejects.toThrow(
      Unavailable,
    );
    expect([reads, rendered, cache.find('other')]).toEqual([2, 4, undefined]);
  });

  it('that is older than the one kept gives way to that, with its age', async () => {
    version = 7;
    await cache.get(KEY, rendering({ n: 1 }, { seconds: 10 }));
    now += 25_000;
    const bridged = await cache.get(KEY, rendering({ n: 2 }, { readAt: () => 6 }));
    expect([bodyOf(bridged), bridged.cacheHeaders]).toMatchObject([
      { n: 1 },
      { maxAge: 0, age: 25 },
    ]);
  });

  it('of nothing at all, or of no data, has no version', async () => {
    version = 7;
    expect(bodyOf(await cache.get('empty', rendering([], { readAt: () => 0 })))).toEqual([]);
    expect(
      bodyOf(await cache.get('rules', rendering({}, { readAt: () => Number.POSITIVE_INFINITY }))),
    ).toEqual({});
  });

  it('tells the watch which version was read', async () => {
    await cache.get(KEY, rendering({ n: 1 }, { readAt: () => 2 }));
    expect(saw).toEqual(['2 of 1']);
  });

  it('that was being rendered while the data changed is rendered again, also for those who asked before', async () => {
    const [slow, proceed] = slowly(rendering({ n: 1 }));
    const begun = cache.get(KEY, slow);
    version += 1;
    const later = cache.get(KEY, rendering({ n: 2 }));
    proceed();
    await Promise.all([begun, later]);
    expect([rendered, saw]).toEqual([2, ['2 of 1']]);
    expect(cache.find(KEY)).toBeDefined();
  });
});

describe('a document that is rendered once', () => {
  it('has the headers of one that is not kept, and is never older than what was served before', async () => {
    const cache = makeCache();
    version = 7;
    const [first, second] = [rendering({ n: 1 }, { readAt: () => 6 }), rendering({ n: 2 })];
    const renderings = [first, second].values();
    const served = await cache.renderOnce(async () => (renderings.next().value as Render)());
    expect([bodyOf(served), served.cacheHeaders]).toEqual([{ n: 2 }, { maxAge: 60 }]);
  });

  it('may take longer than the readers of others wait, and is of the instant at its end', async () => {
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
  it('is a minute, or less if time changes the document earlier', async () => {
    const cache = makeCache();
    expect((await cache.get('a', rendering({}, { seconds: 3_600 }))).cacheHeaders.maxAge).toBe(60);
    expect((await cache.get('b', rendering({}, { seconds: 42 }))).cacheHeaders.maxAge).toBe(42);
    now += 40_500;
    expect(cache.find('b')?.cacheHeaders.maxAge).toBe(1);
  });

  it('tells when the content last changed, which a rendering with the same content does not', async () => {
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

  it('tells no time of change in the future after the clock was set back', async () => {
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

  it('tells no time of change without the cache, where nobody remembers it', async () => {
    const { cacheHeaders } = await makeCache(0).get(KEY, rendering({}));
    expect(cacheHeaders).toEqual({ maxAge: 60 });
  });
});

describe('a document that takes longer than its readers wait', () => {
  it('is rendered once, and kept; the last one is served meanwhile, with its age', async () => {
    const cache = makeCache(1e6, 0);
    await cache.get(KEY, rendering({ n: 1 }));
    version += 1;
    now += 5_000;
    const [slow, proceed] = slowly(rendering({ n: 2 }));
    for (let n = 0; n < 3; n++) {
      const bridged = await cache.get(KEY, slow);
      expect([bodyOf(bridged), bridged.cacheHeaders]).toMatchObject([
        { n: 1 },
        { maxAge: 0, age: 5 },
      ]);
    }
    proceed();
    await settle();
    expect(bodyOf(cache.find(KEY))).toEqual({ n: 2 });
    expect(rendered).toBe(2);
  });

  describe('with the timers held', () => {
    beforeEach(
      () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
    );
    afterEach(() => void vi.useRealTimers());

    it('is waited for to the end of its time only, counted from its beginning', async () => {
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
  });

  it('is unavailable where there is no last one, until it is rendered', async () => {
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
  it('serves the last current document with its age, for ten minutes, and does not ask', async () => {
    const cache = makeCache();
    await cache.get(KEY, rendering({ n: 1 }));
    inContact = false;
    now += 30_000;
    confirmedAt = now; // known to be current so long
    rendered = 0;
    now += 45_900;
    expect(cache.find(KEY)).toBeUndefined();
    const bridged = await cache.get(KEY, rendering({ n: 2 }));
    expect([bodyOf(bridged), bridged.cacheHeaders]).toMatchObject([
      { n: 1 },
      { maxAge: 0, age: 45 },
    ]);
    expect(rendered).toBe(0);
    now = confirmedAt + 600_000;
    expect((await cache.get(KEY, away)).cacheHeaders.age).toBe(600);
    now += 1;
    await expect(cache.get(KEY, away)).rejects.toThrow(Unavailable);
  });

  it('counts the age from the instant at which time changed the document', async () => {
    const cache = makeCache();
    await cache.get(KEY, rendering({ n: 1 }, { seconds: 10 }));
    inContact = false;
    confirmedAt = now + 60_000;
    now += 70_000;
    expect((await cache.get(KEY, away)).cacheHeaders.age).toBe(60);
  });

  it('also bridges a query that fails while contact is believed', async () => {
    const cache = makeCache();
    await cache.get(KEY, rendering({ n: 1 }));
    version += 1;
    now += 5_000;
    expect((await cache.get(KEY, away)).cacheHeaders).toMatchObject({ maxAge: 0, age: 5 });
    const wrong = async () => {
      throw new Error('a fault of ours');
    };
    await expect(cache.get(KEY, wrong)).rejects.toThrow('a fault of ours');
  });
});

describe('the bound', () => {
  const floods: [number, string][] = [
    [110, 'too short to be compressed'],
    [1_500, 'hardly longer than its compressed copies'],
  ];
  if (isAll) floods.push([20_000, 'as large as a day of hours']);
  it.each(floods)(
    'is that of memory, under a flood of distinct paths to documents of %s bytes, %s',
    (size) => {
      const script = fileURLToPath(new URL('memory.ts', import.meta.url));
      const taken = Number(
        execFileSync(process.execPath, ['--expose-gc', '--import', 'tsx', script, String(size)]),
      );
      expect(taken).toBeGreaterThan(0.5);
      expect(taken).toBeLessThan(1.3);
    },
  );

  it('is in bytes, and the least recently used go first', async () => {
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

  it('leaves out a document that is larger by itself', async () => {
    const cache = makeCache(3_000);
    await cache.get('small', rendering({}));
    expect(bodyOf(await cache.get('large', rendering({ text: 'x'.repeat(2_000) })))).toHaveProperty(
      'text',
    );
    expect(cache.find('large')).toBeUndefined();
    expect(cache.find('small')).toBeDefined();
  });
});

describe('what is shared while it is current', () => {
  let readings: { finish(): void; fail(): void }[];
  beforeEach(() => {
    readings = [];
  });

  /** It is its number, and valid for a second; each reading ends when the test says so. */
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

  it('is read once for all who ask', async () => {
    const read = share();
    const asked = [read(), read()];
    await finish(1);
    expect(await Promise.all(asked)).toMatchObject([{ n: 1 }, { n: 1 }]);
    now += 999;
    expect(await read()).toMatchObject({ n: 1 });
  });

  it.each([
    ['the data change', () => (version += 1)],
    ['time changes it', () => (now += 1_000)],
    ['the clock is set back', () => (now -= 1)],
    ['the database has another history', () => (history += 1)],
    ['the version is unknown', () => (inContact = false)],
  ])('is read again when %s', async (_, change) => {
    const read = share();
    const first = read();
    await finish(1);
    await first;
    change();
    const second = read();
    await finish(2);
    expect(await second).toMatchObject({ n: 2 });
  });

  it('is read again for all if the data changed meanwhile, never twice at a time', async () => {
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

  it('is read again for the next who ask after a failure', async () => {
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
