/** Chooses the PostgreSQL to run: that of the data, if there are any; else an installed one with TimescaleDB Community, or the bundled one. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findBundled, runnableBundled } from './bundled.ts';
import type { Cluster, EmbeddedKind, Home } from './home.ts';

export type Program = {
  kind: EmbeddedKind;
  version: string;
  /** The directory of programs that the home's user can run. Only a process that starts the server needs it, and the first may have to copy them. */
  bin(home: Home): Promise<string>;
};

/**
 * The program of `cluster`, where there is one: its data are for this kind and major version only. Otherwise of `kind`, and unless that is set,
 * an installed one before the bundled. Throws, with a remedy, if there is none.
 */
export async function chooseProgram(kind: EmbeddedKind | undefined, cluster?: Cluster): Promise<Program> {
  const wanted = cluster?.kind ?? kind;
  const local = wanted === 'bundled' ? undefined : await findLocalTimescale(cluster?.major);
  if (local) return { kind: 'local', version: local.version, bin: async () => local.bin };
  if (wanted === 'local') {
    const directories = LOCATIONS.map(([parent, prefix]) => `${parent}/${prefix}*/bin`);
    throw new Error(
      `${cluster ? needs(cluster) : ''}No PostgreSQL ${cluster ? `${cluster.major} ` : ''}with TimescaleDB Community was found: looked for ` +
        `pg_config in ${directories.join(', ')}, and beside each for timescaledb.control and the library timescaledb-tsl (some distributions ` +
        "leave it out: take the package of TimescaleDB's own repository). " +
        (cluster
          ? 'Install it again; the data are unchanged.'
          : 'Install it, allow the bundled server, or set DATABASE_URL.'),
    );
  }
  const bundled = findBundled();
  const version = bundled.version.split('.').slice(0, 2).join('.');
  if (cluster !== undefined && cluster.major !== Number.parseInt(version, 10)) {
    throw new Error(
      `${needs(cluster)}This version of airseries brings PostgreSQL ${version}. Start the version of airseries that made the database, and move ` +
        'its data (src/database/README.md); they are unchanged.',
    );
  }
  return { kind: 'bundled', version, bin: (home) => runnableBundled(bundled, home) };
}

const needs = ({ home, major }: Cluster) => `The database in ${home} (DATA_DIR) needs PostgreSQL ${major}. `;

type LocalPostgres = { bin: string; version: string };

/** Folders in which distributions and Homebrew put the programs of each major version. */
const LOCATIONS: [parent: string, prefix: string][] = [
  ['/usr/lib/postgresql', ''],
  ['/usr', 'pgsql-'],
  ['/opt/homebrew/opt', 'postgresql@'],
  ['/usr/local/opt', 'postgresql@'],
];

/** The newest installed PostgreSQL, of the major version if one is given, with the server, initdb and the Community edition. */
export async function findLocalTimescale(major?: number): Promise<LocalPostgres | undefined> {
  const found = await Promise.all(candidates().map(inspect));
  return found
    .filter((local) => local !== undefined)
    .filter(({ version }) => major === undefined || Number.parseInt(version, 10) === major)
    .toSorted((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))[0];
}

function candidates(): string[] {
  return LOCATIONS.flatMap(([parent, prefix]) => {
    const entries = existsSync(parent) ? readdirSync(parent) : [];
    return entries.filter((entry) => entry.startsWith(prefix)).map((entry) => join(parent, entry, 'bin'));
  });
}

async function inspect(bin: string): Promise<LocalPostgres | undefined> {
  try {
    const output = promisify(execFile)(join(bin, 'pg_config'), ['--version', '--pkglibdir', '--sharedir']);
    const [name = '', libraries = '', share = ''] = (await output).stdout.split('\n');
    const version = name.match(/\d+(\.\d+)*/)?.[0];
    const hasServer = ['postgres', 'initdb', 'pg_ctl'].every((program) => existsSync(join(bin, program)));
    return version !== undefined && hasServer && hasCommunityEdition(libraries, share) ? { bin, version } : undefined;
  } catch {
    return undefined; // no pg_config: client programs only, or the remains of an old installation
  }
}

/** The Community features live in a library of their own, and some distributions leave it out. */
function hasCommunityEdition(libraries: string, share: string): boolean {
  const control = readFileSync(join(share, 'extension', 'timescaledb.control'), 'utf8');
  const version = control.match(/^default_version\s*=\s*'(.+)'/m)?.[1];
  return readdirSync(libraries).some((file) => file.startsWith(`timescaledb-tsl-${version}.`));
}
