/** What was measured, and on what machine: lines above the table. */
import { readFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { onConnection } from '../../../../src/database/client.ts';
import type { Targets } from '../../../support/run/servers.ts';

export const processor = cpus()[0]?.model ?? 'an unknown processor';
const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
export const machine = `${platform()} ${arch()}, ${cpus().length} × ${processor}, ${memory}`;

const { packages } = JSON.parse(
  readFileSync(new URL('../../../../package-lock.json', import.meta.url), 'utf8'),
);
const versions = ['express', 'autocannon'].map(
  (name) => `${name} ${packages[`node_modules/${name}`].version}`,
);

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
  const node = `Node ${process.version}, ${versions.join(', ')}`;
  return [machine, node, ...(await Promise.all(databases))];
}
