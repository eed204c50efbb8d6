/** The texts of the pages, from `words.json`, and the categories of both indices. */
import { createRequire } from 'node:module';
import type { Locale } from '../../contract/endpoints.ts';
import { byLanguage, type Text } from '../../contract/words/form.ts';
import { INDEX_WORDS } from '../../contract/words/indices.ts';
import { COMMON_TEXTS } from '../../contract/words/words.ts';
import { type Band, bandOf, type Category } from './scale.ts';
import type FILE from './words.json';

export type Words = Record<
  keyof typeof FILE | keyof typeof COMMON_TEXTS.columns | Category | Band,
  string
>;

const TEXTS = createRequire(import.meta.url)('./words.json') as typeof FILE;

/** The names of the categories of both indices. */
const OF_INDICES: Readonly<Record<string, Text>> = Object.fromEntries([
  ...Object.entries(INDEX_WORDS.aqi.grades).map(([key, { name }]) => [key, name] as const),
  ...Object.entries(INDEX_WORDS.eaqi.grades).map(([key, { name }]) => [bandOf(key), name] as const),
]);

export const WORDS = byLanguage({ ...TEXTS, ...COMMON_TEXTS.columns, ...OF_INDICES }) as Readonly<
  Record<Locale, Words>
>;
