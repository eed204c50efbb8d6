/**
 * Reads what the archive holds from its own index, `datapackage.json`, again when that has changed.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Log } from '../../base/log.ts';
import { errorCode } from '../../database/errors.ts';
import { INDEX } from './descriptor.ts';

/** Where the files are on the public port. */
export const ARCHIVE = '/archive/';

/** When the files of the running month and year are made again each night, in UTC. */
export const NIGHT = { hour: 2, minute: 23 };

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
const datapackage = z.object({
  resources: z.array(file),
  documents: z.array(z.string()).default([]),
  missing: z.array(z.string()).default([]),
  up_to: instant.nullish(),
});

/** A file by the index: its size, its content, when that last changed, and what it covers. */
export type ArchivedFile = z.infer<typeof file>;

/**
 * `version` names the content of the index; `documents` are files beside the data, `missing` those
 * that are not made yet or lack something, and `upTo` is the last hour that is in one.
 */
export type Catalogue = {
  version: string;
  files: ReadonlyMap<string, ArchivedFile>;
  documents: ReadonlySet<string>;
  missing: readonly string[];
  upTo: string | undefined;
};

/**
 * Reads the index of a folder, if that is not the one read last. Resolves to undefined while there
 * is no index. One that cannot be read is logged once, and the last one that could is used instead;
 * without any, rejects with the error.
 */
export function catalogueOf(folder: string, log: Log): () => Promise<Catalogue | undefined> {
  const path = join(folder, INDEX);
  let seen: string | undefined;
  let last: Catalogue | undefined;
  return async () => {
    const found = await stat(path).catch(undefinedIfMissing);
    if (found === undefined) return undefined;
    const version = `${found.ino} ${found.ctimeMs}`; // no content changes without one of them
    if (seen === version && last !== undefined) return last;
    try {
      last = await readCatalogue(path);
    } catch (error) {
      if (seen !== version)
        log.error(
          { path, reason: (error as Error).message },
          'the index of the archive cannot be read; the worker makes it again with its next run',
        );
      seen = version;
      if (last === undefined) throw error;
    }
    seen = version;
    return last;
  };
}

async function readCatalogue(path: string): Promise<Catalogue> {
  const handle = await open(path);
  const [text, { size, mtime }] = await Promise.all([handle.readFile(), handle.stat()]).finally(
    () => handle.close(),
  );
  const index = datapackage.parse(JSON.parse(text.toString()));
  const hash = createHash('sha256').update(text).digest('hex');
  const own = { path: INDEX, bytes: size, hash: `sha256:${hash}`, modified: mtime.toISOString() };
  return {
    version: hash,
    files: new Map([...index.resources, own].map((one) => [one.path, one])),
    documents: new Set(index.documents),
    missing: index.missing,
    upTo: index.up_to ?? undefined,
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
