/**
 * Finds or makes the home of a cluster: a directory for each kind of server and major version, private to the user who runs the server,
 * because anyone who can enter it may connect as superuser. PostgreSQL refuses to run as root, so root gives the home to an unprivileged
 * user.
 */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../database/errors.ts';
import { checkFolder, makeFolders, whyUnusable } from '../folder.ts';
import type { Log } from '../log.ts';

/** All paths are absolute. The names on disk must not change, because processes of older versions may use the same home. */
export type Home = {
  user: ServerUser;
  directory: string;
  data: string; // PostgreSQL's own data directory
  sockets: string;
  log: string;
};

/** `bundled`: the one from npm, without TimescaleDB; `local`: an installed one with TimescaleDB Community. */
export type EmbeddedKind = 'bundled' | 'local';

/** Who runs the server. */
export type ServerUser = { uid: number; gid: number };

/** Where root keeps files of ours that the server's user could not reach elsewhere. */
export const ROOT_BASE = '/var/lib/airseries';
export const PORT = 5432; // only names the socket; nothing listens on the network
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
const TIMEOUT_MS = 120_000;

/**
 * The home called `name` in the data directory; creates both. As root, where the server's user cannot reach the data directory, the
 * home is below /var/lib/airseries instead. Throws, with a remedy, if another user owns the home or its own user cannot enter it.
 */
export async function findHome(dataDirectory: string, name: string, log: Log): Promise<Home> {
  withDataDirErrors(dataDirectory, () => makePath(resolve(dataDirectory)));
  const base = realpathSync(dataDirectory); // every process must derive the same names
  const inside = join(base, name);
  const outside = join(outsideOf(base), name);
  // an existing cluster is never abandoned for an empty one elsewhere, even if permissions have changed since
  let directory = isRoot() ? [inside, outside].find((path) => existsSync(path)) : inside;
  directory ??= (await canReach(unprivilegedUser(), base)) ? inside : outside;
  if (directory === outside) {
    log.info(
      { directory },
      'data are stored here because the user that runs PostgreSQL cannot access the data directory',
    );
  }
  const user = withDataDirErrors(dataDirectory, () => makePrivate(directory));
  if (!(await canReach(user, directory))) {
    throw new Error(
      `User ${user.uid}, who owns the cluster in ${directory}, cannot enter it. ` +
        'Give that user the right to enter (x) the directories above it, or set DATABASE_URL.',
    );
  }
  const [data, serverLog] = [join(directory, 'data'), join(directory, 'server.log')];
  return { user, directory, data, sockets: socketsOf(directory), log: serverLog };
}

/** Runs `work`, which makes folders. An error of the system is thrown as one with a remedy. */
function withDataDirErrors<T>(dataDirectory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === '') throw error;
    const why = whyUnusable(`DATA_DIR (${dataDirectory})`, error);
    throw new Error(`${why}. Choose a folder that this user may write to, or set DATABASE_URL.`, { cause: error });
  }
}

/** A database that a server was started for: its home is called `bundled-18`, say. */
export type Cluster = { kind: EmbeddedKind; major: number; home: string };

/** Every cluster of the data directory. Creates nothing. Throws, with a remedy, if this user may not see them. */
export function findClusters(dataDirectory: string): Cluster[] {
  if (!withDataDirErrors(dataDirectory, () => checkFolder(dataDirectory))) return [];
  const base = realpathSync(dataDirectory);
  const bases = [base, outsideOf(base)].filter((folder) => existsSync(folder));
  const names = bases.flatMap((folder) => visible(folder, () => readdirSync(folder)));
  return [...new Set(names)].toSorted().flatMap((name) => {
    const [, kind, major] = /^(bundled|local)-(\d+)$/.exec(name) ?? [];
    const homes = kind === undefined ? [] : bases.map((folder) => join(folder, name));
    const home = homes.find((path) => visible(path, () => statSync(join(path, 'data'), { throwIfNoEntry: false })));
    return home ? [{ kind: kind as EmbeddedKind, major: Number(major), home }] : [];
  });
}

/** Returns the result of `look`. Where this user has no right to look, throws an Error that says who has. */
function visible<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    throw new Error(
      `There may be a database in ${path} (DATA_DIR), but it belongs to ${userName(lstatSync(path).uid)}, and this is ${userName(currentUser().uid)}: ` +
        'only its owner and root can see it. Run the command as the user who started the service, such as root (sudo), or choose another DATA_DIR.',
    );
  }
}

/** The number stands for a user that has no name. */
function userName(uid: number): string {
  const { status, stdout } = spawnSync('id', ['-nu', String(uid)], { encoding: 'utf8' });
  return status === 0 ? `user ${stdout.trim()}` : `user ${uid}`;
}

const outsideOf = (base: string): string => join(ROOT_BASE, shortHash(base));

/** The folder of the socket of a home's server. */
export function socketsOf(home: string): string {
  const run = join(home, 'run');
  const fits = Buffer.byteLength(join(run, `.s.PGSQL.${PORT}`)) <= MAX_SOCKET_PATH_BYTES;
  return fits ? run : `/tmp/airseries-${shortHash(home)}`; // not TMPDIR, which may differ between processes
}

/** Makes the home if needed and returns its owner. Root gives it away, but only while it is empty. */
function makePrivate(home: string): ServerUser {
  makePath(dirname(home));
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const entries = readdirSync(home); // read before the owner: another process may be giving it away and filling it
  const { uid, gid } = lstatSync(home);
  if (!isRoot()) {
    if (uid === currentUser().uid) return currentUser();
    throw new Error(`${home} belongs to ${userName(uid)}. Run this as that user, or choose another DATA_DIR.`);
  }
  if (uid !== 0) return { uid, gid };
  if (entries.length > 0) {
    throw new Error(`${home} is not a cluster of airseries. Move it away, or choose another DATA_DIR.`);
  }
  const user = unprivilegedUser();
  lchownSync(home, user.uid, user.gid);
  return user;
}

/** Makes the directory and those above it. Those that root makes are open to the server's user, whatever the umask. */
export function makePath(path: string): void {
  const made = makeFolders(path);
  if (!isRoot()) return;
  for (const each of made) chmodSync(each, 0o755);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The user and group of this process. */
export function currentUser(): ServerUser {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** True if this process runs as root. */
export function isRoot(): boolean {
  return currentUser().uid === 0;
}

/** The user for a cluster that root creates: postgres or nobody. Later starts use the cluster's owner. Throws if neither user exists. */
export function unprivilegedUser(): ServerUser {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => {
      const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
      return status === 0 ? Number(stdout) : Number.NaN;
    });
    if (uid && gid) return { uid, gid };
  }
  throw new Error(
    'The embedded PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as. ' +
      'Start airseries as an ordinary user, or set DATABASE_URL.',
  );
}

/** The environment of the server's programs: a fresh one, so that they do not inherit the service's secrets. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
}

/**
 * Runs a program as the server's user and resolves to its stdout. Rejects if it fails (the error has its stderr) or takes over two minutes.
 */
export async function runAs(user: ServerUser, file: string, args: string[], input = ''): Promise<string> {
  const options = { ...user, cwd: '/', env: serverEnvironment(), timeout: TIMEOUT_MS };
  const running = promisify(execFile)(file, args, options);
  running.child.stdin?.on('error', () => {}).end(input); // a program that reads nothing may have exited already
  return (await running).stdout;
}

/** True if the user may enter the directory. Needs root, unless the user is our own. */
export async function canReach(user: ServerUser, directory: string): Promise<boolean> {
  return runAs(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', directory]).then(
    () => true,
    () => false,
  );
}
