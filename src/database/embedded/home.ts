/**
 * Where a cluster lives and whose it is. One home per server kind and major version, all of it private to the server's
 * user: whoever can enter it may connect as superuser, so nobody else can.
 */

import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '../../log.ts';
import { errorCode } from './postmaster.ts';

export type Place = {
  user: ServerUser;
  home: string;
  data: string; // PostgreSQL's own data directory
  lifeline: string;
  answers: string; // where the watcher of the lifeline answers
  sockets: string;
  log: string;
};

const ROOT_BASE = '/var/lib/airseries';
export const PORT = 5432; // only names the socket; nothing listens on the network
const LONGEST_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;

export async function findPlace(dataDirectory: string, name: string, log: Log): Promise<Place> {
  makePath(resolve(dataDirectory));
  const base = realpathSync(dataDirectory); // every process must come to the same names
  if (!isRoot()) return placeAt(ownHome(join(base, name)), currentUser());

  const inside = join(base, name);
  const outside = join(ROOT_BASE, shortHash(base), name);
  // A cluster that exists is never left behind for an empty one elsewhere, whatever the permissions are by now.
  let home = [inside, outside].find((path) => existsSync(path));
  home ??= (await canReach(unprivilegedUser(), base)) ? inside : outside;
  if (home === outside) {
    log.info(
      { directory: home },
      'data are stored here because the user that runs PostgreSQL cannot access the data directory',
    );
  }
  const user = handOver(home);
  if (await canReach(user, home)) return placeAt(home, user);
  throw new Error(
    `User ${user.uid}, who owns the cluster in ${home}, cannot enter it. ` +
      'Give that user the right to enter (x) the directories above it, or set DATABASE_URL.',
  );
}

function placeAt(home: string, user: ServerUser): Place {
  const run = join(home, 'run');
  const fits = Buffer.byteLength(socketPath(run)) <= LONGEST_SOCKET_PATH;
  return {
    user,
    home,
    data: join(home, 'data'),
    lifeline: join(run, 'lifeline'),
    answers: join(run, 'answers'),
    sockets: fits ? run : `/tmp/airseries-${shortHash(home)}`, // not TMPDIR, which may differ between processes
    log: join(home, 'server.log'),
  };
}

function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${PORT}`);
}

function ownHome(home: string): string {
  makeDirectory(home, 0o700);
  if (lstatSync(home).uid === currentUser().uid) return home;
  throw new Error(`${home} belongs to user ${lstatSync(home).uid}. Run this as that user, or choose another DATA_DIR.`);
}

/** As root: the home exists afterwards and belongs to the server's user. Only a new home changes its owner. */
function handOver(home: string): ServerUser {
  makePath(dirname(home));
  makeDirectory(home, 0o700);
  const entries = readdirSync(home); // read before the owner: another process may be handing it over and filling it
  const found = lstatSync(home);
  if (found.isDirectory() && found.uid !== 0) return { uid: found.uid, gid: found.gid };
  if (!found.isDirectory() || entries.length > 0) {
    throw new Error(`${home} is not a cluster of airseries. Move it away, or choose another DATA_DIR.`);
  }
  const user = unprivilegedUser();
  lchownSync(home, user.uid, user.gid);
  return user;
}

/** Directories that root makes stay open for the server's user even if the umask would close them. */
function makePath(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined || !isRoot()) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) chmodSync(made, 0o755);
}

function makeDirectory(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Who runs the server. PostgreSQL refuses to run as root, so root hands it to an unprivileged user of the system. */

export type ServerUser = { uid: number; gid: number };

const TIMEOUT_MS = 120_000;

export function currentUser(): ServerUser {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

export function isRoot(): boolean {
  return currentUser().uid === 0;
}

/** The user for a cluster that root creates. Every later start takes the owner of the cluster instead. */
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

/** Only what the server needs: its environment must not carry the service's secrets. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' };
}

/** Runs a program to its end as the server's user; the error of a failed one carries what it wrote to stderr. */
export async function runAs(user: ServerUser, file: string, args: string[], input = ''): Promise<string> {
  const options = { ...user, cwd: '/', env: serverEnvironment(), timeout: TIMEOUT_MS };
  const running = promisify(execFile)(file, args, options);
  running.child.stdin?.on('error', () => {}).end(input); // a program that reads nothing may be gone by now
  return (await running).stdout;
}

export async function canReach(user: ServerUser, directory: string): Promise<boolean> {
  return runAs(user, '/bin/sh', ['-c', 'cd "$1"', 'sh', directory]).then(
    () => true,
    () => false,
  );
}
