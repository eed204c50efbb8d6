/** An installed PostgreSQL that brings TimescaleDB Community: the better server, if the machine has one. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export type LocalPostgres = { bin: string; version: string };

/** Where distributions and Homebrew put the programs of each major version. */
const PATTERNS: [parent: string, name: RegExp][] = [
  ['/usr/lib/postgresql', /^\d+$/],
  ['/usr', /^pgsql-\d+$/],
  ['/opt/homebrew/opt', /^postgresql@\d+$/],
  ['/usr/local/opt', /^postgresql@\d+$/],
];

export const LOCAL_PLACES = PATTERNS.map(([parent, name]) =>
  join(parent, name.source.replace(/[\^$]/g, '').replace('\\d+', '*'), 'bin'),
);

/** The newest one that has all it takes. */
export async function findLocalTimescale(): Promise<LocalPostgres | undefined> {
  const found = await Promise.all(candidates().map(inspect));
  return found
    .filter((local) => local !== undefined)
    .toSorted((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))[0];
}

function candidates(): string[] {
  return PATTERNS.flatMap(([parent, name]) => {
    if (!existsSync(parent)) return [];
    return readdirSync(parent)
      .filter((entry) => name.test(entry))
      .map((entry) => join(parent, entry, 'bin'));
  });
}

async function inspect(bin: string): Promise<LocalPostgres | undefined> {
  try {
    const ask = promisify(execFile)(join(bin, 'pg_config'), ['--version', '--pkglibdir', '--sharedir']);
    const [name = '', libraries = '', share = ''] = (await ask).stdout.split('\n');
    const version = name.match(/\d+(\.\d+)*/)?.[0];
    const runs = ['postgres', 'initdb'].every((program) => existsSync(join(bin, program)));
    return version !== undefined && runs && hasCommunityEdition(libraries, share) ? { bin, version } : undefined;
  } catch {
    return undefined; // no pg_config: a client, or the rest of an old installation
  }
}

/** The Community features live in a library of their own, and some distributions leave it out. */
function hasCommunityEdition(libraries: string, share: string): boolean {
  const control = readFileSync(join(share, 'extension', 'timescaledb.control'), 'utf8');
  const version = control.match(/^default_version\s*=\s*'(.+)'/m)?.[1];
  return readdirSync(libraries).some((file) => file.startsWith(`timescaledb-tsl-${version}.`));
}
