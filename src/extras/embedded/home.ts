/**
 * The home of a cluster: a directory for each major version. Only the user who runs the server may
 * enter it, because anyone who can is a superuser. PostgreSQL refuses to run as root, so root gives
 * the home to an unprivileged user.
 */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makeFolders, whyUnusable } from '../../base/folder.ts';
import { errorCode } from '../../database/errors.ts';

/** Who runs the server. */
export type ServerUser = { uid: number; gid: number };

/**
 * All paths are absolute. The names on disk must not change, because processes of older versions
 * may use the same home.
 */
export type Home = {
  major: number;
  user: ServerUser;
  directory: string;
  data: string; // PostgreSQL's own data directory
  sockets: string;
  log: string;
};

/** Where root keeps files of airseries that the server's user could not reach elsewhere. */
export const ROOT_BASE = '/var/lib/airseries';
export const PORT = 5432; // only names the socket; nothing listens on the network
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
const NAME = /\/(?:bundled|local)-(\d{1,3})$/;

/**
 * Every home of the data directory that has a cluster. Creates nothing. Throws, with a remedy, if
 * this user may not see them.
 */
export function findHomes(dataDirectory: string): Home[] {
  const found = withDataDirErrors(dataDirectory, () =>
    statSync(dataDirectory, { throwIfNoEntry: false }),
  );
  if (found === undefined) return [];
  const base = realpathSync(dataDirectory);
  const parents = [base, outsideOf(base)].filter((parent) => existsSync(parent));
  const paths = parents.flatMap((parent) =>
    // a file cannot be listed
    withDataDirErrors(dataDirectory, () => visible(parent, () => readdirSync(parent))).map((name) =>
      join(parent, name),
    ),
  );
  const hasCluster = (path: string) =>
    visible(path, () => statSync(join(path, 'data'), { throwIfNoEntry: false })) !== undefined;
  return paths
    .filter((path) => NAME.test(path) && hasCluster(path))
    .toSorted()
    .map(homeAt);
}

/**
 * Makes the home of a cluster that is still to be made. As root, where the server's user cannot
 * enter the data directory, it is below /var/lib/airseries instead.
 */
export function makeHome(dataDirectory: string, major: number): Home {
  const user = isRoot() ? unprivilegedUser() : currentUser();
  return withDataDirErrors(dataDirectory, () => {
    makePath(resolve(dataDirectory));
    const base = realpathSync(dataDirectory); // every process must derive the same names
    const parent = isRoot() && !canEnter(user, base) ? outsideOf(base) : base;
    makePath(parent);
    const directory = join(parent, `bundled-${major}`);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (lstatSync(directory).uid === 0) lchownSync(directory, user.uid, user.gid);
    return homeAt(directory);
  });
}

function homeAt(directory: string): Home {
  const [, major] = NAME.exec(directory) ?? [];
  // only root may take any group: the directory's need not be one of its owner's
  const { uid, gid } = isRoot() ? lstatSync(directory) : currentUser();
  const run = join(directory, 'run');
  const fits = Buffer.byteLength(join(run, `.s.PGSQL.${PORT}`)) <= MAX_SOCKET_PATH_BYTES;
  return {
    major: Number(major),
    user: { uid, gid },
    directory,
    data: join(directory, 'data'),
    // not TMPDIR, which may differ between processes
    sockets: fits ? run : `/tmp/airseries-${shortHash(directory)}`,
    log: join(directory, 'server.log'),
  };
}

const outsideOf = (base: string): string => join(ROOT_BASE, shortHash(base));

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

/**
 * Makes the directory and those above it. Those that root makes are open to the server's user,
 * whatever the umask.
 */
export function makePath(path: string): void {
  for (const made of makeFolders(path)) if (isRoot()) chmodSync(made, 0o755);
}

/**
 * Runs `work` on folders of the data directory. An error of the system is thrown as one with a
 * remedy.
 */
function withDataDirErrors<T>(dataDirectory: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (errorCode(error) === '') throw error;
    const why = whyUnusable(`DATA_DIR (${dataDirectory})`, error);
    throw new Error(`${why}. Choose a folder that this user may write to, or set DATABASE_URL.`, {
      cause: error,
    });
  }
}

/**
 * Returns the result of `look`. Where this user has no right to look, throws an Error that says who
 * has.
 */
function visible<T>(path: string, look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error;
    const owner = nameOf(lstatSync(path).uid);
    const user = nameOf(currentUser().uid);
    throw new Error(
      `There may be a database in ${path} (DATA_DIR), but it belongs to user ${owner}, and this is user ${user}: ` +
        'only its owner and root can see it. Run the command as the user who started the service, such as root (sudo), or choose another DATA_DIR.',
    );
  }
}

/** The user and group of this process. */
export const currentUser = (): ServerUser => ({
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
});

/** True if this process runs as root. */
export const isRoot = (): boolean => currentUser().uid === 0;

/**
 * The user for a cluster that root creates: postgres or nobody. Later starts use the cluster's
 * owner. Throws if neither user exists.
 */
export function unprivilegedUser(): ServerUser {
  for (const name of ['postgres', 'nobody']) {
    const uid = Number(idOf('-u', name));
    const gid = Number(idOf('-g', name));
    if (uid && gid) return { uid, gid };
  }
  throw new Error(
    'The embedded PostgreSQL does not run as root, and there is no user "postgres" or "nobody" to run it as. ' +
      'Start airseries as an ordinary user, or set DATABASE_URL.',
  );
}

/** The name of a user, or its number if it has none. */
const nameOf = (uid: number): string => idOf('-nu', uid) || String(uid);

/** The output of `id`; empty for a user that does not exist. */
const idOf = (flag: string, user: string | number): string =>
  spawnSync('id', [flag, String(user)], { encoding: 'utf8' }).stdout?.trim() ?? '';

/**
 * The programs of the server get a fresh environment, so that they do not inherit the service's
 * secrets.
 */
export const SERVER_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };

/**
 * Runs a program as the server's user. Rejects if it fails (the error has its stderr) or takes over
 * two minutes.
 */
export async function runAs(
  user: ServerUser,
  file: string,
  args: string[],
  input = '',
): Promise<void> {
  const running = promisify(execFile)(file, args, {
    ...user,
    cwd: '/',
    env: SERVER_ENVIRONMENT,
    timeout: 120_000,
  });
  // a program that reads nothing may have exited already
  running.child.stdin?.on('error', () => {}).end(input);
  await running;
}

/** True if the user may enter the directory. Needs root, unless the user is our own. */
export const canEnter = (user: ServerUser, directory: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { ...user, cwd: '/' }).status === 0;
