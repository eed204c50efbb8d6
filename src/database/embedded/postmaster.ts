/**
 * The server's processes: a shell that outlives us starts PostgreSQL and a watcher, and PostgreSQL describes itself in `postmaster.pid`
 * and its log. That file survives a power loss, and any process may have its process id by then, so the id alone is never trusted.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Home, runAs, serverEnvironment } from './home.ts';
import { openBothEnds, type Reference } from './references.ts';

export type Postmaster = { pid: number; port: number; socketDirectory: string; ready: boolean };

/** `wrapper` is the process id of the shell; `reference` counts us as the first user. */
export type StartedWrapper = { reference: Reference; wrapper: number };

/**
 * The server's parent: a small shell in a session of its own, because a shutdown may take longer than we live. It starts PostgreSQL and a
 * watcher, which replies to users and stops the server at end-of-file of the references. When the server exits first, the watcher is
 * killed. These are two processes because a shell waits for one thing at a time.
 *
 * Arguments: the log, the directory of the replies, the server's command line. Standard input is the FIFO of the references.
 * - Only the watcher keeps the FIFO open, and it closes it before it stops the server, so that latecomers notice. `exec` must do the
 *   redirecting, because a shell keeps copies of what it redirects for a single command.
 * - SIGINT is repeated, because a server ignores it in its first milliseconds.
 * - Signals are ignored, because stopping a container or a unit signals all its processes, and only the users decide.
 */
const WRAPPER = `
trap '' HUP INT TERM
log=$1 replies=$2
shift 2
exec 3<&0 </dev/null >>"$log" 2>&1
"$@" 3<&- &
server=$!
(
  exec <&3 3<&- 2>/dev/null
  while read -r user; do
    kill -0 "$server" || exit
    echo "$server $$" >"$replies/$user"
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
 * Run as the server's user, so that root never writes where that user could have placed a link. Old replies are deleted: some were never
 * fetched, and two watchers that read the same lines at once, as after simultaneous starts, garble a few names.
 */
const PREPARE = `
umask 077
references=$1 replies=$2 sockets=$3
mkdir -p "$replies"
[ -p "$references" ] || mkfifo "$references" || [ -p "$references" ] || exit 1
mkdir "$sockets" 2>/dev/null
rm -f "$replies"/*
`;

/** Makes the FIFO and the directories that `startWrapper` needs. May be called any number of times. */
export async function prepareToStart({ user, references, replies, sockets }: Home): Promise<void> {
  await runAs(user, '/bin/sh', ['-c', PREPARE, 'sh', references, replies, sockets]);
}

/** Resolves once the shell runs, before the server is ready. PostgreSQL will not take process `notServer` for a running server. */
export async function startWrapper(
  home: Home,
  command: string[],
  notServer: number | undefined,
): Promise<StartedWrapper> {
  const { reference, readEnd } = openBothEnds(home.references);
  try {
    const environment = serverEnvironment();
    if (notServer !== undefined) environment.PG_GRANDPARENT_PID = String(notServer); // PostgreSQL ignores this id in the file
    const wrapper = spawn('/bin/sh', ['-c', WRAPPER, 'airseries-postgresql', home.log, home.replies, ...command], {
      ...home.user,
      cwd: '/',
      env: environment,
      detached: true,
      stdio: [readEnd, 'ignore', 'ignore'],
    });
    wrapper.unref();
    await once(wrapper, 'spawn');
    return { reference, wrapper: wrapper.pid ?? 0 };
  } catch (error) {
    closeSync(reference);
    throw error;
  } finally {
    closeSync(readEnd);
  }
}

/** What `postmaster.pid` says, whether or not that server is alive; undefined without a complete first line. PostgreSQL alone writes it. */
export function readPostmaster(home: Home): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(home.data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const [pid, , , port, socketDirectory, , , status] = lines;
  if (!(Number(pid) > 0)) return undefined; // the file is just being written
  return {
    pid: Number(pid),
    port: Number(port),
    socketDirectory: socketDirectory ?? '',
    ready: status?.trim() === 'ready',
  };
}

/** The process id of the live server of this cluster, if there is one. */
export function liveServer(home: Home): number | undefined {
  const pid = readPostmaster(home)?.pid;
  return pid !== undefined && isServer(pid, home) ? pid : undefined;
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
