/**
 * The files of the bundled PostgreSQL. npm packages hold no symbolic links, and the package's own install script, which
 * would make them, is skipped by many installations. So we make them, and copy everything where that is impossible
 * or where the server's user cannot go.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './errorCode.ts';
import { currentUser } from './serverUser.ts';

type Link = { source: string; target: string }; // `source` is the file, `target` the link to it

/** May be called any number of times; false if a link is missing and cannot be made here. */
export function makeLinks(directory: string): boolean {
  const links: Link[] = JSON.parse(readFileSync(join(directory, 'native', 'pg-symlinks.json'), 'utf8'));
  return links.every(({ source, target }) => {
    const link = join(directory, target);
    if (existsSync(link)) return true;
    try {
      symlinkSync(relative(dirname(target), source), link);
      return true;
    } catch (error) {
      return errorCode(error) === 'EEXIST'; // another process was faster
    }
  });
}

/**
 * Everybody may write to the directory of the copies and old files there may be cleaned away, so an existing copy must be
 * ours and complete. A new one is made aside and put in place whole; of two that do this at once the first wins.
 */
export async function copyOnce(from: string, to: string): Promise<void> {
  const found = lstatSync(to, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (!found.isDirectory() || found.uid !== currentUser().uid || (found.mode & 0o022) !== 0) {
      throw new Error(`${to} was not made by airseries. Remove it.`);
    }
    if (isComplete(from, to)) return;
  }
  const draft = `${to}.${randomUUID()}`;
  mkdirSync(draft, { mode: 0o700 });
  try {
    await cp(join(from, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    makeLinks(draft);
    await promisify(execFile)('chmod', ['-R', 'a+rX,go-w', draft]);
    if (found !== undefined) await discard(to);
    renameSync(draft, to);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

function isComplete(from: string, to: string): boolean {
  const files = readdirSync(join(from, 'native'), { recursive: true, encoding: 'utf8' });
  return files.every((file) => existsSync(join(to, 'native', file)));
}

async function discard(directory: string): Promise<void> {
  const aside = `${directory}.${randomUUID()}`;
  renameSync(directory, aside);
  await rm(aside, { recursive: true, force: true });
}
