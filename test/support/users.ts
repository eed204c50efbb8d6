/** The user who runs PostgreSQL in tests: root may not, so it has another do it. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

export type User = { uid: number; gid: number };

const currentUser = (): User => ({
  uid: process.getuid?.() ?? 0,
  gid: process.getgid?.() ?? 0,
});
export const isRoot = (): boolean => currentUser().uid === 0;

/** postgres or nobody. Throws if there is neither. */
export function unprivilegedUser(): User {
  const idOf = (flag: string, name: string) =>
    Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout?.trim());
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [idOf('-u', name), idOf('-g', name)];
    if (uid && gid) return { uid, gid };
  }
  throw new Error('root runs the tests, and there is no user "postgres" or "nobody" for servers');
}

/** The user who runs servers. */
export const serverUser = (): User => (isRoot() ? unprivilegedUser() : currentUser());

/** True if the user may enter the folder. Needs root, unless it is this user. */
export const canEnter = (user: User, folder: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/' }).status === 0;

/** The environment of a server's programs, which has nothing of this process. */
export const SERVER_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  // backends are new and small, and an eighth of their time went into page faults (16 of 132 s):
  // the tests of aggregates took 6.5 s of the kernel, and 5.7 with pages of 2 MB
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
};

/** Runs a program as a user. Rejects if it fails; the error has its stderr. */
export async function runAs(user: User, file: string, args: string[]): Promise<void> {
  const options = { ...user, cwd: '/', env: SERVER_ENVIRONMENT, timeout: 120_000 };
  await promisify(execFile)(file, args, options);
}
