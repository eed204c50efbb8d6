/** Creates a cluster at the first start, in a staging directory that is renamed when complete; and has the settings of every start. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../database/errors.ts';
import { type Home, PORT, runAs } from './home.ts';

export const USER = 'airseries';
export const DATABASE = 'airseries';

/** Does nothing if the cluster exists. If two processes do this at once, the first to finish wins and the other discards its work. */
export async function createCluster(home: Home, bin: string, major: number): Promise<void> {
  if (existsSync(home.data)) return;
  const staging = join(home.directory, `draft-${randomUUID()}`);
  try {
    await initialize(home, bin, major, staging);
    // single-user mode needs no waiting for a server, and completes the cluster before any process can see it
    const single = ['--single', '-D', staging, '-c', 'exit_on_error=on', 'postgres'];
    await runAs(home.user, join(bin, 'postgres'), single, `create database ${DATABASE}\n`);
    renameSync(staging, home.data);
    sync(home.directory);
  } catch (error) {
    await runAs(home.user, 'rm', ['-rf', staging]);
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Text sorts by code point and upper/lower know every letter, the same on every system: with the built-in provider where there is one,
 * else the system's C.UTF-8, and C as the last resort.
 */
async function initialize(home: Home, bin: string, major: number, staging: string): Promise<void> {
  const locales = [['--locale=C.UTF-8'], ['--locale=C']];
  if (major >= 17) locales.unshift(['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']);
  // trust, because only the server's user and root can reach the socket
  const common = ['-D', staging, '-U', USER, '-E', 'UTF8', '--auth=trust', '--data-checksums', '--no-instructions'];
  for (const [index, locale] of locales.entries()) {
    try {
      await runAs(home.user, join(bin, 'initdb'), [...common, ...locale]);
      return;
    } catch (error) {
      if (index === locales.length - 1) throw error;
    }
  }
}

/** PostgreSQL syncs the files; we renamed the directory, so its parent is ours to sync. */
function sync(directory: string): void {
  const opened = openSync(directory, 'r');
  fsyncSync(opened);
  closeSync(opened);
}

/**
 * An eighth of the memory: the service, the other processes of the server and the system's cache need theirs.
 * @param limitBytes of the container; 0 or more than the machine has where there is none
 */
export function sharedMegabytes(machineBytes: number, limitBytes: number): number {
  const memory = Math.min(machineBytes, limitBytes || Number.POSITIVE_INFINITY);
  return Math.round(Math.min(Math.max(memory / 8 / 1_048_576, 64), 1_024));
}

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: `${sharedMegabytes(totalmem(), process.constrainedMemory())}MB`,
  work_mem: '32MB', // this and the next are sized for a machine with 2 GB
  maintenance_work_mem: '256MB',
  max_wal_size: '4GB', // so much only while a large network is computed
  checkpoint_timeout: '15min',
  jit: 'off', // compiling costs more than it saves on queries of milliseconds
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off', // the log is for problems
};

const TIMESCALE_SETTINGS = {
  shared_preload_libraries: 'timescaledb',
  'timescaledb.telemetry_level': 'off',
  'timescaledb.max_background_workers': '4',
};

/** The server's command line after the program: the data directory and every setting. */
export function serverArguments({ data, sockets }: Home, timescale: boolean): string[] {
  // PostgreSQL parses a list: unquoted, a comma or a space in the path would split it
  const directories = `"${sockets.replaceAll('"', '""')}"`;
  const own = { unix_socket_directories: directories, port: String(PORT) };
  const all = { ...SETTINGS, ...(timescale ? TIMESCALE_SETTINGS : {}), ...own };
  return ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
