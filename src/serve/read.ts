/** Reads documents of the API, for what extras make of them, such as pages. */
import { LRUCache } from 'lru-cache';
import type { DocumentCache, Sent } from './cache.ts';
import { type Content, type Document, encode, rendered } from './document.ts';
import { type Entry, earlier, NEVER, type Validity } from './entry.ts';
import { type Served, unknownPath } from './paths.ts';

/**
 * Lists of a large network stay parsed for the pages of a minute: the overview of 2,000 stations
 * took 158 ms where each page parsed them, and takes 116. In bytes of JSON, several times that in
 * memory.
 */
const MAX_PARSED_BYTES = 8 * 2 ** 20;
/** A station's history, of 105 KB, is parsed in a millisecond. */
const MIN_PARSED_BYTES = 128 * 2 ** 10;

/**
 * The document of the API at a path, such as `/en/explore/v1/station/1/days/2026.json`, as its
 * clients get it at this moment, parsed; others may have the same object. Rejects with Problem 404
 * where they get that, and with Unavailable while the database is unreachable.
 */
export type Read = <Contents>(path: string) => Promise<Contents>;

export type Reader = {
  read: Read;
  /** Makes a document of what it reads. It holds as long as all of that holds together. */
  compose(make: (read: Read) => Promise<Content>): Promise<Entry>;
};

export function makeReader(endpoints: readonly Served[], cache: DocumentCache): Reader {
  const parsed = new LRUCache<Document, object>({
    maxSize: MAX_PARSED_BYTES,
    sizeCalculation: (_contents, { bytes }) => bytes,
  });
  async function contentsOf(document: Document) {
    const contents = parsed.get(document) ?? JSON.parse(String(await encode(document, 'identity')));
    if (document.bytes >= MIN_PARSED_BYTES) parsed.set(document, contents);
    return contents;
  }
  async function sentAt(path: string): Promise<Sent> {
    for (const { pattern, media, renderOf } of endpoints) {
      const given = media === undefined ? pattern.exec(path)?.groups : undefined;
      if (given !== undefined) return await cache.getCurrent(path, renderOf(decoded(given)));
    }
    throw unknownPath(path, endpoints);
  }
  return {
    read: async (path) => await contentsOf((await sentAt(path)).document),
    async compose(make) {
      let validity: Validity = { validUntil: new Date(NEVER), version: Number.POSITIVE_INFINITY };
      const content = await make(async (path) => {
        const sent = await sentAt(path);
        validity = earlier(validity, sent);
        return await contentsOf(sent.document);
      });
      return { document: rendered(content), ...validity };
    },
  };
}

const decoded = (given: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(given).map(([name, text]) => [name, decodeURIComponent(text)]));
