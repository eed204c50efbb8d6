/**
 * The servers that tests run on: a packaged one for the plain engine, and one with TimescaleDB if
 * this machine has it installed, both temporary; or the server that TEST_TIMESCALE_URL names.
 * Prints which engines are covered.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import { findLocalTimescale, localProgram } from './localServer.ts';
import { openNamedServer } from './namedServer.ts';
import { startPostgres } from './postgres.ts';

export type Targets = { plain: DatabaseAddress; timescale?: DatabaseAddress };

type Server = { target: Exclude<DatabaseAddress, string>; version: string; close(): Promise<void> };

export async function openServers(): Promise<{ targets: Targets; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-test-'));
  chmodSync(folder, 0o755); // as root, the server runs as another user and must get in
  const plain = await startPostgres(join(folder, 'plain'));
  const timescale = await openTimescale(folder);
  const covered =
    timescale === undefined
      ? `plain (PostgreSQL ${plain.version}) ONLY; no local PostgreSQL with TimescaleDB Community was found`
      : `plain (PostgreSQL ${plain.version}) AND timescale (PostgreSQL ${timescale.version})`;
  process.stderr.write(`\n=== engines under test: ${covered} ===\n\n`);
  return {
    targets: {
      plain: plain.target,
      ...(timescale === undefined ? {} : { timescale: timescale.target }),
    },
    async close() {
      await Promise.all([plain.close(), timescale?.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openTimescale(folder: string): Promise<Server | undefined> {
  const url = process.env.TEST_TIMESCALE_URL ?? '';
  if (url !== '') return await openNamedServer(url);
  const local = await findLocalTimescale();
  if (local === undefined) return undefined;
  const server = await startPostgres(join(folder, 'local'), localProgram(local));
  return { ...server, version: `${server.version} with TimescaleDB` };
}
