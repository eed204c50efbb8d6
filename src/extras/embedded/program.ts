/** Chooses the PostgreSQL to run: that of the data, if there are any; else an installed one with TimescaleDB Community, or the bundled one. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBundled, runnableBundled } from './bundled.ts';
import type { EmbeddedKind, Home } from './home.ts';

export type Program = {
  kind: EmbeddedKind;
  version: string;
  major: number;
  /** The directory of programs that the home's user can run. Only a process that starts the server needs it, and the first may have to copy them. */
  bin(home: Home): Promise<string>;
};

/**
 * The program of the data, where there are any: they are for its kind and major version only. Otherwise of `kind`, and unless that is set, an
 * installed one before the bundled. Throws, with a remedy, if there is none.
 */
export async function chooseProgram(
  kind: EmbeddedKind | undefined,
  existing?: Home,
): Promise<Program> {
  const wanted = existing?.kind ?? kind;
  const local = wanted === 'bundled' ? undefined : await findLocalTimescale(existing?.major);
  if (local) return { kind: 'local', ...local, bin: async () => local.bin };
  const needs = existing
    ? `The database in ${existing.directory} (DATA_DIR) needs PostgreSQL ${existing.major}. `
    : '';
  if (wanted === 'local') {
    const directories = LOCATIONS.map(([parent, prefix]) => `${parent}/${prefix}*/bin`);
    throw new Error(
      `${needs}No PostgreSQL ${existing ? `${existing.major} ` : ''}with TimescaleDB Community was found: looked for ` +
        `pg_config in ${directories.join(', ')}, and in the libraries of each for timescaledb-tsl (some distributions ` +
        "leave it out: take the package of TimescaleDB's own repository). " +
        `Install it${existing ? ' again; the data are unchanged.' : ', allow the bundled server, or set DATABASE_URL.'}`,
    );
  }
  const bundled = findBundled();
  const version = bundled.version.split('.').slice(0, 2).join('.');
  const major = Number.parseInt(version, 10);
  if (existing !== undefined && existing.major !== major) {
    throw new Error(
      `${needs}This version of airseries brings PostgreSQL ${version}. Start the version of airseries that made the database, and move ` +
        'its data (src/database/README.md); they are unchanged.',
    );
  }
  return { kind: 'bundled', version, major, bin: (home) => runnableBundled(bundled, home) };
}

/** Folders in which distributions and Homebrew put the programs of each major version. */
const LOCATIONS: [parent: string, prefix: string][] = [
  ['/usr/lib/postgresql', ''],
  ['/usr', 'pgsql-'],
  ['/opt/homebrew/opt', 'postgresql@'],
  ['/usr/local/opt', 'postgresql@'],
];

type LocalPostgres = { bin: string; version: string; major: number };

/** The newest installed PostgreSQL with the Community edition, of the major version if one is given. */
export async function findLocalTimescale(major?: number): Promise<LocalPostgres | undefined> {
  const directories = LOCATIONS.flatMap(([parent, prefix]) => {
    const entries = existsSync(parent) ? readdirSync(parent) : [];
    return entries
      .filter((entry) => entry.startsWith(prefix))
      .map((entry) => join(parent, entry, 'bin'));
  });
  return (await Promise.all(directories.map(inspect)))
    .filter((local) => local !== undefined)
    .filter((local) => major === undefined || local.major === major)
    .toSorted((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))[0];
}

async function inspect(bin: string): Promise<LocalPostgres | undefined> {
  try {
    const { stdout } = await promisify(execFile)(join(bin, 'pg_config'), [
      '--version',
      '--pkglibdir',
    ]);
    const [name = '', libraries = ''] = stdout.split('\n');
    const version = name.match(/\d+(\.\d+)*/)?.[0];
    // the Community features live in a library of their own, and some distributions leave it out
    const isCommunity = readdirSync(libraries).some((file) => file.startsWith('timescaledb-tsl-'));
    if (version === undefined || !isCommunity || !existsSync(join(bin, 'initdb'))) return undefined;
    return { bin, version, major: Number.parseInt(version, 10) };
  } catch {
    return undefined; // no pg_config: client programs only, or the remains of an old installation
  }
}
