/** The versions that were measured: of the runtime, the databases and the installed peers. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { onConnection } from '../../../../src/database/client.ts';
import type { Targets } from '../../../support/run/servers.ts';

/** The packages of test/lab/bench/package.json, and one of our own. */
const PACKAGES = ['express', 'fastify', 'pg', 'libsql', '@duckdb/node-api'] as const;
/** A program of the machine. */
const NGINX = 'nginx';
export type Peer = (typeof PACKAGES)[number] | typeof NGINX;

/** Undefined where it isn't installed. */
export function installedVersion(peer: Peer): string | undefined {
  if (peer === NGINX) return nginxVersion();
  const places = ['../node_modules', '../../../../node_modules'].map(
    (folder) => new URL(`${folder}/${peer}/package.json`, import.meta.url),
  );
  const place = places.find((file) => existsSync(file));
  return place && JSON.parse(readFileSync(place, 'utf8')).version;
}

function nginxVersion(): string | undefined {
  const { error, stderr } = spawnSync(NGINX, ['-v'], { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  return /\d+\.\d+\.\d\S*/.exec(stderr)?.[0] ?? 'of unknown version';
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
  const peers = ([...PACKAGES, NGINX] as const).map(
    (peer) => `${peer} ${installedVersion(peer) ?? 'not installed'}`,
  );
  return `peers: ${peers.join(', ')}`;
}
