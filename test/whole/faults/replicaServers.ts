/**
 * A primary and its streaming replicas, each a server of its own that a test stops, pauses and
 * promotes as it likes.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Sql } from '../../../src/database/client.ts';
import type { Engine } from '../../../src/schema/aggregates.ts';
import { freePort } from '../../support/freePort.ts';
import { until } from '../../support/patience.ts';
import { findLocalTimescale, localProgram } from '../../support/run/localServer.ts';
import { makeCluster, packagedProgram } from '../../support/run/postgres.ts';
import { isRoot, SERVER_ENVIRONMENT, type User } from '../../support/users.ts';

export type Member = {
  /** `127.0.0.1:5433`. */
  host: string;
  /** The address for the superuser. */
  url: string;
  /** A connection that ends with the server. */
  sql(): Sql;
  start(): Promise<void>;
  /** Stops it at once, as when the machine fails. */
  stop(): Promise<void>;
  /** Stops and resumes replaying; resolves once it has. */
  pause(): Promise<void>;
  resume(): Promise<void>;
};

export type Cluster = {
  primary: Member;
  replicas: Member[];
  /** Resolves when these have replayed everything that the primary has written. */
  caughtUp(members?: Member[]): Promise<void>;
  /** Stops and removes all of them. */
  close(): Promise<void>;
};

/** True if such servers can be started here: a named server may be on another machine. */
export const canReplicate = async (engine: Engine) =>
  engine === 'plain' || (await findLocalTimescale()) !== undefined;

/** Their data need not survive, and they wait less than a second for anything. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  fsync: 'off',
  autovacuum: 'off',
  wal_retrieve_retry_interval: '100ms',
  max_wal_senders: '8',
  timezone: 'UTC',
};
const TIMESCALE_SETTINGS = {
  shared_preload_libraries: 'timescaledb',
  'timescaledb.telemetry_level': 'off',
};

/** Opens a primary and two replicas. `prepare` fills the database before it is copied. */
export async function openCluster(
  engine: Engine,
  prepare: (url: string) => Promise<unknown>,
): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'airseries-replicas-'));
  chmodSync(folder, 0o755); // as root, the servers run as another user and must get in
  const all: Member[] = [];
  const close = async () => {
    await Promise.all(all.map((member) => member.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { ...(await openMembers(folder, all, engine, prepare)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openMembers(
  folder: string,
  all: Member[],
  engine: Engine,
  prepare: (url: string) => Promise<unknown>,
): Promise<Omit<Cluster, 'close'>> {
  const local = engine === 'plain' ? undefined : await findLocalTimescale();
  const program = local === undefined ? packagedProgram() : localProgram(local);
  const { bin, data: ofPrimary, user } = await makeCluster(program, join(folder, 'primary'));
  const settings = engine === 'plain' ? SETTINGS : { ...SETTINGS, ...TIMESCALE_SETTINGS };
  const make = async (data: string) => {
    const member = makeMember(join(bin, 'postgres'), data, await freePort(), user, settings);
    all.push(member);
    return member;
  };

  const primary = await make(ofPrimary);
  await primary.start();
  const first = connect(primary.url.replace(/airseries$/, 'postgres'), {});
  await first`create database airseries`;
  await first.end();
  await prepare(primary.url);
  await primary.sql()`checkpoint`;
  await primary.stop();
  const replicas: Member[] = [];
  for (const name of ['first', 'second']) {
    const data = join(folder, name);
    execFileSync('cp', ['-a', ofPrimary, data]);
    const [address, port] = primary.host.split(':');
    const conninfo = `primary_conninfo = 'host=${address} port=${port} user=airseries'\n`;
    appendFileSync(join(data, 'postgresql.auto.conf'), conninfo);
    // with its owner
    execFileSync('cp', ['-a', join(data, 'PG_VERSION'), join(data, 'standby.signal')]);
    replicas.push(await make(data));
  }
  await Promise.all(all.map((member) => member.start()));
  const isThere = async (member: Member, position: string) => {
    const [row] =
      await member.sql()`select pg_last_wal_replay_lsn() >= ${position}::text::pg_lsn as done`;
    return row?.done === true;
  };
  return {
    primary,
    replicas,
    async caughtUp(members = replicas) {
      const [row] = await primary.sql()`select pg_current_wal_lsn()::text as position`;
      const areThere = async () =>
        (await Promise.all(members.map((member) => isThere(member, row?.position)))).every(Boolean);
      await until(areThere, 'the replicas have caught up');
    },
  };
}

function makeMember(
  program: string,
  data: string,
  port: string,
  user: User,
  settings: Record<string, string>,
): Member {
  const host = `127.0.0.1:${port}`;
  const url = `postgres://airseries@${host}/airseries`;
  const words = Object.entries({ ...settings, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  let server: ChildProcess | undefined;
  let connection: Sql | undefined;
  const sql = () => {
    connection ??= connect(url, { name: 'airseries test' });
    return connection;
  };
  const replay = async (call: string, wanted: string) => {
    await sql().unsafe(`select ${call}()`);
    const isDone = async () =>
      (await sql()`select pg_get_wal_replay_pause_state() as state`)[0]?.state === wanted;
    await until(isDone, `replay is ${wanted}`);
  };
  return {
    host,
    url,
    sql,
    async start() {
      const identity = isRoot() ? user : {};
      server = spawn(program, ['-D', data, ...words], {
        ...identity,
        env: SERVER_ENVIRONMENT,
        stdio: 'ignore',
      });
      const answers = () =>
        sql()`select`.then(
          () => true,
          () => false,
        );
      await until(answers, `the server at ${host} answers`);
    },
    async stop() {
      await connection?.end({ timeout: 0 });
      connection = undefined;
      const stopping = server;
      server = undefined;
      if (stopping === undefined) return;
      const ended = new Promise((resolve) => stopping.once('close', resolve));
      stopping.kill('SIGQUIT');
      await ended;
    },
    pause: () => replay('pg_wal_replay_pause', 'paused'),
    resume: () => replay('pg_wal_replay_resume', 'not paused'),
  };
}
