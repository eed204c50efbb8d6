/**
 * The server as its `postmaster.pid` and its log tell it. The file survives a power loss and its process id may then belong to
 * anybody, so nothing here trusts the id alone. The file is PostgreSQL's: nobody else writes or deletes it.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Place } from './place.ts';

export type Postmaster = { pid: number; port: number; socketDirectory: string; ready: boolean };

export function readPostmaster(place: Place): Postmaster | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(place.data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const [pid, , , port, socketDirectory, , , status] = lines;
  if (!(Number(pid) > 0)) return undefined; // a file that is just being written
  return {
    pid: Number(pid),
    port: Number(port),
    socketDirectory: socketDirectory ?? '',
    ready: status?.trim() === 'ready',
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process id of the live server of this cluster, if there is one. */
export function liveServer(place: Place): number | undefined {
  const pid = readPostmaster(place)?.pid;
  return pid !== undefined && isServer(pid, place) ? pid : undefined;
}

/** The process id in the file if a stranger has it by now. PostgreSQL would take that stranger for a running server. */
export function reusedPid(place: Place): number | undefined {
  const pid = readPostmaster(place)?.pid;
  return pid !== undefined && isAlive(pid) && !isServer(pid, place) ? pid : undefined;
}

function isServer(pid: number, place: Place): boolean {
  try {
    if (process.platform === 'linux') {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const directory = words[words.indexOf('-D') + 1];
      const ours = basename(words[0] ?? '') === 'postgres' && directory === place.data;
      return ours && statSync(`/proc/${pid}`).uid === place.user.uid;
    }
    const shown = execFileSync('ps', ['-ww', '-o', 'uid=,args=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return Number.parseInt(shown, 10) === place.user.uid && shown.includes(`/postgres -D ${place.data} `);
  } catch {
    return false; // no such process
  }
}

const LINES = 10;

export function lastLines(place: Place): string {
  try {
    const lines = readFileSync(place.log, 'utf8').trimEnd().split('\n').slice(-LINES);
    return `The last lines of ${place.log}:\n${lines.join('\n')}`;
  } catch {
    return `There is no log in ${place.log}.`;
  }
}

/** The system's name for what went wrong, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
