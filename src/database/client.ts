/**
 * Connections to PostgreSQL with the role, time zone and session settings that our SQL relies on,
 * and parameters for whole columns.
 */
import { randomUUID } from 'node:crypto';
import { connect as connectSocket, type Socket } from 'node:net';
import postgres from 'postgres';
import { errorCode } from './errors.ts';
import { withLivenessProbe } from './timeouts.ts';

/**
 * Where the database is: a URL from the operator, or the socket directory of the embedded server.
 */
export type DatabaseAddress =
  | string
  | { host: string; port: number; user: string; database: string };

/** This process's database: the operator's, or an embedded server. */
export type Database = {
  target: DatabaseAddress;
  /** True: the server is private to this data directory. */
  embedded: boolean;
  /**
   * Where the data of an embedded server are, which is not below DATA_DIR if its user cannot enter
   * that.
   */
  dataDirectory?: string;
  /**
   * Stops using an embedded server; if this process has started it, resolves once it is down. Does
   * nothing for the operator's database.
   */
  close(): Promise<void>;
};

/** The database's three roles. Without one, a session is the connecting user itself. */
export const ROLES = ['airseries_owner', 'airseries_ingest', 'airseries_reader'] as const;
export type Role = (typeof ROLES)[number];

/**
 * A client of the driver. Timestamps come out as ISO 8601 text with the offset of the session's
 * zone, in whole seconds (Z2).
 */
export type Sql = postgres.Sql<{ timestamptz: string }>;
/** Like Sql, without the methods that would leave the transaction. */
export type TransactionSql = Sql &
  Pick<postgres.TransactionSql<{ timestamptz: string }>, 'savepoint'>;

export type Session = {
  role?: Role | undefined;
  /** Default: UTC. */
  timeZone?: string | undefined;
  statementTimeoutMs?: number | undefined;
  /**
   * How long a session may be idle before the server ends it and releases its locks; undefined: no
   * limit.
   */
  idleTimeoutMs?: number | undefined;
};

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

/** Where the driver would connect to: a list of one host with its port, or the path of a socket. */
type SocketAddress = { host: string[]; port: number[]; path?: string | false };

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

const POOLER = 'pooler';

/**
 * Whether connections come from a pooler such as PgBouncer, which keeps nothing of a session from
 * one transaction to the next: the URL says so with `?pooler=transaction`. Then nothing is
 * prepared, and the login brings its settings (sql/reader.sql).
 */
function hasPooler(target: DatabaseAddress): boolean {
  return (
    typeof target === 'string' &&
    URL.canParse(target) &&
    new URL(target).searchParams.has(POOLER, 'transaction')
  );
}

/** The driver would send it to the server. */
function withoutPooler(target: string): string {
  if (!hasPooler(target)) return target;
  const url = new URL(target);
  url.searchParams.delete(POOLER);
  return url.href;
}

/**
 * As the driver's own, except that a server which accepts and hangs up is an error: the driver
 * would reconnect at once, endlessly.
 */
export function openSocket({ host, port, path }: SocketAddress): Socket {
  const address = { host: host[0], port: port[0] ?? 5432 };
  const socket = path ? connectSocket(path) : connectSocket(address.port, address.host);
  const hungUp = Object.assign(new Error('the server hung up'), { code: 'CONNECTION_CLOSED' });
  socket.once('end', () => socket.destroy(hungUp));
  // TLS verifies the name, and the driver's errors contain host and port
  return Object.assign(socket, address);
}

const PROBE = { intervalMs: 3_000, timeoutMs: 3_000 };
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
 * responds to probes on a second connection; once it stops responding, rejects within some seconds.
 * Nothing is kept prepared, because another version may replace the schema while it works.
 */
