/** What was measured, and on what machine: lines above the table. */
import { createRequire } from 'node:module';
import { arch, cpus, platform, totalmem } from 'node:os';
import { onConnection } from '../../../../src/database/client.ts';
import type { Targets } from '../../../support/run/servers.ts';

export const processor = cpus()[0]?.model ?? 'an unknown processor';
const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
export const machine = `${platform()} ${arch()}, ${cpus().length} × ${processor}, ${memory}`;

const PACKAGES = ['express', 'fastify', 'libsql', '@duckdb/node-api', 'autocannon'];

/** As the folder of the bench has it, or the project. */
function installedVersion(name: string): string {
  const places = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const place of places) {
    try {
      return createRequire(import.meta.url)(`${place}/${name}/package.json`).version;
    } catch {} // it is not in this folder
  }
  return 'not installed';
}

export async function versionsOf(targets: Targets): Promise<string[]> {
  const databases = Object.entries(targets).map(async ([engine, target]) => {
    const [row] = await onConnection(
      target,
      {},
      (sql) => sql`
        select current_setting('server_version') as version,
          (select default_version from pg_available_extensions where name = 'timescaledb') as available`,
    );
    const extension = row?.available == null ? '' : ` with TimescaleDB ${row.available}`;
    return `${engine}: PostgreSQL ${row?.version}${extension}`;
  });
  const packages = PACKAGES.map((name) => `${name} ${installedVersion(name)}`).join(', ');
  return [machine, `Node ${process.version}`, ...(await Promise.all(databases)), packages];
}
