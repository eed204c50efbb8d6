/** The texts that several rooms show: indices and their advice, reasons of changes, feeds. */
import { createRequire } from 'node:module';
import { byLanguage } from './form.ts';
import type FILE from './words.json';

/** Each in every language. */
export const COMMON_TEXTS = createRequire(import.meta.url)('./words.json') as typeof FILE;

/** By language. */
export const COMMON_WORDS = byLanguage(COMMON_TEXTS);
