/**
 * The texts of the pages in the three languages of the API: English, Russian and Armenian
 * (`words.json`).
 */
import { createRequire } from 'node:module';
import type { Category } from './scale.ts';
import type TEXTS from './words.json';

export type Words = Record<keyof typeof TEXTS, string>;

const require = createRequire(import.meta.url);
const ALL: typeof TEXTS & Record<Category, readonly string[]> = require('./words.json');

const inLanguage = (n: 0 | 1 | 2): Words =>
  Object.fromEntries(Object.entries(ALL).map(([key, text]) => [key, text[n]])) as Words;

export const WORDS: Readonly<Record<'en' | 'ru' | 'hy', Words>> = {
  en: inLanguage(0),
  ru: inLanguage(1),
  hy: inLanguage(2),
};
