/**
 * A private PostgreSQL for a data directory, shared by all processes that use it: a service and any number of commands.
 * The first starts it, and it stops with the last, even if that one is killed. A server that ends while in use (killed, out of memory, out
 * of disk space) is restarted at the same address, so that clients only have to retry.
 */
import { closeSync, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join as joinPath } from 'node:path';
import type { Log } from '../../log.ts';
import { createCluster, DATABASE, serverArguments, USER } from './cluster.ts';
import { findHome, type Home, hasCluster, PORT, runAs } from './home.ts';
import { type Joined, join, leave } from './join.ts';
import { liveServer, prepareToStart, reusedPid, type StartedWrapper, startWrapper } from './postmaster.ts';
import { chooseProgram, type EmbeddedKind, type Program } from './program.ts';

export { findLocalTimescale } from './program.ts';
export type { EmbeddedKind };

const CHECK_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 3_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

export type EmbeddedServer = {
  kind: EmbeddedKind; // bundled: from npm, without TimescaleDB; local: an installed one with TimescaleDB Community
  version: string;
  socketDirectory: string;
  port: number;
  user: string; // the superuser of this private cluster
  database: string;
  startedHere: boolean; // false: another process had started it first
  /** Stops using the server; if no other process uses it, resolves once it is down. May be called more than once. */
  release(): Promise<void>;
};

type EmbeddedOptions = {
  dataDirectory: string;
  kind?: EmbeddedKind;
  log: Log;
  /** Refuse to make a cluster where there is none. */
  mustExist?: boolean;
};

/**
 * Starts or joins the server of a data directory, and restarts it if it ends while in use. Resolves once it answers; rejects, with a
 * remedy, where no server can run. Without `kind`: local if one is installed, otherwise bundled.
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
  const program = await chooseProgram(kind);
  const name = `${program.kind}-${program.major}`;
  if (mustExist && !hasCluster(dataDirectory, name)) throw new Error(noCluster(dataDirectory));
  const home = await findHome(dataDirectory, name, log);
  const joinOrStart = () => join(home, () => start(program, home, log));
  const joined = await joinOrStart();
  const { startedHere } = joined;
  const { pid, port, socketDirectory } = joined.postmaster;
  const supervision = supervise(home, joined, joinOrStart, log);
  const verb = startedHere ? 'started' : 'joined';
  log.info({ directory: home.directory, version: program.version, pid }, `embedded PostgreSQL ${verb}: ${name}`);
  let released: Promise<void> | undefined;
  return {
    kind: program.kind,
    version: program.version,
    socketDirectory,
    port,
    user: USER,
    database: DATABASE,
    startedHere,
    release: () => (released ??= supervision.release()),
  };
}

function noCluster(dataDirectory: string): string {
  return (
    `There is no database in ${dataDirectory} (DATA_DIR), and this command makes none. Name the one that the service uses, as the service does: ` +
    'run the command in the same folder, or with the same DATA_DIR, EMBEDDED_PG or DATABASE_URL. To make a new one: npm start, migrate or import network.'
  );
}

async function start(program: Program, home: Home, log: Log): Promise<StartedWrapper> {
  const bin = await program.bin(home.user);
  if (!existsSync(home.data)) warnOfOtherClusters(home, log);
  await prepareToStart(home);
  await rotateLog(home);
  requirePrivate(home);
  await createCluster(home, bin, program.major);
  const command = serverArguments(program.kind === 'local', home.data, { sockets: home.sockets, port: PORT });
  return startWrapper(home, [joinPath(bin, 'postgres'), ...command], reusedPid(home));
}

/** Connections need no password, so no other user may enter the socket's directory. */
function requirePrivate(home: Home): void {
  const found = lstatSync(home.sockets);
  if (found.isDirectory() && found.uid === home.user.uid && (found.mode & 0o077) === 0) return;
  throw new Error(
    `${home.sockets}, the directory for the socket, must belong to user ${home.user.uid} alone. Remove it.`,
  );
}

/** After TimescaleDB or a new major version was installed, the data seem to be gone: they are in another cluster. */
function warnOfOtherClusters(home: Home, log: Log): void {
  const base = dirname(home.directory);
  const others = readdirSync(base).filter((name) => existsSync(joinPath(base, name, 'data')));
  if (others.length === 0) return;
  log.warn(
    { others, directory: home.directory },
    'creating a new, empty cluster; EMBEDDED_PG=bundled or local selects another',
  );
}

type Supervision = {
  /** Ends the supervision, waits for a restart that is under way, and leaves the server; rejects as `leave` does. Call it once. */
  release(): Promise<void>;
};

/** Checks the server every second until released. `join` is called, and called again three seconds after a failure, to restart it. */
function supervise(home: Home, joined: Joined, join: () => Promise<Joined>, log: Log): Supervision {
  let { reference } = joined;
  let releasing = false;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();

  /** Resolves to the milliseconds until the next check. */
  const check = async () => {
    await rotateLog(home);
    if (liveServer(home) !== undefined) return CHECK_EVERY_MS;
    log.error('the embedded PostgreSQL has stopped; restarting it');
    try {
      const rejoined = await join();
      closeSync(reference);
      reference = rejoined.reference;
      log.info({ pid: rejoined.postmaster.pid }, 'the embedded PostgreSQL has restarted');
      return CHECK_EVERY_MS;
    } catch (error) {
      log.error({ err: error }, 'the embedded PostgreSQL failed to start; retrying');
      return RETRY_AFTER_MS;
    }
  };
  const checkAfter = (ms: number) => {
    timer = setTimeout(() => {
      checking = check().then(
        (next) => void (releasing || checkAfter(next)),
        (error: Error) => {
          log.error({ err: error }, 'the embedded PostgreSQL could not be checked');
          if (!releasing) checkAfter(RETRY_AFTER_MS);
        },
      );
    }, ms);
    timer.unref(); // must not keep a finished command alive
  };
  checkAfter(CHECK_EVERY_MS);
  return {
    async release() {
      releasing = true;
      clearTimeout(timer);
      await checking;
      await leave(home, reference);
    },
  };
}

/** PostgreSQL keeps the file open, so it is copied and emptied rather than renamed. */
const ROTATE = 'umask 077; cp -f "$1" "$1.old" && : >"$1"';

/** Keeps one older file once the log exceeds 10 MiB. */
async function rotateLog(home: Home): Promise<void> {
  const size = statSync(home.log, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_LOG_BYTES) await runAs(home.user, '/bin/sh', ['-c', ROTATE, 'sh', home.log]);
}
