/**
 * Folders and files that the operator names: creates folders, and explains why one cannot be used.
 */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes the folder and those above it that are missing, and returns what it made, from the top.
 * Throws the system's error. Node's own recursive mkdir never returns on a file system that makes
 * no folders, such as /proc.
 */
export function makeFolders(path: string): string[] {
  checkFolder(path);
  const missing: string[] = [];
  for (let at = resolve(path); isMissing(at); at = dirname(at)) missing.unshift(at);
  return missing.filter((each) => {
    try {
      mkdirSync(each);
      return true;
    } catch (error) {
      if (!checkFolder(each)) throw error;
      return false; // another process was faster
    }
  });
}

/**
 * Returns whether the folder exists; throws an error like the system's if something else is there.
 */
function checkFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === false)
    throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  return found !== undefined;
}

/** Explains the system's error, with its code: `/data is a file, not a folder (ENOTDIR)`. */
export function whyUnusable(path: string, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = Object.entries(REASONS).find(([codes]) => codes.split(' ').includes(code))?.[1];
  return reason === undefined ? `${path}: ${message}` : `${path} ${reason} (${code})`;
}

/** Explains the system's error about a file that cannot be read. */
export function whyUnreadable(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return UNREADABLE[code] ?? message;
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'this is a folder',
};

const REASONS = {
  'EACCES EPERM': 'is not open to this user',
  EROFS: 'is on a read-only file system',
  'ENOTDIR EEXIST': 'is a file, or below one, and not a folder',
  ENOENT: 'cannot be created on this file system',
  'ENOSPC EDQUOT': 'has no space left',
};

function isMissing(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) === undefined;
}
