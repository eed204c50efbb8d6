/**
 * Creates a cluster at the first start, in a draft that is renamed when complete; and has the
 * settings of every start.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { type Home, PORT, runAs } from './home.ts';

export const USER = 'airseries';
export const DATABASE = 'airseries';

/** The beginning of the names of clusters that are being made. */
const DRAFT = 'draft-';

/**
 * Does nothing if the cluster exists. If two processes do this at once, the first to finish wins,
 * and the other finds its draft gone or in vain. Where a cluster exists, every draft is useless:
 * its process was killed, or came second.
 */
export async function createCluster(home: Home, bin: string): Promise<void> {
  const { user, directory, data } = home;
  if (!existsSync(data)) {
    const draft = join(directory, `${DRAFT}${randomUUID()}`);
    try {
      await makeDraft(draft, home, bin);
      renameSync(draft, data);
    } catch (error) {
      if (!existsSync(data)) {
        await runAs(user, 'rm', ['-rf', draft]);
        throw error;
      }
    }
  }
  const drafts = readdirSync(directory).filter((name) => name.startsWith(DRAFT));
  // another process may still be writing to one: what it leaves, the next start removes
  if (drafts.length > 0)
    await runAs(user, 'rm', ['-rf', ...drafts.map((name) => join(directory, name))]).catch(
      () => undefined,
    );
}

/** Text sorts by code point and upper/lower know every letter, the same on every system. */
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

async function makeDraft(draft: string, { user }: Home, bin: string): Promise<void> {
  // trust, because only the server's user and root can reach the socket
  const common = ['-D', draft, '-U', USER, '-E', 'UTF8', '--auth=trust', '--data-checksums'];
  await runAs(user, join(bin, 'initdb'), [...common, '--no-instructions', ...LOCALE]);
  // single-user mode needs no waiting for a server, and completes the cluster before any process
  // can see it
  const single = ['--single', '-D', draft, '-c', 'exit_on_error=on', 'postgres'];
  await runAs(user, join(bin, 'postgres'), single, `create database ${DATABASE}\n`);
}

/**
 * An eighth of the memory: the service, the other processes of the server and the system's cache
 * need theirs.
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
  max_wal_size: '4GB', // this size is reached only while a large network is computed
  checkpoint_timeout: '15min',
  jit: 'off', // compiling costs more than it saves on queries of milliseconds
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off', // the log is for problems
};

/** The server's command line after the program: the data directory and every setting. */
export function serverArguments({ data, sockets }: Home): string[] {
  const settings = {
    ...SETTINGS,
    unix_socket_directories: quotedPath(sockets),
  };
  return [
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** PostgreSQL parses a list: unquoted, a comma or a space in the path would split it. */
const quotedPath = (path: string): string => `"${path.replaceAll('"', '""')}"`;
