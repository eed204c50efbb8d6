/** The files of a folder, in tests. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** A new folder, removed after the tests. */
export const emptyFolder = () => temporaryFolder('archive');

/** The text of every file by its name within the folder. */
export function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}
