/** Opens connection pools in the right role, zone and with the settings that our SQL relies on. */
import postgres from 'postgres';

/** Where the database is: a URL of the operator's, or the socket of the embedded server. */
export type Target = string | { host: string; port: number; user: string; database: string };

/** The three roles of the floor plan, and the connecting user itself for what only it can do. */
export type Role = 'airseries_owner' | 'airseries_ingest' | 'airseries_reader';

export type Sql = postgres.Sql<{ timestamptz: string }>;

export type Connect = {
  role?: Role;
  /** Timestamps come out of the database as text with this zone's offset (Z2). */
  timeZone?: string;
  max?: number;
  name?: string;
  statementTimeoutMs?: number;
};

/** A pool. Timestamps are read as ISO 8601 text in the session's zone; whole seconds, as they are published (Z2). */
export function connect(
  target: Target,
  { role, timeZone = 'UTC', max = 1, name = 'airseries', statementTimeoutMs }: Connect,
): Sql {
  const options = {
    max,
    connect_timeout: 2,
    max_lifetime: null, // by default a connection is replaced after half an hour; some of ours hold a lock
    onnotice: () => undefined,
    types: { timestamptz: { to: 1184, from: [1184], serialize: toTimestamp, parse: toIso } },
    connection: {
      application_name: name,
      TimeZone: timeZone,
      DateStyle: 'ISO, YMD',
      search_path: 'rollup, public',
      ...(role === undefined ? {} : { role }),
      ...(statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs }),
      ...SAFE_WRITES,
    },
  };
  return typeof target === 'string' ? postgres(target, options) : postgres({ ...target, ...options });
}

/**
 * With the first, late rows into compressed chunks stop after 100,000; without the second, COPY would not mark what it changed.
 * Elsewhere than on TimescaleDB they are names without a meaning.
 */
const SAFE_WRITES = {
  'timescaledb.max_tuples_decompressed_per_dml_transaction': 0,
  'timescaledb.enable_optimizations': 'on',
} as object;

function toTimestamp(value: Date | string): string {
  return value instanceof Date ? value.toISOString() : value;
}

/** `2026-11-20 13:00:00+04` as PostgreSQL writes it to `2026-11-20T13:00:00+04:00`; `infinity` stays itself. */
export function toIso(text: string): string {
  const parts = /^(\S+) (\d\d:\d\d:\d\d)(?:\.\d+)?([+-]\d\d)(:\d\d)?/.exec(text);
  return parts === null ? text : `${parts[1]}T${parts[2]}${parts[3]}${parts[4] ?? ':00'}`;
}
