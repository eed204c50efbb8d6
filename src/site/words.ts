/** The texts of the pages in the three languages of the API: English, Russian and Armenian (`words.json`, and `widgetWords.json`, of which the widget is made too). */
import { createRequire } from 'node:module';
import type { Category } from './scale.ts';
import type OF_WIDGET from './widgetWords.json';
import type TEXTS from './words.json';

export type Words = Record<keyof typeof TEXTS | keyof typeof OF_WIDGET, string>;

const require = createRequire(import.meta.url);
const ALL: Readonly<Record<string, readonly string[]> & Record<Category, readonly string[]>> = {
  ...(require('./words.json') as typeof TEXTS),
  ...(require('./widgetWords.json') as typeof OF_WIDGET),
};

const inLanguage = (n: 0 | 1 | 2): Words =>
  Object.fromEntries(Object.entries(ALL).map(([key, text]) => [key, text[n]])) as Words;

export const WORDS: Readonly<Record<'en' | 'ru' | 'hy', Words>> = {
  en: inLanguage(0),
  ru: inLanguage(1),
  hy: inLanguage(2),
};
