/** Runs that once failed, shrunk to a few steps, as regression tests: `npm test` plays them all. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Step } from './steps.ts';

/** `why`: the situation, as the end of a test's name. */
export type Case = { zone: string; why: string; steps: readonly Step[] };

const FOLDER = new URL('./corpus/', import.meta.url);

export function readCorpus(): (Case & { name: string })[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({
      name,
      ...(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Case),
    }));
}

/** Returns the path of the file. */
export function writeCase(name: string, found: Case): string {
  mkdirSync(FOLDER, { recursive: true });
  const file = new URL(`${name}.json`, FOLDER);
  writeFileSync(file, `${JSON.stringify(found, null, 1)}\n`);
  return file.pathname;
}
