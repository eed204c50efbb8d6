/**
 * The servers that tests run on: a bundled one for the plain engine, always, and one with TimescaleDB wherever this machine has it.
 * Private, temporary and gone afterwards. Says loudly which engines are covered.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Target } from '../../src/database/connect.ts';
import { findLocalTimescale, openEmbeddedServer } from '../../src/database/embedded/server.ts';
import { makeLog } from '../../src/log.ts';

export type Targets = { plain: Target; timescale?: Target };

export async function openServers(): Promise<{ targets: Targets; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-test-'));
  chmodSync(folder, 0o755); // as root, the server runs as another user and must get in
  const open = async (kind: 'bundled' | 'local') => {
    const server = await openEmbeddedServer({ dataDirectory: join(folder, kind), kind, log: makeLog('warn') });
    const target = { host: server.socketDirectory, port: server.port, user: server.user, database: 'postgres' };
    await careless(target);
    return { server, target };
  };
  const plain = await open('bundled');
  const timescale = (await findLocalTimescale()) === undefined ? undefined : await open('local');
  const covered =
    timescale === undefined
      ? `plain (PostgreSQL ${plain.server.version}) ONLY; no local PostgreSQL with TimescaleDB Community was found`
      : `plain (PostgreSQL ${plain.server.version}) AND timescale (PostgreSQL ${timescale.server.version} with TimescaleDB)`;
  process.stderr.write(`\n=== engines under test: ${covered} ===\n\n`);
  return {
    targets: { plain: plain.target, ...(timescale === undefined ? {} : { timescale: timescale.target }) },
    async close() {
      await Promise.all([plain.server.release(), timescale?.server.release()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Test data need not survive a power cut. */
async function careless(target: Target): Promise<void> {
  const sql = connect(target, {});
  await sql`alter system set fsync = off`;
  await sql`alter system set synchronous_commit = off`;
  await sql`select pg_reload_conf()`;
  await sql.end();
}
