/** Validates Atom feeds against the grammar of RFC 4287, and reads them as a reader does. */
import { readFileSync } from 'node:fs';
import { parseFeed } from '@rowanmanning/feed-parser';
import { RelaxNGValidator, XmlDocument } from 'libxml2-wasm';
import { expect } from 'vitest';

const TAG = /^tag:[a-z0-9.-]+,\d{4}(-\d\d(-\d\d)?)?:[\w/:-]+$/;
const GRAMMAR = RelaxNGValidator.fromDoc(
  XmlDocument.fromBuffer(readFileSync(new URL('atom.rng', import.meta.url))),
);

export type AtomEntry = { id: string; title: string; updated: string; content: string };

/** Throws where the grammar does not allow the text. */
function validate(text: string): void {
  const document = XmlDocument.fromString(text);
  try {
    GRAMMAR.validate(document);
  } finally {
    document.dispose();
  }
}

/** The entries that a reader shows of a feed; fails where it breaks a must. */
export function readAtom(text: string) {
  expect(text.startsWith('<?xml version="1.0" encoding="utf-8"?>')).toBe(true);
  validate(text);
  const parsed = parseFeed(text);
  const [head = '', ...parts] = text.split('<entry>');
  const of = (part: string, element: string) =>
    new RegExp(`<${element}>([^<]*)</${element}>`).exec(part)?.[1] ?? '';
  expect(head.match(/rel="self"/g)).toHaveLength(1);
  expect(head.match(/rel="alternate"/g)).toHaveLength(1);
  const entries = parts.map((part) => ({ id: of(part, 'id'), updated: of(part, 'updated') }));
  const ids = [of(head, 'id'), ...entries.map(({ id }) => id)];
  for (const id of ids) expect(id).toMatch(TAG);
  expect(new Set(ids).size, `${ids}`).toBe(ids.length); // 4.2.6: permanent and unique
  expect(parsed.meta).toMatchObject({ type: 'atom', version: '1.0' });
  expect(parsed.items).toHaveLength(entries.length);
  return {
    title: parsed.title,
    language: parsed.language,
    authors: parsed.authors.map(({ name }) => name),
    copyright: parsed.copyright,
    id: ids[0],
    updated: of(head, 'updated'),
    entries: entries.map((entry, n): AtomEntry => {
      const { title, content } = parsed.items[n] ?? {};
      return { ...entry, title: title ?? '', content: content ?? '' };
    }),
  };
}
