/** Creates a cluster at the first start, in a draft that is renamed when complete; and has the settings of every start. */
import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../database/errors.ts';
import { type Home, PORT, runAs } from './home.ts';

export const USER = 'airseries';
export const DATABASE = 'airseries';

/** Does nothing if the cluster exists. If two processes do this at once, the first to finish wins and the other discards its work. */
export async function createCluster(
  { user, directory, data, major }: Home,
  bin: string,
): Promise<void> {
  if (existsSync(data)) return;
  const draft = join(directory, `draft-${randomUUID()}`);
  // text sorts by code point and upper/lower know every letter, the same on every system that has this locale
  const locale =
    major >= 17
      ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : [SYSTEM_LOCALE];
  // trust, because only the server's user and root can reach the socket
  const common = [
    '-D',
    draft,
    '-U',
    USER,
    '-E',
    'UTF8',
    '--auth=trust',
    '--data-checksums',
    '--no-instructions',
  ];
  try {
    await runAs(user, join(bin, 'initdb'), [...common, ...locale]);
    // single-user mode needs no waiting for a server, and completes the cluster before any process can see it
    const single = ['--single', '-D', draft, '-c', 'exit_on_error=on', 'postgres'];
    await runAs(user, join(bin, 'postgres'), single, `create database ${DATABASE}\n`);
    renameSync(draft, data);
  } catch (error) {
    await runAs(user, 'rm', ['-rf', draft]);
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

const SYSTEM_LOCALE = process.platform === 'darwin' ? '--locale=C' : '--locale=C.UTF-8';

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
  port: PORT,
  unix_socket_permissions: '0700',
  max_connections: 100,
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
  'timescaledb.max_background_workers': 4,
};

/** The server's command line after the program: the data directory and every setting. */
export function serverArguments({ kind, data, sockets }: Home): string[] {
  // PostgreSQL parses a list: unquoted, a comma or a space in the path would split it
  const unix_socket_directories = `"${sockets.replaceAll('"', '""')}"`;
  const settings = {
    ...SETTINGS,
    ...(kind === 'local' ? TIMESCALE_SETTINGS : {}),
    unix_socket_directories,
  };
  return [
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}
