/**
 * The server's processes: a shell of ours starts PostgreSQL, which describes itself in `postmaster.pid` and its log. That file survives
 * a power loss, and any process may have its process id by then, so the id alone is never trusted.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, join } from 'node:path';
import { type Home, serverEnvironment } from './home.ts';

export type Postmaster = { pid: number; ready: boolean };

/**
 * The server's parent, in a session of its own because a shutdown may take longer than its owner lives. It writes the server's process
 * id to stdout, and stops the server when stdin ends: the kernel closes that pipe however the owner dies. These are two processes because
 * a shell waits for one thing at a time.
 *
 * Arguments: the log, the server's command line.
 * - Only the watcher keeps the pipe open. `exec` must do the redirecting, because a shell keeps copies of what it redirects for a
 *   single command.
 * - SIGINT is repeated, because a server ignores it in its first milliseconds.
 * - Signals are ignored, because stopping a container or a unit signals all its processes, and only the owner decides.
 */
const PARENT = `
trap '' HUP INT TERM
umask 077
log=$1
shift
exec 3<&0 </dev/null
"$@" 3<&- >>"$log" 2>&1 &
server=$!
echo "$server"
exec >/dev/null 2>&1
(
  exec <&3 3<&-
  while read -r _; do :; done
  tries=0
  while kill -INT "$server" && [ "$tries" -lt 120 ]; do
    tries=$((tries + 1))
    sleep 1
  done
) &
watcher=$!
exec 3<&-
wait "$server"
kill -KILL "$watcher"
`;

/** A server that this process has started: its id, and its parent, which stops it when this process dies. */
export type Started = { pid: number; parent: ChildProcess };

/** Resolves before the server is ready. PostgreSQL will not take process `notServer` for a running server. */
export async function startServer(home: Home, command: string[], notServer: number | undefined): Promise<Started> {
  const env = serverEnvironment();
  if (notServer !== undefined) env.PG_GRANDPARENT_PID = String(notServer); // PostgreSQL ignores this id in the file
  const words = ['-c', PARENT, 'airseries-postgresql', home.log, ...command];
  const parent = spawn('/bin/sh', words, {
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
  parent.unref(); // neither it nor its pipe may keep a finished command alive
  (parent.stdin as Socket).unref();
  return { pid: Number(pid), parent };
}

/** Whether the parent has ended, and so the server, unless the parent alone was killed. */
export function hasEnded({ parent }: Started): boolean {
  return parent.exitCode !== null || parent.signalCode !== null;
}

/** What the file says, whether or not that server is alive; undefined without a complete first line. PostgreSQL alone writes it. */
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
export function reusedPid(home: Home): number | undefined {
  const pid = readPostmaster(home)?.pid;
  return pid !== undefined && isAlive(pid) && !isServer(pid, home) ? pid : undefined;
}

function isAlive(pid: number): boolean {
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
      const directory = words[words.indexOf('-D') + 1];
      const ours = basename(words[0] ?? '') === 'postgres' && directory === home.data;
      return ours && statSync(`/proc/${pid}`).uid === home.user.uid;
    }
    const shown = execFileSync('ps', ['-ww', '-o', 'uid=,args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return Number.parseInt(shown, 10) === home.user.uid && shown.includes(`/postgres -D ${home.data} `);
  } catch {
    return false; // no such process
  }
}

const LOG_LINES = 10;

/** The end of the server's log with its path, for error messages. */
export function lastLogLines(home: Home): string {
  try {
    const lines = readFileSync(home.log, 'utf8').trimEnd().split('\n').slice(-LOG_LINES);
    return `The last lines of ${home.log}:\n${lines.join('\n')}`;
  } catch {
    return `There is no log in ${home.log}.`;
  }
}
