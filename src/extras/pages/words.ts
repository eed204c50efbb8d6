/** The texts of the pages, from `words.json`, which has each in every language of the API. */
import { createRequire } from 'node:module';
import { LOCALES, type Locale } from '../../contract/endpoints.ts';
import type { Category } from './scale.ts';
import type TEXTS from './words.json';

export type Words = Record<keyof typeof TEXTS, string>;

const require = createRequire(import.meta.url);
/** The compiler names a text that is missing in a language of its own. */
const ALL: Readonly<Record<keyof typeof TEXTS | Category, Readonly<Record<Locale, string>>>> =
  require('./words.json') as typeof TEXTS;

const inLanguage = (locale: Locale): Words =>
  Object.fromEntries(Object.entries(ALL).map(([key, texts]) => [key, texts[locale]])) as Words;

export const WORDS = Object.fromEntries(
  LOCALES.map((locale) => [locale, inLanguage(locale)]),
) as Readonly<Record<Locale, Words>>;
