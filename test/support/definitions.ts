/** Definitions that differ from this version's: without extras, or a copy of sql/ with changes. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEFINITIONS, type Definitions } from '../../src/schema/template.ts';

/** This version's definitions without the views and functions of any extra. */
export const CORE: Definitions = { ...DEFINITIONS, extras: [] };

/** Copies sql/ to `folder`, and changes a file if one is named. */
export function changedDefinitions(
  folder: string,
  path?: string,
  change: (text: string) => string = (text) => text,
): Definitions {
  cpSync(DEFINITIONS.folder, folder, { recursive: true });
  if (path !== undefined)
    writeFileSync(join(folder, path), change(readFileSync(join(folder, path), 'utf8')));
  return { ...DEFINITIONS, folder: pathToFileURL(`${folder}/`) };
}
