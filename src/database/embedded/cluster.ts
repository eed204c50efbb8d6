/** A cluster: made aside at the first start and put in place whole, and the settings that every start gives it. */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Place, runAs } from './home.ts';
import { errorCode } from './postmaster.ts';

export const USER = 'airseries';
export const DATABASE = 'airseries';

const ABANDONED_MS = 3_600_000;

/** Two processes may do this at once: the first to finish wins, the other throws its work away. */
export async function createCluster(place: Place, bin: string, major: number): Promise<void> {
  if (existsSync(place.data)) return;
  await removeAbandoned(place);
  const draft = join(place.home, `draft-${randomUUID()}`);
  try {
    await initialize(place, bin, major, draft);
    // Without a server there is no waiting for one, and the cluster is complete before anybody can see it.
    const single = ['--single', '-D', draft, '-c', 'exit_on_error=on', 'postgres'];
    await runAs(place.user, join(bin, 'postgres'), single, `create database ${DATABASE}\n`);
    renameSync(draft, place.data);
    sync(place.home);
  } catch (error) {
    await remove(place, draft);
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * Text sorts by code point and knows the case of every letter, the same on every system: the built-in provider where
 * there is one, the system's C.UTF-8 where it exists, and C as the last resort.
 */
async function initialize(place: Place, bin: string, major: number, draft: string): Promise<void> {
  const locales = [['--locale=C.UTF-8'], ['--locale=C']];
  if (major >= 17) locales.unshift(['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']);
  // Trust, because the socket is within reach of the server's user and root only.
  const common = ['-D', draft, '-U', USER, '-E', 'UTF8', '--auth=trust', '--data-checksums', '--no-instructions'];
  for (const [index, locale] of locales.entries()) {
    try {
      await runAs(place.user, join(bin, 'initdb'), [...common, ...locale]);
      return;
    } catch (error) {
      if (index === locales.length - 1) throw error;
    }
  }
}

/** PostgreSQL syncs what it writes; the new name is ours to sync. */
function sync(directory: string): void {
  const opened = openSync(directory, 'r');
  fsyncSync(opened);
  closeSync(opened);
}

/** Drafts of processes that were killed while they made them. A younger one may still be in the making. */
async function removeAbandoned(place: Place): Promise<void> {
  const drafts = readdirSync(place.home).filter((name) => name.startsWith('draft-'));
  for (const draft of drafts.map((name) => join(place.home, name))) {
    const age = Date.now() - (statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > ABANDONED_MS) await remove(place, draft);
  }
}

async function remove(place: Place, directory: string): Promise<void> {
  await runAs(place.user, 'rm', ['-rf', directory]);
}

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '50',
  // Sized for a machine with 2 GB that also runs the service.
  shared_buffers: '256MB',
  work_mem: '32MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  jit: 'off', // compiling costs more than it saves on queries of milliseconds
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off', // the log is for what went wrong
};

const TIMESCALE_SETTINGS = {
  shared_preload_libraries: 'timescaledb',
  'timescaledb.telemetry_level': 'off',
  'timescaledb.max_background_workers': '4',
};

export function serverArguments(
  timescale: boolean,
  data: string,
  { sockets, port }: { sockets: string; port: number },
): string[] {
  // A list to PostgreSQL: without the quotes a comma or a blank in the path would split it.
  const directories = `"${sockets.replaceAll('"', '""')}"`;
  const own = { unix_socket_directories: directories, port: String(port) };
  const all = { ...SETTINGS, ...(timescale ? TIMESCALE_SETTINGS : {}), ...own };
  return ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
