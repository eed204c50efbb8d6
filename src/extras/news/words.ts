/** The texts of feeds, from `words.json`. */
import { createRequire } from 'node:module';
import { byLanguage } from '../../contract/words/form.ts';
import type FILE from './words.json';

export const WORDS = byLanguage(createRequire(import.meta.url)('./words.json') as typeof FILE);
