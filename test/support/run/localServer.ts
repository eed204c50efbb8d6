/**
 * An installed PostgreSQL with TimescaleDB Community, which tests run as the packaged one: in a
 * folder, by its own process.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Program } from './postgres.ts';

/** Folders in which distributions and Homebrew put the programs of each major version. */
const LOCATIONS: [parent: string, prefix: string][] = [
  ['/usr/lib/postgresql', ''],
  ['/usr', 'pgsql-'],
  ['/opt/homebrew/opt', 'postgresql@'],
  ['/usr/local/opt', 'postgresql@'],
];

export type LocalPostgres = { bin: string; version: string };

/** The newest installed one, if any. */
export async function findLocalTimescale(): Promise<LocalPostgres | undefined> {
  const directories = LOCATIONS.flatMap(([parent, prefix]) => {
    const entries = existsSync(parent) ? readdirSync(parent) : [];
    return entries
      .filter((entry) => entry.startsWith(prefix))
      .map((entry) => join(parent, entry, 'bin'));
  });
  return (await Promise.all(directories.map(inspect)))
    .filter((local) => local !== undefined)
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
    return { bin, version };
  } catch {
    return undefined; // no pg_config: client programs only, or the remains of an old installation
  }
}

/** The installed server, for `startPostgres`. */
export function localProgram({ bin, version }: LocalPostgres): Program {
  return {
    version,
    // there is no builtin locale before 17
    locale: [process.platform === 'darwin' ? '--locale=C' : '--locale=C.UTF-8'],
    settings: {
      shared_preload_libraries: 'timescaledb',
      'timescaledb.telemetry_level': 'off',
      'timescaledb.max_background_workers': 4,
    },
    bin: async () => bin,
  };
}
