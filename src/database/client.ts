/** Connections to PostgreSQL: in the right role and time zone, with the settings that our SQL relies on, and arrays as the driver sends them fastest. */
import type { Socket } from 'node:net';
import postgres from 'postgres';
import { sessionSettings } from './session.ts';
import { whileAnswered } from './waiting.ts';

/** Where the database is: a URL of the operator's, or the socket of the embedded server. */
export type Target = string | { host: string; port: number; user: string; database: string };

/** The three roles of the floor plan, and the connecting user itself for what only it can do. */
export const ROLES = ['airseries_owner', 'airseries_ingest', 'airseries_reader'] as const;
export type Role = (typeof ROLES)[number];

/** The driver's own idea of where to connect to: several hosts with a port each, or the path of a socket. */
export type Place = { host: string[]; port: number[]; path?: string | false };

export type Sql = postgres.Sql<{ timestamptz: string }>;

export type Connect = {
  role?: Role;
  /** Timestamps come out of the database as text with this zone's offset (Z2). */
  timeZone?: string;
  max?: number;
  name?: string;
  statementTimeoutMs?: number;
  /** How long a session may do nothing before the server ends it, and its locks with it; undefined: for ever. */
  idleTimeoutMs?: number;
  /** What a pool wants otherwise of the driver itself. */
  driver?: { socket?: (options: Place) => Socket };
};

/** A pool. Timestamps are read as ISO 8601 text in the session's zone; whole seconds, as they are published (Z2). */
export function connect(
  target: Target,
  { role, timeZone = 'UTC', max = 1, name = 'airseries', statementTimeoutMs, idleTimeoutMs, driver }: Connect,
): Sql {
  const options = {
    max,
    connect_timeout: 2,
    keep_alive: 5, // seconds of silence before the system asks whether anybody is there; ten questions later, one a second, it gives up
    max_lifetime: null, // by default a connection is replaced after half an hour; some of ours hold a lock
    onnotice: () => undefined,
    // array types would be fetched on every new connection, and an error there is one that nobody can catch; these two suffice
    fetch_types: false,
    types: {
      int4s: { to: 1007, from: [1007], serialize: String, parse: (text: string) => listOf(text).map(Number) },
      texts: { to: 1009, from: [1009], serialize: String, parse: listOf },
      timestamptz: { to: 1184, from: [1184], serialize: toTimestamp, parse: toIso },
    },
    // the driver drops what is falsy, so every setting is text
    connection: {
      application_name: name,
      ...sessionSettings({ role, timeZone, statementTimeoutMs, idleTimeoutMs }),
    } as object,
    ...driver,
  };
  return typeof target === 'string' ? postgres(target, options) : postgres({ ...target, ...options });
}

/**
 * Work on a connection of its own, which is closed afterwards; at once if the work failed, whatever state it is in. It may take as long
 * as it needs while the database answers others; a database that is silent is given up within some seconds.
 */
export async function onConnection<T>(
  target: Target,
  options: Connect,
  work: (sql: Sql) => PromiseLike<T>,
): Promise<T> {
  const sql = connect(target, options);
  let beside: Sql | undefined;
  const ask = () => {
    beside ??= connect(target, { name: 'airseries pulse' });
    return beside`select`;
  };
  try {
    const result = await whileAnswered(work(sql), ask, PULSE);
    await sql.end({ timeout: 1 });
    return result;
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  } finally {
    await beside?.end({ timeout: 0 });
  }
}

const PULSE = { everyMs: 3_000, answerMs: 3_000 };

/** The items of a one-dimensional array of words or numbers. */
function listOf(array: string): string[] {
  return array === '{}' ? [] : array.slice(1, -1).split(',');
}

function toTimestamp(value: Date | string): string {
  return value instanceof Date ? value.toISOString() : value;
}

/** `2026-11-20 13:00:00+04` as PostgreSQL writes it to `2026-11-20T13:00:00+04:00`; `infinity` stays itself. */
export function toIso(text: string): string {
  const parts = /^(\S+) (\d\d:\d\d:\d\d)(?:\.\d+)?([+-]\d\d)(:\d\d)?/.exec(text);
  return parts === null ? text : `${parts[1]}T${parts[2]}${parts[3]}${parts[4] ?? ':00'}`;
}

/**
 * A PostgreSQL array literal of plain words and numbers, to be sent as text and cast: many times faster than the driver's own arrays.
 * Empty is `{}`; among the arguments of `unnest` a short one is padded with nulls.
 */
export function arrayLiteral(items: readonly (number | string)[]): string {
  return `{${items.join(',')}}`;
}

/** `$1::text::int[], $2::text::real[], …`: parameters of these types, sent through text so that the driver passes literals on as they are. */
export function textParameters(types: readonly string[]): string {
  return types.map((type, index) => `$${index + 1}::text::${type}`).join(', ');
}
