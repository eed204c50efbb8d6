/**
 * A folder in memory for a run of tests. A run makes and drops hundreds of databases of 450 files
 * each, and for every new file ext4 looks past all inodes that were deleted in the last minute: on
 * disk a run with TimescaleDB took 424 s, of which the kernel 222 of processor, in memory 359 and
 * 117.
 */
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { availableMemory } from 'node:process';

const FOLDER = '/dev/shm';
const GIGABYTE = 1024 ** 3;
/** A run takes 0.6 GB, and its servers write 4 GB of WAL before a checkpoint if asked to. */
const NEEDED_ROOM = 6 * GIGABYTE;
/** The files in the folder, and the processes beside it. */
const NEEDED_MEMORY = 8 * GIGABYTE;

/** The folder in memory; undefined without one, as in most containers, or with little memory. */
export function roomInMemory(): string | undefined {
  try {
    accessSync(FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(FOLDER);
    const isRoomy = bavail * bsize >= NEEDED_ROOM && availableMemory() >= NEEDED_MEMORY;
    return isRoomy && runsPrograms() ? FOLDER : undefined;
  } catch {
    return undefined; // not Linux
  }
}

/** Tests install the package in a temporary folder, and run it. */
function runsPrograms(): boolean {
  const mount = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .findLast((line) => line.split(' ')[1] === FOLDER);
  return mount?.startsWith('tmpfs ') === true && !/\bnoexec\b/.test(mount);
}
