/** Connections to PostgreSQL: a pool, or one for a piece of work. */
import type { Socket } from 'node:net';
import postgres from 'postgres';
import { type DatabaseAddress, hasPooler, type SocketAddress, withoutPooler } from './address.ts';
import { DRIVER_TYPES } from './arrays.ts';
import { errorCode } from './errors.ts';
import { withLivenessProbe } from './liveness.ts';
import { type Session, sessionSettings, trackedSettings } from './session.ts';

/**
 * A client of the driver. Timestamps come out as ISO 8601 text with the offset of the session's
 * zone, in whole seconds (Z2).
 */
export type Sql = postgres.Sql<{ timestamptz: string }>;
/** Like Sql, without the methods that would leave the transaction. */
export type TransactionSql = Sql &
  Pick<postgres.TransactionSql<{ timestamptz: string }>, 'savepoint'>;

export type ConnectOptions = Session & {
  /** How many connections the pool may open; default: one. */
  max?: number;
  /** The application_name. */
  name?: string;
  /**
   * How long a connection may be idle before it is closed here, to be opened again when needed;
   * default: it stays open.
   */
  closeIdleAfterSeconds?: number | undefined;
  /**
   * Whether statements are prepared once and kept, which saves time where they are repeated;
   * default: they are.
   */
  prepare?: boolean;
  /** Called with each notice and warning of the server; default: they are dropped. */
  onNotice?: (notice: postgres.Notice) => void;
  /** Replaces the driver's way of opening a socket. */
  openSocket?: (address: SocketAddress) => Socket;
};

/** A pool, which connects at its first query. The caller ends it. */
export function connect(
  target: DatabaseAddress,
  {
    max = 1,
    name = 'airseries',
    prepare = true,
    closeIdleAfterSeconds = 0,
    onNotice = () => undefined,
    openSocket,
    ...session
  }: ConnectOptions,
): Sql {
  const isPooled = hasPooler(target);
  const settings = isPooled ? trackedSettings(session) : sessionSettings(session);
  const options = {
    max,
    prepare: prepare && !isPooled,
    connect_timeout: 2,
    // seconds of silence before the system probes the peer; after ten probes, one a second, it
    // gives up
    keep_alive: 5,
    idle_timeout: closeIdleAfterSeconds,
    // the default replaces a connection after half an hour, and some connections of the service
    // hold a lock
    max_lifetime: null,
    onnotice: onNotice,
    fetch_types: false,
    types: DRIVER_TYPES,
    connection: { application_name: name, ...settings } as object,
    ...(openSocket === undefined ? {} : { socket: openSocket }),
  };
  return typeof target === 'string'
    ? postgres(withoutPooler(target), options)
    : postgres({ ...target, ...options });
}

/**
 * A service notices within seconds that its server is gone, since another may take over. Whoever
 * runs a command would only run it again, so it waits for a server that is busy.
 */
const PROBES = {
  service: { intervalMs: 3_000, timeoutMs: 3_000 },
  command: { intervalMs: 3_000, timeoutMs: 30_000 },
};
let probing: keyof typeof PROBES = 'service';

/** From now on, connections of this process wait as a command does. */
export function waitAsCommand(): void {
  probing = 'command';
}

const FULL_FOR_MS = 10_000;
const FULL_EVERY_MS = 250;

/**
 * Waits while the server has no connection left: other clients open and close theirs. Rejects with
 * its error after ten seconds.
 */
async function waitForConnection(sql: Sql): Promise<void> {
  const deadline = performance.now() + FULL_FOR_MS;
  for (;;) {
    try {
      await sql`select`;
      return;
    } catch (error) {
      if (errorCode(error) !== '53300' || performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, FULL_EVERY_MS));
  }
}

/**
 * Does work on a connection of its own, which is closed afterwards: immediately if the work failed,
 * whatever state the connection is in. The work may take as long as it needs while the database
 * responds to probes on a second connection; once it stops responding, rejects as PROBES says.
 * Nothing is kept prepared, because another version may replace the schema while it works.
 */
export async function onConnection<T>(
  target: DatabaseAddress,
  options: ConnectOptions,
  work: (sql: Sql) => PromiseLike<T>,
): Promise<T> {
  const sql = connect(target, { ...options, prepare: false });
  let prober: Sql | undefined;
  const probe = () => {
    prober ??= connect(target, { name: 'airseries probe' });
    return prober`select`;
  };
  try {
    // a server that accepts and hangs up never answers this either
    await withLivenessProbe(waitForConnection(sql), probe, PROBES.service).catch((error) => {
      throw errorCode(error) === 'UNREACHABLE'
        ? Object.assign(error, { code: 'CONNECT_TIMEOUT' })
        : error;
    });
    const result = await withLivenessProbe(work(sql), probe, PROBES[probing]);
    await sql.end({ timeout: 1 });
    return result;
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  } finally {
    await prober?.end({ timeout: 0 });
  }
}

/**
 * As `onConnection`, with the owner's role: for work that holds session locks, which must not
 * outlive an error on a pool.
 */
export function asOwner<T>(
  target: DatabaseAddress,
  options: Omit<ConnectOptions, 'role'> & { name: string },
  work: (sql: Sql) => PromiseLike<T>,
): Promise<T> {
  return onConnection(target, { ...options, role: 'airseries_owner' }, work);
}
