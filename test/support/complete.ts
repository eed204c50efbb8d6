/**
 * Tests of the project as a whole hold while it has every extra: documents name all of them, and what
 * two extras share is used by one alone where the other is gone.
 */
import { existsSync, readFileSync } from 'node:fs';
import { type Skippable, skipUnless } from './tools.ts';

const SRC = new URL('../../src/', import.meta.url);

/** The documents of extras that src/README.md links. */
const documents = [
  ...readFileSync(new URL('README.md', SRC), 'utf8').matchAll(/\((extras\/[\w/]+\/README\.md)/g),
].map(([, path = '']) => path);

export const isComplete = documents.every((path) => existsSync(new URL(path, SRC)));

export const whereComplete: Skippable = skipUnless(isComplete, 'an extra was taken away');
