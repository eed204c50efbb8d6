/**
 * Starts the server below a shell that stops it when this process ends, and finds the one that runs. PostgreSQL describes itself in
 * `postmaster.pid`. That file survives a power loss, and any process may have its process id by then, so the id alone is never trusted.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { type Home, serverEnvironment } from './home.ts';

type Postmaster = { pid: number; ready: boolean };

/**
 * Arguments: the log, the server's command line. The shell writes the server's process id to stdout, and stops the server when stdin ends:
 * the kernel closes that pipe however its owner dies. While the shell waits for `cat`, it reaps the server as well, which `pg_ctl start`
 * would leave to process 1, and in a container that may be a program that reaps nothing.
 * - SIGINT is repeated, because a server ignores it in its first milliseconds.
 * - Signals are ignored, because stopping a container or a unit signals all its processes, and only the owner decides.
 */
const PARENT = `
trap '' HUP INT TERM
umask 077
log=$1
shift
"$@" </dev/null >>"$log" 2>&1 &
server=$!
echo "$server"
exec >/dev/null 2>&1
cat
while kill -INT "$server"; do sleep 1; done
`;

/** A server that this process has started. `endParent` ends the shell, and the server with it if that still runs. */
export type Started = { pid: number; endParent(): void };

/** Resolves before the server is ready. */
export async function startServer(home: Home, command: string[]): Promise<Started> {
  const env = serverEnvironment();
  const other = reusedPid(home);
  if (other !== undefined) env.PG_GRANDPARENT_PID = String(other); // PostgreSQL ignores this id in the file
  // a session of its own, because a shutdown may take longer than its owner lives
  const parent = spawn('/bin/sh', ['-c', PARENT, 'airseries-postgresql', home.log, ...command], {
    ...home.user,
    cwd: '/',
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(parent, 'spawn');
  let pid = '';
  for await (const chunk of parent.stdout) {
    pid += chunk;
    if (pid.endsWith('\n')) break;
  }
  const stdin = parent.stdin as Socket;
  parent.unref(); // neither it nor its pipe may keep a finished command alive
  stdin.unref();
  return { pid: Number(pid), endParent: () => void stdin.destroy() };
}

/** Reads the file, whether or not its server is alive; undefined without a complete first line. PostgreSQL alone writes it. */
function readPostmaster(home: Home): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(home.data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const [pid, , , , , , , status] = lines;
  if (!(Number(pid) > 0)) return undefined; // the file is just being written
  return { pid: Number(pid), ready: status?.trim() === 'ready' };
}

/** The live server of this cluster, if there is one: starting, ready or shutting down. */
export function liveServer(home: Home): Postmaster | undefined {
  const found = readPostmaster(home);
  return found !== undefined && isServer(found.pid, home) ? found : undefined;
}

/** The process id in the file if an unrelated process has it now. PostgreSQL would take that process for a running server. */
function reusedPid(home: Home): number | undefined {
  const pid = readPostmaster(home)?.pid;
  return pid !== undefined && isAlive(pid) && !isServer(pid, home) ? pid : undefined;
}

/** True if there is a process with this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function isServer(pid: number, home: Home): boolean {
  try {
    if (process.platform === 'linux') {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return basename(words[0] ?? '') === 'postgres' && words[words.indexOf('-D') + 1] === home.data;
    }
    const shown = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    return shown.includes(`/postgres -D ${home.data} `);
  } catch {
    return false; // no such process
  }
}
