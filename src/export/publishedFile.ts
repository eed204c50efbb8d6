/**
 * Files of a folder that others read: written beside their final path and renamed once they are whole, and only if the content changed, so
 * that mirrors and caches fetch no file twice.
 */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InputError } from '../inputError.ts';

/** Call `commit` or `discard`, once, at the end. */
export type PublishedFile = {
  write(text: string): Promise<void>;
  /** Gives the file its name, unless one of that name has the same content. Resolves to whether it did. */
  commit(): Promise<boolean>;
  discard(): Promise<void>;
};

const REMEDY = 'Name a folder that you may write to.';

/** Creates the folder if there is none. Throws InputError if it cannot be created or written to. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new InputError(folder, (error as Error).message, REMEDY);
  }
}

/** `name` is relative to the folder. Creates what folders are missing. Rejects with InputError if the file cannot be written. */
export async function openPublishedFile(folder: string, name: string): Promise<PublishedFile> {
  const path = join(folder, name);
  const unfinished = `${path}.part`;
  const file = await openForWriting(folder, unfinished);
  return {
    async write(text) {
      await file.appendFile(text);
    },
    async commit() {
      await file.sync(); // or the name could outlive a power failure, and the content not
      await file.close();
      const isNew = !(await haveSameContent(unfinished, path));
      await (isNew ? rename(unfinished, path) : rm(unfinished));
      return isNew;
    },
    async discard() {
      await file.close();
      await rm(unfinished, { force: true });
    },
  };
}

async function openForWriting(folder: string, path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true });
    return await open(path, 'w');
  } catch (error) {
    throw new InputError(folder, (error as Error).message, REMEDY);
  }
}

const CHUNK_BYTES = 1 << 20;

/** False if `other` cannot be opened as a file. */
async function haveSameContent(path: string, other: string): Promise<boolean> {
  const second = await open(other).catch(() => undefined);
  if (second === undefined) return false;
  const first = await open(path);
  try {
    if (!(await second.stat()).isFile() || (await first.stat()).size !== (await second.stat()).size) return false;
    const [a, b] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
    for (;;) {
      const { bytesRead } = await first.read(a);
      if (bytesRead === 0) return true;
      for (let filled = 0; filled < bytesRead; ) {
        const { bytesRead: more } = await second.read(b, filled, bytesRead - filled);
        if (more === 0) return false;
        filled += more;
      }
      if (a.compare(b, 0, bytesRead, 0, bytesRead) !== 0) return false;
    }
  } finally {
    await first.close();
    await second.close();
  }
}
