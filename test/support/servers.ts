/**
 * Before all tests: a bundled server for the plain engine, always, and one with TimescaleDB wherever this machine has it.
 * Says loudly which engines the run covers. Both are private, temporary and gone afterwards.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { connect, type Target } from '../../src/database/connect.ts';
import { findLocalTimescale, openEmbeddedServer } from '../../src/database/embedded/server.ts';
import { makeLog } from '../../src/log.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    targets: { plain: Target; timescale?: Target };
  }
}

export async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-test-'));
  chmodSync(folder, 0o755); // as root, the server runs as another user and must get in
  const open = async (kind: 'bundled' | 'local') => {
    const server = await openEmbeddedServer({ dataDirectory: join(folder, kind), kind, log: makeLog('warn') });
    const target = { host: server.socketDirectory, port: server.port, user: server.user, database: 'postgres' };
    await careless(target);
    return { server, target };
  };
  const plain = await open('bundled');
  const local = await findLocalTimescale();
  const timescale = local === undefined ? undefined : await open('local');
  process.stderr.write(
    `\n=== engines under test: plain (PostgreSQL ${plain.server.version})${
      timescale === undefined
        ? ' ONLY; no local PostgreSQL with TimescaleDB Community was found'
        : ` AND timescale (PostgreSQL ${timescale.server.version} with TimescaleDB)`
    } ===\n\n`,
  );
  project.provide('targets', {
    plain: plain.target,
    ...(timescale === undefined ? {} : { timescale: timescale.target }),
  });
  return async () => {
    await Promise.all([plain.server.release(), timescale?.server.release()]);
    rmSync(folder, { recursive: true, force: true });
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
