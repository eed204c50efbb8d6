/**
 * A private PostgreSQL for a data directory, shared by all processes that use it: a service and any number of commands.
 * The first one starts it and the last one out ends it, also when that one is killed.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join as joinPath } from 'node:path';
import type { Log } from '../../log.ts';
import { createCluster, DATABASE, serverArguments, USER } from './cluster.ts';
import { findPlace, type Place, PORT } from './home.ts';
import { join, type Started } from './join.ts';
import { prepareToStart, reusedPid, startWrapper } from './postmaster.ts';
import { chooseProgram, type EmbeddedKind, type Program } from './program.ts';
import { keepServer, turnLog } from './supervise.ts';

export { findLocalTimescale } from './program.ts';
export type { EmbeddedKind };

export type EmbeddedServer = {
  kind: EmbeddedKind; // bundled: from npm, without TimescaleDB; local: an installed one with TimescaleDB Community
  version: string;
  socketDirectory: string;
  port: number;
  user: string; // the superuser of this private cluster
  database: string;
  startedHere: boolean; // false: another process had started it first
  /** Lets go. The server ends when the last user lets go; if that was us, resolves when it is down. */
  release(): Promise<void>;
};

export type EmbeddedOptions = { dataDirectory: string; kind?: EmbeddedKind; log: Log };

export async function openEmbeddedServer({ dataDirectory, kind, log }: EmbeddedOptions): Promise<EmbeddedServer> {
  if (process.platform === 'win32') {
    throw new Error('The embedded PostgreSQL does not run on Windows. Set DATABASE_URL, or use WSL or Docker.');
  }
  const program = await chooseProgram(kind);
  const name = `${program.kind}-${program.major}`;
  const place = await findPlace(dataDirectory, name, log);
  const enter = () => join(place, () => start(program, place, log));
  const joined = await enter();
  const { startedHere } = joined;
  const { pid, port, socketDirectory } = joined.postmaster;
  const kept = keepServer(place, joined, enter, log);
  const verb = startedHere ? 'started' : 'joined';
  log.info({ directory: place.home, version: program.version, pid }, `embedded PostgreSQL ${verb}: ${name}`);
  let released: Promise<void> | undefined;
  return {
    kind: program.kind,
    version: program.version,
    socketDirectory,
    port,
    user: USER,
    database: DATABASE,
    startedHere,
    release: () => (released ??= kept.release()),
  };
}

async function start(program: Program, place: Place, log: Log): Promise<Started> {
  const bin = await program.bin(place.user);
  if (!existsSync(place.data)) warnOfOthers(place, log);
  await prepareToStart(place);
  await turnLog(place);
  requirePrivate(place);
  await createCluster(place, bin, program.major);
  const command = serverArguments(program.kind === 'local', place.data, { sockets: place.sockets, port: PORT });
  return startWrapper(place, [joinPath(bin, 'postgres'), ...command], reusedPid(place));
}

/** The socket is the only door, and it has no lock: its directory must let nobody else in. */
function requirePrivate(place: Place): void {
  const found = lstatSync(place.sockets);
  if (found.isDirectory() && found.uid === place.user.uid && (found.mode & 0o077) === 0) return;
  throw new Error(
    `${place.sockets}, the directory for the socket, must belong to user ${place.user.uid} alone. Remove it.`,
  );
}

/** A newly installed TimescaleDB, or a new major version, begins with an empty cluster; that should surprise nobody. */
function warnOfOthers(place: Place, log: Log): void {
  const base = dirname(place.home);
  const others = readdirSync(base).filter((name) => existsSync(joinPath(base, name, 'data')));
  if (others.length === 0) return;
  log.warn(
    { others, directory: place.home },
    'creating a new, empty cluster; EMBEDDED_PG=bundled or local selects another',
  );
}
