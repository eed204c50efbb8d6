/** Texts for people: each in every language, in files of one form. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOCALES } from '../../src/contract/endpoints.ts';
import { REASONS } from '../../src/contract/explore/changes.ts';
import { byLanguage, fill, type Texts, wordsIn } from '../../src/contract/words/form.ts';
import { COMMON_TEXTS } from '../../src/contract/words/words.ts';

const SRC = new URL('../../src/', import.meta.url).pathname;
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('/words.json'),
);

/** The ends of a tree that are no text, or not in every language. */
function wrongIn(texts: unknown, path: string): string[] {
  if (typeof texts !== 'object' || texts === null) return [path];
  const isText = Object.values(texts).some((one) => typeof one === 'string');
  if (!isText)
    return Object.entries(texts).flatMap(([name, one]) => wrongIn(one, `${path}.${name}`));
  const isWhole =
    Object.keys(texts).join() === LOCALES.join() &&
    Object.values(texts).every((one) => typeof one === 'string' && one !== '');
  return isWhole ? [] : [path];
}

it.each(FILES)('every text of %s is in every language', (path) => {
  expect(wrongIn(JSON.parse(readFileSync(join(SRC, path), 'utf8')), path)).toEqual([]);
});

it('a text that lacks a language does not compile, and is found', () => {
  // @ts-expect-error it has no Armenian
  byLanguage({ group: { text: { en: 'a', ru: 'b' } } } satisfies Texts);
  expect(wrongIn({ group: { text: { en: 'a', ru: 'b' } } }, 'it')).toEqual(['it.group.text']);
  expect(FILES).toContain('contract/words/words.json');
});

it('a tree of texts has the same names in each language', () => {
  const texts = { group: { text: { en: '{n} here', ru: '{n} тут', hy: '{n} այստեղ' } } };
  expect(wordsIn(texts, 'ru')).toEqual({ group: { text: '{n} тут' } });
  expect(fill(byLanguage(texts).en.group.text, { n: 2 })).toBe('2 here');
});

it('every reason of a change has its words', () => {
  expect(Object.keys(COMMON_TEXTS.reasons)).toEqual(Object.keys(REASONS));
});
