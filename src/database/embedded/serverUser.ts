/** Who runs the server. PostgreSQL refuses to run as root, so root hands it to an unprivileged user of the system. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

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
