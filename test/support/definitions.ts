/** Definitions of a database that are not quite those of this program: a copy of sql/, to be changed. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEFINITIONS, type Definitions } from '../../src/database/definitions.ts';

/** In `folder`; with a file changed, where one is named. */
export function changedDefinitions(
  folder: string,
  path?: string,
  change: (text: string) => string = (text) => text,
): Definitions {
  cpSync(DEFINITIONS.folder, folder, { recursive: true });
  if (path !== undefined) writeFileSync(join(folder, path), change(readFileSync(join(folder, path), 'utf8')));
  return { ...DEFINITIONS, folder: pathToFileURL(`${folder}/`) };
}
