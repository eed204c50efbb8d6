/**
 * The machines of src/database/cluster/README.md, on this one: each is an address of
 * the loopback network, so that all have the ports that the page names. The programs run with the
 * files of src/database/cluster; only names, folders and limits of time are replaced.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../support/patience.ts';
import { type Running, runProgram } from '../../support/program.ts';
import { kill } from '../../support/run/leftovers.ts';
import { listProcesses } from '../../support/run/processes.ts';
import { isRoot, serverUser, type User } from '../../support/users.ts';

const FILES = new URL('../../../src/database/cluster/', import.meta.url).pathname;
const NAMES = ['db1', 'db2', 'app1', 'app2'] as const;
export type Name = (typeof NAMES)[number];
export const DATABASES = ['db1', 'db2'] as const;
export const VOTERS = ['db1', 'db2', 'app1'] as const;

/** Seconds: half of the files' limits or less, so that the test is shorter. */
export const TTL = 15;
const LIMITS = { ttl: TTL, loop_wait: 3, retry_timeout: 5 };

export const PASSWORDS = {
  superuser: 'of the superuser',
  replication: 'of the replica',
  patroni: 'of patroni',
  service: 'of-the-service',
  api: 'of-the-api',
  reader: 'of-the-reader',
};

/** A member as Patroni lists it. */
export type Member = { name: string; role: string; state: string; lag?: number | string };

export type Machines = {
  addressOf(name: Name): string;
  /** Writes a file of the folder for a machine; returns its path. */
  place(file: string, name: Name): string;
  startEtcd(name: Name): void;
  startPatroni(name: Name): void;
  startHaproxy(name: Name): void;
  startPgbouncer(name: Name): void;
  /** Ends a program at once, as when it crashes. */
  kill(program: 'etcd' | 'haproxy' | 'patroni' | 'pgbouncer', name: Name): Promise<void>;
  /** Ends Patroni and its PostgreSQL at once, as when the machine fails. */
  killDatabase(name: Name): Promise<void>;
  /** Stops every process of a machine where it is, as a snapshot of a virtual machine does. */
  pause(name: Name): void;
  resume(name: Name): void;
  /** Empty while no Patroni answers. */
  members(): Promise<Member[]>;
  /** Resolves to the primary once it has a replica that commits wait for. */
  primaryWithReplica(): Promise<(typeof DATABASES)[number]>;
  /** Runs Patroni's own command. Rejects with its output if it fails. */
  patronictl(...words: string[]): Promise<void>;
  /** The output of the programs, for an error. */
  logs(): string;
  close(): Promise<void>;
};

