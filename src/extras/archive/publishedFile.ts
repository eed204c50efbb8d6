/**
 * Files of a folder that others read: written beside their final path and renamed once they are
 * whole, and only if the content changed, so that mirrors and caches fetch no file twice.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders, whyUnusable } from '../../base/folder.ts';
import { InputError } from '../../base/inputError.ts';

const REMEDY = 'Name a folder that you may write to.';
const unusable = (folder: string, error: unknown) =>
  new InputError('archive', whyUnusable(folder, error), REMEDY);

/** Creates the folder if there is none. Throws InputError if it cannot be created or written to. */
export function makeFolder(folder: string): void {
  try {
    makeFolders(folder);
    checkWritable(folder);
  } catch (error) {
    throw unusable(folder, error);
  }
}

/**
 * Another writer of the folder could place links in it, and have files replaced that this user
 * may write to.
 */
function makeFolderWithin(folder: string, part: string): void {
  if (part !== folder && lstatSync(part, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new InputError(
      'archive',
      `${part} is a link, and links in ${folder} are not followed`,
      'Remove it.',
    );
  }
  makeFolder(part);
}

/** `isChanged`: it replaced a file or is new; false if one of that name had the same content. */
export type Published = { isChanged: boolean; sha256: string };

type Write = (content: string | Buffer) => Promise<void>;
type Options = { modified?: Date };

/**
 * Makes a file of what `fill` writes. `name` is relative to the folder; folders that are missing are
 * created. If it fails, or `fill` resolves to false, whatever had the name is as it was. `modified`:
 * the time that a changed file gets; default: when it was written.
 */
export function publishFile(
  folder: string,
  name: string,
  fill: (write: Write) => Promise<void>,
  options?: Options,
): Promise<Published>;
export function publishFile(
  folder: string,
  name: string,
  fill: (write: Write) => Promise<boolean>,
  options?: Options,
): Promise<Published | undefined>;
export async function publishFile(
  folder: string,
  name: string,
  fill: (write: Write) => Promise<unknown>,
  { modified }: Options = {},
): Promise<Published | undefined> {
  const path = join(folder, name);
  const unfinished = `${path}.part`;
  makeFolderWithin(folder, dirname(path));
  await rm(unfinished, { force: true }); // of a run that was killed
  const file = await open(unfinished, 'wx').catch((error) => {
    throw unusable(folder, error);
  });
  const hash = createHash('sha256');
  try {
    const isWanted = await fill(async (content) => {
      hash.update(content);
      await file.appendFile(content);
    });
    if (isWanted === false) {
      await rm(unfinished);
      return undefined;
    }
    if (modified !== undefined) await file.utimes(modified, modified);
    await file.sync(); // or the name could outlive a power failure, and the content not
    const sha256 = hash.digest('hex');
    const isChanged = sha256 !== (await hashOf(path));
    await (isChanged ? rename(unfinished, path) : rm(unfinished));
    return { isChanged, sha256 };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** SHA-256 in hexadecimal digits; undefined if it cannot be read as a file. */
export async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

/**
 * Throws the system's error unless a file can be made in the folder. Trying is the only test that
 * covers every reason.
 */
function checkWritable(folder: string): void {
  const probe = join(folder, `.airseries-${randomUUID()}`);
  writeFileSync(probe, '', { flag: 'wx' });
  rmSync(probe);
}
