/** The texts of the page of the archive, from `words.json`. */
import { createRequire } from 'node:module';
import type { Locale } from '../../contract/endpoints.ts';
import { byLanguage, type Text } from '../../contract/words/form.ts';
import type FILE from './words.json';

const TEXTS = createRequire(import.meta.url)('./words.json') as typeof FILE;

export const TITLE: Text = TEXTS.title;

export const WORDS = byLanguage(TEXTS);

/** The title of a folder, '' for the lists beside them; an unknown one has its own name. */
export function folderTitle(folder: string, locale: Locale): string {
  const titles: Readonly<Record<string, string>> = WORDS[locale].folders;
  return titles[folder === '' ? 'lists' : folder] ?? folder;
}
