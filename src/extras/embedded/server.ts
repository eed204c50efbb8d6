/**
 * Runs a private PostgreSQL for a data directory. It belongs to the process that started it, and
 * stops with that process, even if that is killed. Other processes use the server that runs: a
 * command beside a service, or a service beside a command. Any of them that finds it gone starts it
 * again at the same address, so that clients only have to retry.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { AIRSERIES } from '../../base/shell.ts';
import type { Database } from '../../database/address.ts';
import { errorCode } from '../../database/errors.ts';
import { bundledProgram, majorOf, type Program } from './bundled.ts';
import { createCluster, DATABASE, serverArguments, USER } from './cluster.ts';
import { existingHome } from './existing.ts';
import { type Home, makeHome, PORT, runAs, SERVER_ENVIRONMENT } from './home.ts';

const MAX_STARTS = 5;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

export type EmbeddedServer = Required<Omit<Database, 'target'>> & {
  // as the superuser of this private cluster
  target: { host: string; port: number; user: string; database: string };
  version: string;
  startedHere: boolean; // false: another process had started it first
};

type Options = {
  dataDirectory: string;
  log: Log;
  /** Make no cluster where there is none. */
  mustExist?: boolean;
};

/**
 * Starts or joins the server of a data directory, and restarts it if it ends while in use. Resolves
 * once it answers; rejects, with a remedy, where no server can run, or none that can serve the
 * data.
 */
export async function openEmbeddedServer({
  dataDirectory,
  log,
  mustExist,
}: Options): Promise<EmbeddedServer> {
  if (process.platform === 'win32') {
    throw new Error(
      'The embedded PostgreSQL does not run on Windows. Set DATABASE_URL, or use WSL or Docker.',
    );
  }
  const program = bundledProgram();
  const existing = existingHome(dataDirectory, program);
  if (mustExist && existing === undefined) {
    throw new Error(
      `There is no database in ${dataDirectory} (DATA_DIR), and this command makes none. Name the one that the service uses, as the service does: ` +
        'run the command in the same folder, or with the same DATA_DIR or DATABASE_URL. To make a new one: ' +
        `${AIRSERIES} start, migrate or import network.`,
    );
  }
  const { version } = program;
  const home = existing ?? makeHome(dataDirectory, majorOf(program));
  const { directory, sockets } = home;
  if (dirname(directory) !== realpathSync(dataDirectory)) {
    log.info(
      { directory },
      'data are stored here because the user that runs PostgreSQL cannot access the data directory',
    );
  }
  const running = await joinOrStart(program, home);
  const verb = running.own ? 'started' : 'joined';
  log.info(
    { directory, version, pid: running.pid },
    `embedded PostgreSQL ${verb}: ${basename(directory)}`,
  );
  return {
    target: { host: sockets, port: PORT, user: USER, database: DATABASE },
    embedded: true,
    version,
    dataDirectory: dirname(directory),
    startedHere: running.own !== undefined,
    close: supervise(program, home, running, log),
  };
}

/** `own`: the process, if this process has started it. */
type Running = { pid: number; own?: ChildProcess | undefined };

/**
 * Resolves once a server is ready, however long it recovers: the one that runs or, where there is
 * none, one that it starts. Of two that start one, PostgreSQL's own lock lets one through. Rejects,
 * with the last lines of the server's log, if five starts in a row fail.
 */
async function joinOrStart(program: Program, home: Home): Promise<Running> {
  let own: ChildProcess | undefined;
  let starts = 0;
  for (;;) {
    const found = await findServer(home);
    if (found?.isReady) {
      if (found.pid === own?.pid) return { pid: found.pid, own };
      // a slow one would get the lock once the server that has it ends, and nothing would stop it
      await stop(own);
      return { pid: found.pid };
    }
    if (found === undefined && (own === undefined || hasEnded(own))) {
      if (starts === MAX_STARTS)
        throw new Error(`PostgreSQL does not start. ${lastLogLines(home)}`);
      if (starts > 0) await pause(100 * 2 ** starts);
      own = await start(program, home);
      starts += 1;
    }
    await pause(10);
  }
}

/**
 * The server that has the socket, be it ready, starting or stopping; undefined if there is none.
 * The kernel knows that. An id in a file proves nothing: the file survives a power loss, and any
 * process may have the id by then.
 */
