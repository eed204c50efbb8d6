/**
 * The texts of the pages in the languages of the API, which `words.json` has in the order of
 * LOCALES.
 */
import { createRequire } from 'node:module';
import { LOCALES, type Locale } from '../../contract/endpoints.ts';
import type { Category } from './scale.ts';
import type TEXTS from './words.json';

export type Words = Record<keyof typeof TEXTS, string>;

const require = createRequire(import.meta.url);
const ALL: typeof TEXTS & Record<Category, readonly string[]> = require('./words.json');

const inLanguage = (n: number): Words =>
  Object.fromEntries(Object.entries(ALL).map(([key, texts]) => [key, texts[n]])) as Words;

export const WORDS = Object.fromEntries(
  LOCALES.map((locale, n) => [locale, inLanguage(n)]),
) as Readonly<Record<Locale, Words>>;
