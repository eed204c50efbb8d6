/**
 * What was measured and what with: versions of the runtime, of the databases and of those peers
 * that are installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { onConnection } from '../../../src/database/client.ts';
import type { Targets } from '../../support/servers.ts';

/** The packages of test/bench/package.json, and one of our own. */
const PACKAGES = [
  'express',
  'fastify',
  'pg',
  'libsql',
  '@duckdb/node-api',
  'postgraphile',
  'postgraphile-plugin-connection-filter',
] as const;
/** Programs of the machine, with the argument that prints their version. */
const PROGRAMS = { influxd: 'version', 'victoria-metrics': '-version', nginx: '-v' } as const;
export type Peer = (typeof PACKAGES)[number] | keyof typeof PROGRAMS;

/** Undefined where it isn't installed. */
export function installedVersion(peer: Peer): string | undefined {
  if (peer in PROGRAMS) return programVersion(peer as keyof typeof PROGRAMS);
  const places = ['../node_modules', '../../../node_modules'].map(
    (folder) => new URL(`${folder}/${peer}/package.json`, import.meta.url),
  );
  const place = places.find((file) => existsSync(file));
  return place && JSON.parse(readFileSync(place, 'utf8')).version;
}

/**
 * As it says itself, or else as Debian's package does: its VictoriaMetrics is built without a
 * version.
 */
function programVersion(name: keyof typeof PROGRAMS): string | undefined {
  const versionIn = (command: string, words: string[]) => {
    const { error, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8' });
    return error === undefined
      ? (/\d+\.\d+\.\d\S*/.exec(stdout + stderr)?.[0] ?? 'of unknown version')
      : undefined;
  };
  const own = versionIn(name, [PROGRAMS[name]]);
  if (own !== 'of unknown version') return own;
  return versionIn('dpkg-query', ['-W', `-f=\${Version}`, name]) ?? own;
}

/** One line each. */
export async function versionsOf(targets: Targets): Promise<string[]> {
  const databases = await Promise.all(
    Object.entries(targets).map(async ([engine, target]) => {
      const [row] = await onConnection(
        target,
        {},
        (sql) => sql`
        select current_setting('server_version') as version,
          (select extversion from pg_extension where extname = 'timescaledb') as extension,
          (select default_version from pg_available_extensions where name = 'timescaledb') as available`,
      );
      return `${engine}: PostgreSQL ${row?.version}${row?.available == null ? '' : ` with TimescaleDB ${row.available}`}`;
    }),
  );
  return [`Node ${process.version}`, ...databases];
}

/** All in one line. */
export function peerVersions(): string {
  const names: Peer[] = [...PACKAGES, ...(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[])];
  const peers = names.map((peer) => `${peer} ${installedVersion(peer) ?? 'not installed'}`);
  return `peers: ${peers.join(', ')}`;
}
