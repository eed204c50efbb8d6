/**
 * Fills a response cache with many more documents than it holds, as a flood of distinct paths does,
 * and prints the memory used as a share of its limit. Each document has about SIZE bytes: `node
 * --expose-gc --import tsx test/serve/memory.ts SIZE`.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DocumentCache, makeDocumentCache } from '../../src/serve/cache.ts';
import type { DataVersions } from '../../src/serve/dataVersion.ts';
import { encode, renderDocument } from '../../src/serve/document.ts';

const MAX_BYTES = 8 * 1_048_576;
const size = Number(process.argv[2]);
const now = new Date('2026-11-20T12:00:00Z');
const known = () => ({ history: 1, version: 1, confirmedAt: now });
const versions: DataVersions = { current: known, lastKnown: known, sawVersion: () => undefined };

async function usedBytes(): Promise<number> {
  for (let n = 0; n < 5; n++) {
    globalThis.gc?.();
    await nextTurn(); // buffers are freed after it
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** JSON that compresses about as well as unrounded means do. */
function textOf(n: number): string {
  const means = Array.from({ length: size / 50 }, () => ({
    avg_temperature: randomBytes(4).readUInt32LE() / 1e8,
    avg_no2: null,
  }));
  return JSON.stringify({ n, means });
}

async function fill(cache: DocumentCache, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const url = `/en/explore/v1/station/1/readings/${n}.json?${'x'.repeat(4_000)}`;
    const key = url.slice(0, url.indexOf('?'));
    const render = async () => {
      const document = renderDocument('en', textOf(n));
      return { document, validUntil: new Date(now), version: 1, route: 'a' };
    };
    const { document } = await cache.get(key, render);
    for (const coding of document.bytes < 1_024 ? [] : (['br', 'gzip'] as const))
      await encode(document, coding);
  }
}

const makeCache = () => makeDocumentCache({ maxBytes: MAX_BYTES, clock: () => now, versions });
await fill(makeCache(), 1_000); // compiles the code
let cache: DocumentCache | undefined = makeCache();
await fill(cache, (2 * MAX_BYTES) / (1_000 + size));
const full = await usedBytes();
cache.find(''); // kept until here
cache = undefined;
console.log((full - (await usedBytes())) / MAX_BYTES);
