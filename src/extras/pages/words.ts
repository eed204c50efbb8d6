/** The texts of the pages, from `words.json`, which has each in every language of the API. */
import { createRequire } from 'node:module';
import { LOCALES, type Locale } from '../../contract/endpoints.ts';
import { INDEX_WORDS } from '../../serve/indexWords.ts';
import { type Band, bandOf, type Category } from './scale.ts';
import type TEXTS from './words.json';

export type Words = Record<keyof typeof TEXTS | Category | Band | 'usIndex', string>;

const require = createRequire(import.meta.url);
/** The compiler names a text that is missing in a language of its own. */
const ALL: Readonly<Record<keyof typeof TEXTS, Readonly<Record<Locale, string>>>> =
  require('./words.json') as typeof TEXTS;

/** The names of the US EPA's index, for the browser, and of the categories of both indices. */
const OF_INDICES = Object.fromEntries([
  ['usIndex', INDEX_WORDS.aqi.name] as const,
  ...Object.entries(INDEX_WORDS.aqi.grades).map(([key, { name }]) => [key, name] as const),
  ...Object.entries(INDEX_WORDS.eaqi.grades).map(([key, { name }]) => [bandOf(key), name] as const),
]);

const inLanguage = (locale: Locale): Words =>
  Object.fromEntries(
    Object.entries({ ...ALL, ...OF_INDICES }).map(([key, texts]) => [key, texts[locale]]),
  ) as Words;

export const WORDS = Object.fromEntries(
  LOCALES.map((locale) => [locale, inLanguage(locale)]),
) as Readonly<Record<Locale, Words>>;