export async function onConnection<T>(
  target: DatabaseAddress,
  options: ConnectOptions,
  work: (sql: Sql) => PromiseLike<T>,
): Promise<T> {
  const sql = connect(target, { ...options, prepare: false });
  let probing: Sql | undefined;
  const probe = () => {
    probing ??= connect(target, { name: 'airseries probe' });
    return probing`select`;
  };
  try {
    const connectAndWork = async () => {
      await waitForConnection(sql); // a server that accepts and hangs up never answers this either
      return await work(sql);
    };
    const result = await withLivenessProbe(connectAndWork(), probe, PROBE);
    await sql.end({ timeout: 1 });
    return result;
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  } finally {
    await probing?.end({ timeout: 0 });
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

/** The settings that a connection sends when it starts, by name. */
function sessionSettings({
  role,
  timeZone,
  statementTimeoutMs,
  idleTimeoutMs,
}: Session): Record<string, string> {
  return {
    ...SETTINGS, // all text, because the driver drops what is falsy
    TimeZone: timeZone ?? 'UTC',
    ...(role === undefined ? {} : { role }),
    // queries that depend on the time are planned for each call, so that only the needed chunks are
    // planned
    ...(role === 'airseries_reader' ? { plan_cache_mode: 'force_custom_plan' } : {}),
    ...(statementTimeoutMs === undefined ? {} : { statement_timeout: `${statementTimeoutMs}ms` }),
    ...(idleTimeoutMs === undefined
      ? {}
      : {
          idle_session_timeout: `${idleTimeoutMs}ms`,
          idle_in_transaction_session_timeout: `${idleTimeoutMs}ms`,
        }),
  };
}

/** Settings that a pooler tracks, and sets again when a client gets another connection. */
function trackedSettings(session: Session): Record<string, string> {
  const { DateStyle = '', TimeZone = '' } = sessionSettings(session);
  return { DateStyle, TimeZone };
}

/**
 * Settings that a reader can do without: it has the role's rights anyway, changes no chunk, and a
 * pooler watches its own clients.
 */
const NOT_OF_LOGINS = /^(role$|tcp_|timescaledb)/;

/** Settings that a session behind a pooler must have already: no statement may run forever. */
function settingsOfLogin(session: Session): Record<string, string> {
  const settings = Object.entries({ ...sessionSettings(session), statement_timeout: '20s' });
  return Object.fromEntries(settings.filter(([name]) => !NOT_OF_LOGINS.test(name)));
}

const SETTINGS = {
  DateStyle: 'ISO, YMD',
  search_path: 'rollup, public',
  // compiling the many expressions of an aggregate takes far longer than computing them (16 s
  // instead of 0.3 s)
  jit: 'off',
  // a host that vanished must not keep its locks for long
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
  client_connection_check_interval: '2s', // nor may a statement whose client has died
  // without it, inserts of late rows into compressed chunks fail after 100,000; plain PostgreSQL
  // ignores it
  'timescaledb.max_tuples_decompressed_per_dml_transaction': '0',
  // with it, a refresh loses changes of the levels above (TimescaleDB #10463)
  'timescaledb.enable_merge_on_cagg_refresh': 'off',
};

const ITEM = /^[^\s,{}"\\]+$/;

/**
 * A PostgreSQL array literal, to be sent as text and cast; many times faster than the driver's own
 * arrays. For numbers and for words without spaces, commas, braces, quotes or backslashes; `NULL`
 * is null. Throws on any other item. Without items it is `{}`, which `unnest` of several arrays
 * pads with nulls.
 */
export function arrayLiteral(items: readonly (number | string)[]): string {
  for (const item of items) {
    if (typeof item === 'string' && item !== 'NULL' && !ITEM.test(item)) {
      throw new TypeError(`an array literal cannot contain ${JSON.stringify(item)}`);
    }
  }
  return `{${items.join(',')}}`;
}

/**
 * `$1::text::int[], $2::text::real[], …`: parameters of these types, cast from text because the
 * driver sends text unchanged.
 */
export function textParameters(types: readonly string[]): string {
  return types.map((type, index) => `$${index + 1}::text::${type}`).join(', ');
}

/**
 * The types that the driver is given in place of its own: arrays of int and text without escapes,
 * and timestamps as ISO 8601 text. Named explicitly because the driver would otherwise fetch all
 * array types on every new connection, where an error cannot be caught.
 */
const DRIVER_TYPES = {
  int4s: {
    to: 1007,
    from: [1007],
    serialize: String,
    parse: (text: string) => itemsOf(text).map(Number),
  },
  texts: { to: 1009, from: [1009], serialize: String, parse: itemsOf },
  timestamptz: { to: 1184, from: [1184], serialize: toTimestamp, parse: toIso },
};

function itemsOf(array: string): string[] {
  return array === '{}' ? [] : array.slice(1, -1).split(',');
}

function toTimestamp(value: Date | string): string {
  return value instanceof Date ? value.toISOString() : value;
}

/**
 * `2026-11-20 13:00:00.25+04`, as PostgreSQL writes it, becomes `2026-11-20T13:00:00+04:00`;
 * `infinity` stays as it is.
 */
function toIso(text: string): string {
  const parts = /^(\S+) (\d\d:\d\d:\d\d)(?:\.\d+)?([+-]\d\d)(:\d\d)?/.exec(text);
  return parts === null ? text : `${parts[1]}T${parts[2]}${parts[3]}${parts[4] ?? ':00'}`;
}

/**
 * Throws if what one client sets is seen by another, as behind a pooler that lends a session for a
 * transaction at a time: locks of a session would outlive their client there. `sql` is a single
 * connection to the target.
 */
export async function checkOwnSession(sql: Sql, target: DatabaseAddress): Promise<void> {
  const token = randomUUID();
  await sql`select set_config('airseries.session', ${token}, false)`;
  const [other] = await onConnection(
    target,
    { name: 'airseries check' },
    (second) => second<{ token: string | null }[]>`
      select current_setting('airseries.session', true) as token`,
  );
  if (other?.token !== token) return;
  throw new Error(
    'A connection pooler in between lends one session to several clients (pool_mode = transaction or statement). READER_DATABASE_URL can go ' +
      'through one: add ?pooler=transaction. DATABASE_URL cannot, because the worker holds locks of its session: connect it to PostgreSQL itself.',
  );
}

/**
 * Compares every setting on the server with what `sessionSettings` sends for `session`, because a
 * driver, a pooler or a server may drop one silently. Throws, naming those that differ. Keepalives
 * are skipped on a Unix socket, where they mean nothing. `sql` must be connected to the target with
 * that session.
 */
export async function checkSession(
  sql: Sql,
  target: DatabaseAddress,
  session: Session,
): Promise<void> {
  const isPooled = hasPooler(target);
  const expected = JSON.stringify(isPooled ? settingsOfLogin(session) : sessionSettings(session));
  const rows = await sql<{ name: string; expected: string; found: string | null }[]>`
    -- set for this statement only, so that the server formats both alike
    select name, current_setting(name, true) as found, set_config(name, expected, true) as expected
    from jsonb_each_text(${expected}::text::jsonb) s(name, expected)
    where inet_server_addr() is not null or name not like 'tcp_%'`;
  const differing = rows.filter((row) => row.found !== row.expected);
  if (differing.length === 0) return;
  const list = differing.map(
    ({ name, expected, found }) => `${name} is ${found ?? 'unset'} instead of ${expected}`,
  );
  throw new Error(
    isPooled
      ? `The login lacks settings that a pooler cannot pass on: ${list.join(', ')}. Run sql/reader.sql again, and let the pooler reconnect.`
      : `The database server does not have the session settings that this program sent: ${list.join(', ')}. ` +
          'A connection pooler in between must pass start-up parameters on (or connect without it), and the server must allow them.',
  );
}
