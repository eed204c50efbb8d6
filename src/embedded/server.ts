/**
 * A private PostgreSQL for a data directory. The process that starts it owns it: the server stops with its owner, even if that one is
 * killed. Other processes, commands beside a service or a service beside a command, connect to the server that is there. Whoever
 * finds it gone, because its owner has ended or it was killed or ran out of memory or disk space, starts it again at the same
 * address, so that clients only have to retry.
 */
import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../database/errors.ts';
import type { Log } from '../log.ts';
import { AIRSERIES } from '../shell.ts';
import { createCluster, DATABASE, serverArguments, USER } from './cluster.ts';
import { chooseCluster } from './existing.ts';
import { type EmbeddedKind, findHome, type Home, PORT, runAs } from './home.ts';
import {
  hasEnded,
  lastLogLines,
  liveServer,
  type Postmaster,
  reusedPid,
  type Started,
  startServer,
} from './postmaster.ts';
import { chooseProgram, type Program } from './program.ts';

const START_TIMEOUT_MS = 240_000; // recovery after a power loss replays up to max_wal_size
const STOP_TIMEOUT_MS = 120_000; // the last checkpoint may have much to write on a slow disk
const MAX_STARTS = 5;
const POLL_MS = 10;
const CHECK_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 3_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

export type EmbeddedServer = {
  kind: EmbeddedKind;
  version: string;
  socketDirectory: string;
  port: number;
  user: string; // the superuser of this private cluster
  database: string;
  dataDirectory: string; // where its data are
  startedHere: boolean; // false: another process had started it first
  /** Stops using the server; if this process has started it, resolves once it is down. May be called more than once. */
  release(): Promise<void>;
};

type EmbeddedOptions = {
  dataDirectory: string;
  kind?: EmbeddedKind | undefined;
  log: Log;
  /** Refuse to make a cluster where there is none. */
  mustExist?: boolean;
};

/**
 * Starts or joins the server of a data directory, and restarts it if it ends while in use. Resolves once it answers; rejects, with a
 * remedy, where no server can run, or not of that kind. Without `kind`: that of the data; where there are none, local if one is installed, otherwise bundled.
 */
export async function openEmbeddedServer({
  dataDirectory,
  kind,
  log,
  mustExist = false,
}: EmbeddedOptions): Promise<EmbeddedServer> {
  if (process.platform === 'win32') {
    throw new Error('The embedded PostgreSQL does not run on Windows. Set DATABASE_URL, or use WSL or Docker.');
  }
  const cluster = chooseCluster(dataDirectory, kind);
  if (mustExist && cluster === undefined) throw new Error(noCluster(dataDirectory));
  const program = await chooseProgram(kind, cluster);
  const name = `${program.kind}-${majorOf(program)}`;
  const home = await findHome(dataDirectory, name, log);
  const joinOrStart = () => enter(home, () => start(program, home));
  const { started, server } = await joinOrStart();
  const release = supervise(home, started, joinOrStart, log);
  const verb = started === undefined ? 'joined' : 'started';
  log.info(
    { directory: home.directory, version: program.version, pid: server.pid },
    `embedded PostgreSQL ${verb}: ${name}`,
  );
  let released: Promise<void> | undefined;
  return {
    kind: program.kind,
    version: program.version,
    socketDirectory: home.sockets,
    port: PORT,
    user: USER,
    database: DATABASE,
    dataDirectory: dirname(home.directory),
    startedHere: started !== undefined,
    release: () => (released ??= release()),
  };
}

const majorOf = ({ version }: Program): number => Number.parseInt(version, 10);

function noCluster(dataDirectory: string): string {
  return (
    `There is no database in ${dataDirectory} (DATA_DIR), and this command makes none. Name the one that the service uses, as the service does: ` +
    'run the command in the same folder, or with the same DATA_DIR, EMBEDDED_PG or DATABASE_URL. To make a new one: ' +
    `${AIRSERIES} start, migrate or import network.`
  );
}

