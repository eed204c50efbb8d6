/** What was measured and what with: versions of the runtime, of the databases and of those peers that are installed. */
import { readFileSync } from 'node:fs';
import { onConnection } from '../../../src/database/client.ts';
import type { Targets } from '../../support/servers.ts';

/** The packages of test/bench/package.json. */
export const PEERS = ['fastify', 'pg', 'libsql', '@duckdb/node-api'] as const;
export type Peer = (typeof PEERS)[number];

/** Undefined where it isn't installed. */
export function installedVersion(peer: Peer): string | undefined {
  try {
    return JSON.parse(readFileSync(new URL(`../node_modules/${peer}/package.json`, import.meta.url), 'utf8')).version;
  } catch {
    return undefined;
  }
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
  const peers = PEERS.map((peer) => `${peer} ${installedVersion(peer) ?? 'not installed'}`);
  return [`Node ${process.version}`, ...databases, `peers: ${peers.join(', ')}`];
}
