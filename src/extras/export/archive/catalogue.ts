/**
 * Reads what the archive holds from its own index, `datapackage.json`, again when that has changed.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../database/errors.ts';
import { INDEX } from './descriptor.ts';

/** Where the files are on the public port. */
export const ARCHIVE = '/archive/';

const instant = z.iso.datetime({ offset: true });
const file = z.object({
  path: z.string(),
  bytes: z.number(),
  hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  modified: instant,
  rows: z.number().optional(),
  first: instant.nullish(),
  last: instant.nullish(),
});
const datapackage = z.object({ resources: z.array(file) });

/** A file by the index: its size, its content, when that last changed, and what it covers. */
export type ArchivedFile = z.infer<typeof file>;

/** `version` names the content of the index. */
export type Catalogue = { version: string; files: ReadonlyMap<string, ArchivedFile> };

/**
 * Reads the index of a folder, if that is not the one read last. Resolves to undefined while there
 * is none.
 */
export function catalogueOf(folder: string): () => Promise<Catalogue | undefined> {
  const path = join(folder, INDEX);
  let last: { seen: string; catalogue: Catalogue } | undefined;
  return async () => {
    const found = await stat(path).catch(undefinedIfMissing);
    if (found === undefined) return undefined;
    const seen = `${found.ino} ${found.ctimeMs}`; // no content changes without one of them
    if (last?.seen !== seen) last = { seen, catalogue: await readCatalogue(path) };
    return last.catalogue;
  };
}

async function readCatalogue(path: string): Promise<Catalogue> {
  const text = await readFile(path);
  const { resources } = datapackage.parse(JSON.parse(text.toString()));
  const hash = createHash('sha256').update(text).digest('hex');
  const { size, mtime } = await stat(path);
  const own = { path: INDEX, bytes: size, hash: `sha256:${hash}`, modified: mtime.toISOString() };
  return {
    version: hash,
    files: new Map([...resources, own].map((one) => [one.path, one])),
  };
}

/**
 * True if the index is about this very file. It may be older or newer than the file for a moment,
 * and for longer where somebody copies the folder. Some file systems and copies keep whole seconds.
 */
export const isOf = ({ bytes, modified }: ArchivedFile, { size, mtimeMs }: Stats): boolean =>
  bytes === size && seconds(Date.parse(modified)) === seconds(mtimeMs);

const seconds = (ms: number) => Math.floor(ms / 1_000);

function undefinedIfMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
}
