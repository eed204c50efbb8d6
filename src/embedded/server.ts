/**
 * Runs a private PostgreSQL for a data directory. The process that starts it owns it: the server stops with its owner, even if that one is
 * killed. Other processes, commands beside a service or a service beside a command, connect to the server that runs. A process that
 * finds it gone, because its owner has ended or it was killed or ran out of memory or disk space, starts it again at the same
 * address, so that clients only have to retry.
 */
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { AIRSERIES } from '../shell.ts';
import { createCluster, DATABASE, serverArguments, USER } from './cluster.ts';
import { chooseCluster } from './existing.ts';
import { type EmbeddedKind, findHome, type Home, PORT, runAs } from './home.ts';
import { isAlive, liveServer, type Started, startServer } from './postmaster.ts';
import { chooseProgram, type Program } from './program.ts';

const START_TIMEOUT_MS = 240_000; // recovery after a power loss replays up to max_wal_size
const STOP_TIMEOUT_S = 110; // the last checkpoint may have much to write on a slow disk; runAs waits for 120 s
const MAX_STARTS = 5;
const POLL_MS = 10;
const CHECK_EVERY_MS = 1_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const SHOWN_LOG_LINES = 10;

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
  const { pid, started } = await joinOrStart(program, home);
  const release = supervise(program, home, started, log);
  const verb = started === undefined ? 'joined' : 'started';
  log.info({ directory: home.directory, version: program.version, pid }, `embedded PostgreSQL ${verb}: ${name}`);
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

type Entered = { pid: number; started: Started | undefined };

/**
 * Resolves once a server is ready: the one that runs or, where there is none, one that it starts; `started` is undefined if another process
 * has started it. Of two that start one, PostgreSQL's own lock lets one through. Rejects, with the last lines of the server's log, if five
 * starts in a row fail or none is ready after 240 s.
 */
async function joinOrStart(program: Program, home: Home): Promise<Entered> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let starts = 0;
  let started: Started | undefined;
  for (;;) {
    const server = liveServer(home);
    if (server?.ready) {
      if (server.pid === started?.pid) return { pid: server.pid, started };
      started?.endParent();
      return { pid: server.pid, started: undefined };
    }
    if (performance.now() > deadline) {
      throw new Error(`PostgreSQL was not ready after ${START_TIMEOUT_MS / 1000} s. ${lastLogLines(home)}`);
    }
    if (server === undefined && (started === undefined || !isAlive(started.pid))) {
      started?.endParent();
      if (starts === MAX_STARTS) throw new Error(`PostgreSQL does not start. ${lastLogLines(home)}`);
      if (starts > 0) await pause(100 * 2 ** starts);
      started = await start(program, home);
      starts += 1;
    }
    await pause(POLL_MS);
  }
}

/** Makes everything as the server's user, so that root never writes where that user could have placed a link. */
async function start(program: Program, home: Home): Promise<Started> {
  if (!existsSync(home.directory)) {
    throw new Error(
      `${home.directory} is gone: it was deleted while the server ran. Restore it from a backup; or stop the service, and start it ` +
        'with a new, empty database.',
    );
  }
  const bin = await program.bin(home);
  await runAs(home.user, 'mkdir', ['-p', '-m', '700', home.sockets]);
  requirePrivate(home);
  await rotateLog(home);
  await createCluster(home, bin, majorOf(program));
  return startServer(home, [join(bin, 'postgres'), ...serverArguments(home, program.kind === 'local')]);
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
 * Checks the server every second and restarts it if it is gone. The result ends that, waits for a restart that is under way, and stops the
 * server if this process has started it. Call it once.
 */
function supervise(program: Program, home: Home, first: Started | undefined, log: Log): () => Promise<void> {
  let ours = first;
  const releasing = new AbortController();
  const restart = async () => {
    log.error('the embedded PostgreSQL has stopped; restarting it');
    ours?.endParent();
    ours = undefined;
    const { pid, started } = await joinOrStart(program, home);
    ours = started;
    log.info({ pid }, 'the embedded PostgreSQL has restarted');
  };
  const watch = async () => {
    const options = { signal: releasing.signal, ref: false }; // must not keep a finished command alive
    while (await pause(CHECK_EVERY_MS, true, options).catch(() => false)) {
      try {
        await rotateLog(home);
        if (liveServer(home) === undefined) await restart();
      } catch (error) {
        log.error({ err: error }, 'the embedded PostgreSQL failed to start; retrying');
      }
    }
  };
  const watching = watch();
  return async () => {
    releasing.abort();
    await watching;
    if (ours !== undefined) await stop(program, home, ours);
  };
}

/** Resolves once the server is down that this process has started. */
async function stop(program: Program, home: Home, { pid, endParent }: Started): Promise<void> {
  try {
    if (liveServer(home)?.pid !== pid) return;
    const words = ['stop', '-D', home.data, '-m', 'fast', '-t', String(STOP_TIMEOUT_S)];
    await runAs(home.user, join(await program.bin(home), 'pg_ctl'), words);
  } finally {
    endParent();
  }
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
  try {
    const lines = readFileSync(home.log, 'utf8').trimEnd().split('\n').slice(-SHOWN_LOG_LINES);
    return `The last lines of ${home.log}:\n${lines.join('\n')}`;
  } catch {
    return `There is no log in ${home.log}.`;
  }
}
