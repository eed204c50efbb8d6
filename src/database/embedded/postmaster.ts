/**
 * The server as its `postmaster.pid` and its log tell it. The file survives a power loss and its process id may then belong to
 * anybody, so nothing here trusts the id alone. The file is PostgreSQL's: nobody else writes or deletes it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Place, runAs, serverEnvironment } from './home.ts';
import { openBothEnds, type Started } from './join.ts';

export type Postmaster = { pid: number; port: number; socketDirectory: string; ready: boolean };

export function readPostmaster(place: Place): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(place.data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const [pid, , , port, socketDirectory, , , status] = lines;
  if (!(Number(pid) > 0)) return undefined; // a file that is just being written
  return {
    pid: Number(pid),
    port: Number(port),
    socketDirectory: socketDirectory ?? '',
    ready: status?.trim() === 'ready',
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process id of the live server of this cluster, if there is one. */
export function liveServer(place: Place): number | undefined {
  const pid = readPostmaster(place)?.pid;
  return pid !== undefined && isServer(pid, place) ? pid : undefined;
}

/** The process id in the file if a stranger has it by now. PostgreSQL would take that stranger for a running server. */
export function reusedPid(place: Place): number | undefined {
  const pid = readPostmaster(place)?.pid;
  return pid !== undefined && isAlive(pid) && !isServer(pid, place) ? pid : undefined;
}

function isServer(pid: number, place: Place): boolean {
  try {
    if (process.platform === 'linux') {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const directory = words[words.indexOf('-D') + 1];
      const ours = basename(words[0] ?? '') === 'postgres' && directory === place.data;
      return ours && statSync(`/proc/${pid}`).uid === place.user.uid;
    }
    const shown = execFileSync('ps', ['-ww', '-o', 'uid=,args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return Number.parseInt(shown, 10) === place.user.uid && shown.includes(`/postgres -D ${place.data} `);
  } catch {
    return false; // no such process
  }
}

const LINES = 10;

export function lastLines(place: Place): string {
  try {
    const lines = readFileSync(place.log, 'utf8').trimEnd().split('\n').slice(-LINES);
    return `The last lines of ${place.log}:\n${lines.join('\n')}`;
  } catch {
    return `There is no log in ${place.log}.`;
  }
}

/** The system's name for what went wrong, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/**
 * The server's parent: a small shell in a session of its own, which outlives us by the time a shutdown takes. It starts
 * PostgreSQL and a watcher. The watcher answers users and, when the lifeline ends, stops the server; when the
 * server ends, for whatever reason, the watcher is ended. Two processes, since a shell waits for one thing at a time.
 */

/**
 * Arguments: the log, the directory of the answers, the server's command line. Standard input is the lifeline.
 * - Only the watcher keeps the lifeline open, and closes it before it stops the server: who comes too late can tell.
 *   It must be `exec` that redirects, because a shell keeps copies of what it redirects for a single command.
 * - SIGINT is repeated, because a server ignores it in its first milliseconds.
 * - Signals are ignored: the end of a container or a unit reaches all its processes, and only the users decide.
 */
const WRAPPER = `
trap '' HUP INT TERM
log=$1 answers=$2
shift 2
exec 3<&0 </dev/null >>"$log" 2>&1
"$@" 3<&- &
server=$!
(
  exec <&3 3<&- 2>/dev/null
  while read -r user; do
    kill -0 "$server" || exit
    echo "$server $$" >"$answers/$user"
  done
  exec </dev/null
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

/**
 * Run as the server's user, so that root never writes where that user could have laid a link. Old answers go: some were
 * never fetched, and two watchers that read the same lines at once, as at a simultaneous start, garble a few names.
 */
const PREPARE = `
umask 077
lifeline=$1 answers=$2 sockets=$3
mkdir -p "$answers"
[ -p "$lifeline" ] || mkfifo "$lifeline" || [ -p "$lifeline" ] || exit 1
mkdir "$sockets" 2>/dev/null
rm -f "$answers"/*
`;

export async function prepareToStart({ user, lifeline, answers, sockets }: Place): Promise<void> {
  await runAs(user, '/bin/sh', ['-c', PREPARE, 'sh', lifeline, answers, sockets]);
}

/** `PG_GRANDPARENT_PID` is PostgreSQL's own way to be told that this process id is not another server. */
export async function startWrapper(place: Place, command: string[], notServer: number | undefined): Promise<Started> {
  const { held, readEnd } = openBothEnds(place.lifeline);
  try {
    const environment = serverEnvironment();
    if (notServer !== undefined) environment.PG_GRANDPARENT_PID = String(notServer);
    const wrapper = spawn('/bin/sh', ['-c', WRAPPER, 'airseries-postgresql', place.log, place.answers, ...command], {
      ...place.user,
      cwd: '/',
      env: environment,
      detached: true,
      stdio: [readEnd, 'ignore', 'ignore'],
    });
    wrapper.unref();
    await once(wrapper, 'spawn');
    return { held, wrapper: wrapper.pid ?? 0 };
  } catch (error) {
    closeSync(held);
    throw error;
  } finally {
    closeSync(readEnd);
  }
}
