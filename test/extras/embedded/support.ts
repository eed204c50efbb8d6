/**
 * Temporary data directories, servers opened by this and by other processes, and waiting for a
 * condition.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import postgres, { type Sql } from 'postgres';
import { afterAll, onTestFinished } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { type EmbeddedServer, openEmbeddedServer } from '../../../src/extras/embedded/server.ts';
import { until as eventually } from '../../support/patience.ts';
import { listProcesses } from '../../support/run/processes.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

export const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
/** Removed after the test, when every server in it has been released. */
export const temporaryDirectory = () => temporaryFolder('test');

/** One for all tests of a file: to make a cluster takes most of the time of such a test. */
export function sharedDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'airseries-shared-'));
  chmodSync(directory, 0o755); // as root, the server runs as another user and must get in
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export async function open(dataDirectory: string): Promise<EmbeddedServer> {
  const server = await openEmbeddedServer({ dataDirectory, log: makeLog('silent') });
  onTestFinished(() => server.close());
  return server;
}

export type OtherProcess = { child: ChildProcess; server: EmbeddedServer; close(): Promise<void> };

export async function openElsewhere(
  dataDirectory: string,
  options: SpawnOptions = {},
): Promise<OtherProcess> {
  const script = fileURLToPath(new URL('process.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, dataDirectory], {
    cwd: PROJECT,
    stdio: 'pipe',
    ...options,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('no pipes');
  let errors = '';
  stderr.on('data', (data) => {
    errors += data;
  });
  const ended = once(child, 'close');
  const line = await Promise.race([
    once(createInterface(stdout), 'line'),
    ended.then(() => undefined),
  ]);
  if (line === undefined) throw new Error(`The other process ended: ${errors}`);
  const close = async () => {
    stdin.end('close\n');
    await ended;
  };
  return { child, server: JSON.parse(line[0]), close };
}

export async function query<T>(server: EmbeddedServer, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = postgres({ ...server.target, max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

export async function responds(server: EmbeddedServer): Promise<boolean> {
  return query(server, async (sql) => (await sql`select 1`).length === 1);
}

/** The home of the server's cluster. */
export function homeOf({ dataDirectory, version }: EmbeddedServer): string {
  return join(dataDirectory, `bundled-${Number.parseInt(version, 10)}`);
}

/** The ids of the processes that a running cluster has, outside of the server and in it. */
export function processesOf(server: EmbeddedServer): { postgres: number[]; others: number[] } {
  const home = homeOf(server);
  const found = listProcesses().filter(({ args }) => args.includes(home));
  const idsOf = (inServer: boolean) =>
    found.filter(({ args }) => /^\S*\/postgres -D/.test(args) === inServer).map(({ pid }) => pid);
  return { postgres: idsOf(true), others: idsOf(false) };
}

export function isUp(server: EmbeddedServer): boolean {
  try {
    return !isGone(postmasterPid(server));
  } catch {
    return false; // no postmaster.pid
  }
}

export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

export function postmasterPid(server: EmbeddedServer): number {
  return Number.parseInt(readFileSync(join(homeOf(server), 'data', 'postmaster.pid'), 'utf8'), 10);
}

export const until = (condition: () => boolean): Promise<void> =>
  eventually(condition, String(condition));