export function openMachines(folder: string, bin: string, hasTimescale: boolean): Machines {
  const user = serverUser();
  const network = 16 + Math.floor(Math.random() * 200);
  const hosts: Record<Name, string> = {
    db1: `127.${network}.0.1`,
    db2: `127.${network}.0.2`,
    app1: `127.${network}.0.11`,
    app2: `127.${network}.0.12`,
  };
  const running = new Map<string, Running>();
  const folderOf = (name: Name) => join(folder, name);
  for (const name of NAMES) makeFolder(folderOf(name), user);

  function place(file: string, name: Name): string {
    const home = folderOf(name);
    const text = readFileSync(join(FILES, file), 'utf8')
      .replaceAll('THIS', name)
      .replaceAll(/\b(db1|db2|app1|app2)(?=:\d)/g, (host) => hosts[host as Name])
      .replaceAll(/\b(0\.0\.0\.0|127\.0\.0\.1)\b/g, hosts[name])
      .replaceAll('/usr/lib/postgresql/15/bin', bin)
      .replaceAll('/var/lib/etcd', join(home, 'etcd'))
      .replaceAll(/\/(var\/lib\/postgresql|var\/run\/postgresql|etc\/pgbouncer)/g, home)
      .replaceAll(
        /\b(ttl|loop_wait|retry_timeout): \d+/g,
        (_, limit: keyof typeof LIMITS) => `${limit}: ${LIMITS[limit]}`,
      );
    const path = join(home, file);
    writeFileSync(path, adapted(text, hasTimescale));
    chownSync(path, user.uid, user.gid);
    return path;
  }

  function run(program: string, name: Name, words: string[], environment = {}, as = user): void {
    const options = { environment: { LC_ALL: 'C.UTF-8', ...environment }, user: as };
    running.set(`${program} of ${name}`, runProgram([program, ...words], options));
  }

  const patroniEnvironment = (name: Name) => ({
    ...variablesOf(place('patroni.env', name)),
    PATRONI_SUPERUSER_PASSWORD: PASSWORDS.superuser,
    PATRONI_REPLICATION_PASSWORD: PASSWORDS.replication,
    PATRONI_RESTAPI_PASSWORD: PASSWORDS.patroni,
  });

  /** Patroni and PostgreSQL. */
  function databaseOf(name: Name): number[] {
    const { pid } = running.get(`patroni of ${name}`) ?? { pid: 0 };
    const postmaster = postmasterOf(join(folderOf(name), 'airseries'));
    return listProcesses()
      .filter((one) => [one.pid, one.parent].some((id) => id === pid || id === postmaster))
      .map((one) => one.pid);
  }

  /** Sends a signal to all processes of a machine with a database. */
  function signal(name: Name, kind: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = running.get(`etcd of ${name}`) ?? { pid: 0 };
    for (const one of [...databaseOf(name), pid]) if (one > 0) kill(one, kind);
  }

  const machines: Machines = {
    addressOf: (name) => hosts[name],
    place,
    startEtcd(name) {
      run('etcd', name, [], variablesOf(place('etcd.env', name)));
    },
    startPatroni(name) {
      run('patroni', name, [place('patroni.yml', name)], patroniEnvironment(name));
    },
    startHaproxy(name) {
      // it begins as root, and becomes the user of its file
      const as = isRoot() ? { uid: 0, gid: 0 } : user;
      run('haproxy', name, ['-db', '-f', place('haproxy.cfg', name)], {}, as);
    },
    startPgbouncer(name) {
      writeFileSync(join(folderOf(name), 'userlist.txt'), `"airseries_api" "${PASSWORDS.api}"\n`);
      run('pgbouncer', name, [place('pgbouncer.ini', name)]);
    },
    async kill(program, name) {
      const one = running.get(`${program} of ${name}`);
      one?.kill('SIGKILL');
      await one?.finished;
      running.delete(`${program} of ${name}`);
    },
    async killDatabase(name) {
      for (const pid of databaseOf(name)) kill(pid, 'SIGKILL');
      await machines.kill('patroni', name);
    },
    pause(name) {
      signal(name, 'SIGSTOP');
      signal(name, 'SIGSTOP'); // processes that were started meanwhile
    },
    resume(name) {
      signal(name, 'SIGCONT');
    },
    async members() {
      for (const name of DATABASES) {
        const answer = await fetch(`http://${hosts[name]}:8008/cluster`).catch(() => undefined);
        if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members;
      }
      return [];
    },
    async primaryWithReplica() {
      let primary: string | undefined;
      const isThere = async () => {
        const members = await machines.members();
        primary = members.find(({ role }) => role === 'leader')?.name;
        const replica = members.find(({ role }) => role === 'sync_standby');
        return primary !== undefined && replica?.lag === 0;
      };
      await until(isThere, 'there is a primary, with a replica that commits wait for');
      return primary as (typeof DATABASES)[number];
    },
    async patronictl(...words) {
      const command = ['patronictl', '-c', join(folderOf('db1'), 'patroni.yml'), ...words];
      const options = { environment: { ...patroniEnvironment('db1'), LC_ALL: 'C.UTF-8' } };
      const { code, stdout, stderr } = await runProgram(command, options).finished;
      // a refused switchover is only told in its output: it exits with 0
      if (code !== 0 || stdout.includes('failed, details'))
        throw new Error(`${command.join(' ')}: ${stdout}${stderr}`);
    },
    logs: () =>
      [...running].map(([name, { log }]) => `--- ${name}\n${log().slice(-3_000)}`).join('\n'),
    async close() {
      for (const name of DATABASES) await machines.killDatabase(name);
      for (const one of running.values()) one.kill('SIGKILL');
      await Promise.all([...running.values()].map(({ finished }) => finished));
    },
  };
  return machines;
}

function makeFolder(path: string, { uid, gid }: User): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
  chownSync(path, uid, gid);
}

/** A file with the changes that are needed because everything is on this machine. */
function adapted(text: string, hasTimescale: boolean): string {
  const hasUser = spawnSync('id', ['-u', 'haproxy']).status === 0;
  return text
    .split('\n')
    .filter((line) => hasTimescale || !/^\s+(shared_preload_libraries|timescaledb\.)/.test(line))
    .filter((line) => (isRoot() && hasUser) || !/^\s+(user|group) haproxy$/.test(line))
    .map((line) => line.replace('local all postgres peer', 'local all postgres trust'))
    .join('\n');
}

/** Lines `NAME=value`. */
function variablesOf(path: string): Record<string, string> {
  const lines = readFileSync(path, 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/** The id of the postmaster; 0 if there is no such process. */
function postmasterOf(data: string): number {
  const file = join(data, 'postmaster.pid');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
}