async function findServer(home: Home): Promise<{ pid: number; isReady: boolean } | undefined> {
  const socket = createConnection(join(home.sockets, `.s.PGSQL.${PORT}`));
  try {
    await once(socket, 'connect');
    const [pid, , , , , , , status] = readFileSync(join(home.data, 'postmaster.pid'), 'utf8').split(
      '\n',
    );
    return { pid: Number(pid), isReady: status?.trim() === 'ready' };
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes(errorCode(error))) return undefined;
    throw error;
  } finally {
    socket.destroy();
  }
}

/**
 * Arguments: the log, the server's command line. The shell becomes the server. Beside it, a process
 * waits for the end of stdin and then stops the server: stdin is a pipe, which the kernel closes
 * however its owner dies. This process ignores signals, because stopping a container or a unit
 * signals all processes, and only the owner decides. It is not a child of the server, which takes
 * children that it doesn't know for its own.
 */
const SERVER = `
umask 077
log=$1
shift
exec 3<&0
( { trap '' HUP INT TERM; cat; kill -INT $$; } <&3 >/dev/null 2>&1 & )
exec "$@" </dev/null >>"$log" 2>&1 3<&-
`;

/**
 * Resolves before the server is ready. Makes everything as the server's user, so that root never
 * writes where that user could have placed a link.
 */
async function start(program: Program, home: Home): Promise<ChildProcess> {
  if (!existsSync(home.directory)) {
    throw new Error(
      `${home.directory} is gone: it was deleted while the server ran. Restore it from a backup; or stop the service, and start it ` +
        'with a new, empty database.',
    );
  }
  const bin = await program.bin(home);
  await runAs(home.user, 'mkdir', ['-p', '-m', '700', home.sockets]);
  const sockets = lstatSync(home.sockets);
  if (!sockets.isDirectory() || sockets.uid !== home.user.uid || sockets.mode & 0o077) {
    const owner = `must belong to user ${home.user.uid} alone`; // connections need no password
    throw new Error(`${home.sockets}, the directory for the socket, ${owner}. Remove it.`);
  }
  await rotateLog(home);
  await createCluster(home, bin);
  const command = [join(bin, 'postgres'), ...serverArguments(home)];
  const server = spawn('/bin/sh', ['-c', SERVER, 'airseries-postgresql', home.log, ...command], {
    ...home.user,
    cwd: '/',
    env: SERVER_ENVIRONMENT,
    detached: true, // a session of its own, because a shutdown may take longer than its owner lives
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  server.once('exit', () => server.stdin.destroy());
  await once(server, 'spawn');
  return server;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Resolves once the server is down, if this process has started it. */
async function stop(own: ChildProcess | undefined): Promise<void> {
  if (own === undefined || hasEnded(own)) return;
  own.kill('SIGINT'); // a fast shutdown
  await once(own, 'exit');
}

/**
 * Checks the server every second and restarts it if it is gone. The result ends that, waits for a
 * restart that is under way, and stops the server if this process has started it.
 */
function supervise(program: Program, home: Home, first: Running, log: Log): () => Promise<void> {
  let running = first;
  const closing = new AbortController();
  const watch = async () => {
    // must not keep a finished command alive
    const options = { signal: closing.signal, ref: false };
    while (await pause(1_000, true, options).catch(() => false)) {
      try {
        await rotateLog(home);
        if ((await findServer(home)) !== undefined) continue;
        log.error('the embedded PostgreSQL has stopped; restarting it');
        await stop(running.own); // it may run without its socket
        running = await joinOrStart(program, home);
        log.info({ pid: running.pid }, 'the embedded PostgreSQL has restarted');
      } catch (error) {
        log.error({ err: error }, 'the embedded PostgreSQL failed to start; retrying');
      }
    }
  };
  const watching = watch();
  return async () => {
    closing.abort();
    await watching;
    await stop(running.own);
  };
}

/** PostgreSQL keeps the file open, so it is copied and emptied rather than renamed. */
const ROTATE = 'umask 077; cp -f "$1" "$1.old" && : >"$1"';

/** Keeps one older file once the log exceeds 10 MiB. */
async function rotateLog(home: Home): Promise<void> {
  const size = statSync(home.log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) await runAs(home.user, '/bin/sh', ['-c', ROTATE, 'sh', home.log]);
}

/** The end of the server's log with its path, for error messages. */
function lastLogLines(home: Home): string {
  if (!existsSync(home.log)) return `There is no log in ${home.log}.`;
  return `The last lines of ${home.log}:\n${readFileSync(home.log, 'utf8').trimEnd().split('\n').slice(-10).join('\n')}`;
}
