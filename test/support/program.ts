/**
 * Runs the programs as an operator does: as separate processes, on an embedded server in its own
 * folder.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress } from '../../src/database/address.ts';
import { httpGet } from './http.ts';

export type Finished = { code: number | null; stdout: string; stderr: string };
export type Running = {
  finished: Promise<Finished>;
  /** The log so far. */
  log(): string;
  kill(signal: NodeJS.Signals): void;
  pid: number;
};

export function makeHome(): {
  folder: string;
  environment: Record<string, string>;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-home-'));
  chmodSync(folder, 0o755); // as root, the server runs as another user and must get in
  return {
    folder,
    environment: { DATA_DIR: join(folder, 'data'), TIME_ZONE: 'Asia/Yerevan' },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a command of airseries; `start` is the service. */
export function runAirseries(
  words: string[],
  environment: Record<string, string>,
  input = '',
): Running {
  const file = new URL('../../dist/cli.js', import.meta.url).pathname; // built by globalSetup
  return runProgram([process.execPath, file, ...words], { environment, input });
}

type Surroundings = {
  environment: Record<string, string>;
  folder?: string;
  input?: string;
  /** Another user, as which root runs it. */
  user?: { uid: number; gid: number };
};

/** Runs any command in any folder. */
export function runProgram(
  [command = '', ...words]: string[],
  { environment, folder, input = '', user }: Surroundings,
): Running {
  const child = spawn(command, words, {
    ...user,
    env: { PATH: process.env.PATH ?? '', ...environment },
    cwd: folder,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => undefined); // EPIPE: it ended before it had read all
  child.stdin.end(input);
  const finished = new Promise<Finished>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  );
  return { finished, log: () => stderr, kill: (signal) => child.kill(signal), pid: child.pid ?? 0 };
}

/** Resolves when /readyz answers 200; rejects if the program ends first. */
export async function ready(port: string, service: Running): Promise<void> {
  let over = false;
  const ended = service.finished.then(({ stderr }) => {
    over = true;
    throw new Error(`the service ended before it was ready:\n${stderr}`);
  });
  ended.catch(() => undefined);
  const answered = async () => {
    while (!over) {
      const { status } = await httpGet(Number(port), '/readyz');
      if (status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.race([answered(), ended]);
}

/** The address of a database as variables that psql and the driver read: PGHOST and others. */
export function addressVariables(target: DatabaseAddress): Record<string, string> {
  if (typeof target === 'string')
    throw new Error('the address of a test database must not be a URL');
  const {
    host,
    port,
    user,
    database,
    password = '',
  }: typeof target & { password?: string } = target;
  return {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
    PGPASSWORD: password,
  };
}
