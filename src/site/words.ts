/** The texts of the pages in the three languages of the API: English, Russian and Armenian (`words.json`). */
import { createRequire } from 'node:module';
import type { Category } from './scale.ts';
import type TEXTS from './words.json';

export type Words = Record<keyof typeof TEXTS, string>;

const ALL: Readonly<Record<string, readonly string[]> & Record<Category, readonly string[]>> = createRequire(
  import.meta.url,
)('./words.json') as typeof TEXTS;

const inLanguage = (n: 0 | 1 | 2): Words =>
  Object.fromEntries(Object.entries(ALL).map(([key, text]) => [key, text[n]])) as Words;

export const WORDS: Readonly<Record<'en' | 'ru' | 'hy', Words>> = {
  en: inLanguage(0),
  ru: inLanguage(1),
  hy: inLanguage(2),
};
