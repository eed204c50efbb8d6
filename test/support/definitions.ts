/** Definitions of a database that are not quite those of this program: a copy of sql/ in a folder of its own, changed. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEFINITIONS, type Definitions } from '../../src/database/definitions.ts';

/** With a file changed, where one is named. The copy is removed when the process ends. */
export function changedDefinitions(path?: string, change: (text: string) => string = (text) => text): Definitions {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-sql-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(DEFINITIONS.folder, folder, { recursive: true });
  if (path !== undefined) writeFileSync(join(folder, path), change(readFileSync(join(folder, path), 'utf8')));
  return { ...DEFINITIONS, folder: pathToFileURL(`${folder}/`) };
}
