/**
 * Finds what a test run leaves behind. A run works in its own temporary folder, so any file in it
 * at the end, and any process with that folder in its arguments or environment, is a leftover of a
 * test. A run that breaks off leaves everything it has: a separate process waits for its end, ends
 * the servers and removes the folder.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listProcesses, type Process } from './processes.ts';
import { roomInMemory } from './roomInMemory.ts';

/**
 * Creates the folder, for this process and all processes that it starts. Its name is short, because
 * paths of sockets must be.
 */
export function beginRun(): string {
  const base = process.env.TMPDIR || roomInMemory() || tmpdir();
  const folder = realpathSync(mkdtempSync(join(base, 'airseries-run-')));
  chmodSync(folder, 0o755); // as root, the servers run as another user and must get in
  const sweeper = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('sweep.ts', import.meta.url))],
    // Ctrl-C in a terminal does not reach it
    { detached: true, stdio: ['pipe', 'inherit', 'inherit'] },
  );
  sweeper.unref();
  const input = sweeper.stdin as Socket;
  input.write(folder); // the pipe ends with this process, however that ends
  input.unref();
  process.env.TMPDIR = folder;
  return folder;
}

const PATIENCE_MS = 3_000;
const PAUSE_MS = 50;

/**
 * Waits briefly for processes to end, removes the folder, and returns one line per leftover.
 * Synchronous: it runs while this process exits.
 */
export function endRun(folder: string): string[] {
  const left = waitFor(() => leftoversOf(folder), PATIENCE_MS);
  for (const { pid } of left) kill(pid, 'SIGKILL');
  const folders = readdirSync(folder).filter((name) => name.startsWith('airseries-'));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  return [
    ...left.map(({ pid, args }) => `process ${pid}: ${args.slice(0, 200)}`),
    ...folders.map((name) => `folder ${join(folder, name)}`),
  ];
}

/**
 * Ends all processes that work in the folder: first as their owner would, then PostgreSQL at once,
 * then by force.
 */
export function sweep(folder: string): void {
  for (const signal of ['SIGTERM', 'SIGQUIT', 'SIGKILL'] as const) {
    for (const { pid } of processesOf(folder)) kill(pid, signal);
    waitFor(() => processesOf(folder), PATIENCE_MS);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

const processesOf = (folder: string): Process[] =>
  listProcesses().filter(
    ({ pid, args, environment }) =>
      pid !== process.pid && (args.includes(folder) || environment.includes(folder)),
  );

/**
 * Vitest's own processes inherit the variable and end with this one: a child of this process counts
 * only if its arguments name the folder.
 */
const leftoversOf = (folder: string): Process[] =>
  processesOf(folder).filter(({ args, parent }) => args.includes(folder) || parent !== process.pid);

/** Waits until no process is left, or the time is over; returns the processes that are left. */
function waitFor(list: () => Process[], milliseconds: number): Process[] {
  const deadline = performance.now() + milliseconds;
  let left = list();
  while (left.length > 0 && performance.now() < deadline) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    left = list();
  }
  return left;
}

/** Sends a signal to a process that may have ended. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended
  }
}
