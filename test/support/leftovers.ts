/**
 * Finds what a test run leaves behind. A run works in its own temporary folder, so any file in it at the end, and any process with that
 * folder in its arguments or environment, is a leftover of a test.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates the folder, for this process and all that it starts. Its name is short, because paths of sockets must be. */
export function beginRun(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'airseries-run-')));
  chmodSync(folder, 0o755); // as root, the servers run as another user and must get in
  process.env.TMPDIR = folder;
  return folder;
}

const PATIENCE_MS = 3_000;
const PAUSE_MS = 50;

/** Waits briefly for processes to end, removes the folder, and returns one line per leftover. Synchronous: it runs while this process exits. */
export function endRun(folder: string): string[] {
  const deadline = performance.now() + PATIENCE_MS;
  let processes = processesOf(folder);
  while (processes.length > 0 && performance.now() < deadline) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    processes = processesOf(folder);
  }
  const folders = readdirSync(folder).filter((name) => name.startsWith('airseries-'));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  return [
    ...processes.map((line) => `process ${line}`),
    ...folders.map((name) => `folder ${join(folder, name)}`),
  ];
}

type Process = { pid: number; parent: number; text: string };

/** Vitest's own processes inherit the variable and end with this one: a child of this process counts only if its arguments name the folder. */
function processesOf(folder: string): string[] {
  const naming = ({ pid, text }: Process) => pid !== process.pid && text.includes(folder);
  const shown = list('axww');
  const inheriting = new Set(
    list('axeww')
      .filter(naming)
      .map(({ pid }) => pid),
  );
  return shown
    .filter((one) => naming(one) || (inheriting.has(one.pid) && one.parent !== process.pid))
    .map(({ pid, text }) => `${pid}: ${text.slice(0, 200)}`);
}

/** With the option `e`, ps prints the arguments of a process and then its environment. Either may contain line breaks. */
function list(options: string): Process[] {
  const listed = execFileSync('ps', [options, '-o', 'pid=,ppid=,args='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return listed.split(/\n(?= *\d+ +\d+ )/).flatMap((line) => {
    const [, pid, parent, text = ''] = line.match(/^ *(\d+) +(\d+) +(.*)$/s) ?? [];
    return pid === undefined || text.startsWith('ps ')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), text }];
  });
}
