/** PgBouncer in front of a database. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/freePort.ts';
import type { Server } from '../support/makeDatabase.ts';
import { until } from '../support/patience.ts';
import { runProgram } from '../support/program.ts';

type Options = {
  user: string;
  password?: string;
  /** Lines of the section [pgbouncer]. */
  settings?: string;
};

/**
 * Calls `work` with the URL of database `airseries` behind it, which has two connections for all
 * clients.
 */
export async function throughPooler(
  { host, port, database }: Server,
  { user, password = 'none', settings = '' }: Options,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-pooler-'));
  chmodSync(folder, 0o755);
  const listens = await freePort();
  const configuration = `
    [databases]
    airseries = host=${host} port=${port} dbname=${database} user=${user} password='${password.replaceAll("'", "''")}'
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = ${listens}
    unix_socket_dir =
    auth_type = any
    pool_mode = transaction
    default_pool_size = 2
    ${settings}
  `;
  writeFileSync(join(folder, 'pgbouncer.ini'), configuration.replaceAll(/^ +/gm, ''));
  // it does not run as root, so it runs as the server's user, who may use its socket
  const owner = host.startsWith('/')
    ? String(spawnSync('stat', ['-c', '%U', host]).stdout).trim()
    : 'nobody';
  const as = process.getuid?.() === 0 ? ['-u', owner] : [];
  const pooler = runProgram(['pgbouncer', ...as, join(folder, 'pgbouncer.ini')], {
    environment: {},
  });
  try {
    await until(() => pooler.log().includes('process up'), 'PgBouncer runs');
    await work(`postgres://${user}@127.0.0.1:${listens}/airseries`);
  } finally {
    pooler.kill('SIGKILL');
    await pooler.finished;
    rmSync(folder, { recursive: true });
  }
}