/** Makes what the server needs, as its user, so that root never writes where that user could have placed a link. */
async function start(program: Program, home: Home): Promise<Started> {
  if (!existsSync(home.directory)) {
    throw new Error(
      `${home.directory} is gone: it was deleted while the server ran. Restore it from a backup; or stop the service, and start it ` +
        'with a new, empty database.',
    );
  }
  const bin = await program.bin(home.user);
  await runAs(home.user, '/bin/sh', ['-c', 'umask 077; [ -d "$1" ] || mkdir "$1" || [ -d "$1" ]', 'sh', home.sockets]);
  await rotateLog(home);
  requirePrivate(home);
  await createCluster(home, bin, majorOf(program));
  const command = serverArguments(home, program.kind === 'local');
  return startServer(home, [join(bin, 'postgres'), ...command], reusedPid(home));
}

type Entered = { server: Postmaster; started: Started | undefined };

/**
 * Resolves once a server is ready: the one that is there or, where none lives, the one that `start` begins; `started` is undefined if
 * it is another process's. Of two that start one, PostgreSQL's own lock lets one through. Rejects, with the last lines of the server's log,
 * if none starts five times in a row or is ready after two minutes.
 */
async function enter(home: Home, start: () => Promise<Started>): Promise<Entered> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let starts = 0;
  let started: Started | undefined;
  for (;;) {
    const server = liveServer(home);
    if (server?.ready) return { server, started: server.pid === started?.pid ? started : undefined };
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL was not ready after ${START_TIMEOUT_MS / 1000} s. ${lastLogLines(home)}`);
    }
    if (server === undefined && (started === undefined || hasEnded(started))) {
      if (starts === MAX_STARTS) throw new Error(`PostgreSQL does not start. ${lastLogLines(home)}`);
      if (starts > 0) await pause(100 * 2 ** starts);
      started = await start();
      starts += 1;
    }
    await pause(POLL_MS);
  }
}

/** Stops the server that this process has started and waits until it is down; rejects if that takes over two minutes. */
async function stop(home: Home, { pid }: Started): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (liveServer(home)?.pid === pid) {
    try {
      process.kill(pid, 'SIGINT'); // fast shutdown; a second one changes nothing
    } catch (error) {
      if (errorCode(error) !== 'ESRCH') throw error;
    }
    if (performance.now() > deadline) {
      const seconds = STOP_TIMEOUT_MS / 1000;
      throw new Error(`PostgreSQL (process ${pid}) is still shutting down after ${seconds} s.\n${lastLogLines(home)}`);
    }
    await pause(POLL_MS);
  }
}

/** Connections need no password, so no other user may enter the socket's directory. */
function requirePrivate(home: Home): void {
  const found = lstatSync(home.sockets);
  if (found.isDirectory() && found.uid === home.user.uid && (found.mode & 0o077) === 0) return;
  throw new Error(
    `${home.sockets}, the directory for the socket, must belong to user ${home.user.uid} alone. Remove it.`,
  );
}

/**
 * Checks the server every second. `enter` is called, and called again three seconds after a failure, to restart it. The result ends that,
 * waits for a restart that is under way, and stops the server if it is ours. Call it once.
 */
function supervise(home: Home, first: Started | undefined, enter: () => Promise<Entered>, log: Log) {
  let ours = first;
  let releasing = false;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();

  /** Resolves to the milliseconds until the next check. */
  const check = async () => {
    try {
      await rotateLog(home);
      if (liveServer(home) !== undefined) return CHECK_EVERY_MS;
      log.error('the embedded PostgreSQL has stopped; restarting it');
      const entered = await enter();
      ours = entered.started;
      log.info({ pid: entered.server.pid }, 'the embedded PostgreSQL has restarted');
      return CHECK_EVERY_MS;
    } catch (error) {
      log.error({ err: error }, 'the embedded PostgreSQL failed to start; retrying');
      return RETRY_AFTER_MS;
    }
  };
  const checkAfter = (ms: number) => {
    timer = setTimeout(() => {
      checking = check().then((next) => void (releasing || checkAfter(next)));
    }, ms);
    timer.unref(); // must not keep a finished command alive
  };
  checkAfter(CHECK_EVERY_MS);
  return async () => {
    releasing = true;
    clearTimeout(timer);
    await checking;
    if (ours !== undefined) await stop(home, ours);
  };
}

/** PostgreSQL keeps the file open, so it is copied and emptied rather than renamed. */
const ROTATE = 'umask 077; cp -f "$1" "$1.old" && : >"$1"';

/** Keeps one older file once the log exceeds 10 MiB. */
async function rotateLog(home: Home): Promise<void> {
  const size = statSync(home.log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) await runAs(home.user, '/bin/sh', ['-c', ROTATE, 'sh', home.log]);
}
