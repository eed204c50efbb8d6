/** Reads Atom feeds as a reader does, and holds them to the musts of RFC 4287. */
import { parseFeed } from '@rowanmanning/feed-parser';
import { expect } from 'vitest';

/** RFC 3339, as RFC 4287 (3.3) narrows it: capital letters, and an offset. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const TAG = /^tag:[a-z0-9.-]+,\d{4}(-\d\d(-\d\d)?)?:[\w/:-]+$/;

export type AtomEntry = { id: string; title: string; updated: string; content: string };

/** The entries that a reader shows of a feed; fails where it breaks a must. */
export function readAtom(text: string) {
  expect(text.startsWith('<?xml version="1.0" encoding="utf-8"?>')).toBe(true);
  const parsed = parseFeed(text);
  const [head = '', ...parts] = text.split('<entry>');
  const only = (part: string, element: string) => {
    const found = [...part.matchAll(new RegExp(`<${element}[^>]*>([\\s\\S]*?)</${element}>`, 'g'))];
    expect(found, `${element} in ${part}`).toHaveLength(1); // 4.1.1 and 4.1.2: exactly one
    return found[0]?.[1] ?? '';
  };
  expect(head).toContain('xmlns="http://www.w3.org/2005/Atom"');
  expect(only(only(head, 'author'), 'name')).not.toBe('');
  expect(only(head, 'title')).not.toBe('');
  expect(head.match(/rel="self"/g)).toHaveLength(1);
  expect(head.match(/rel="alternate"/g)).toHaveLength(1);
  const entries = parts.map((part) => {
    only(part, 'title');
    expect(part.match(/<link /g)).toHaveLength(1);
    return { id: only(part, 'id'), updated: only(part, 'updated') };
  });
  const updated = [only(head, 'updated'), ...entries.map((entry) => entry.updated)];
  for (const one of updated) expect(one).toMatch(INSTANT);
  const ids = [only(head, 'id'), ...entries.map(({ id }) => id)];
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
    updated: updated[0],
    entries: entries.map((entry, n): AtomEntry => {
      const { title, content } = parsed.items[n] ?? {};
      return { ...entry, title: title ?? '', content: content ?? '' };
    }),
  };
}
