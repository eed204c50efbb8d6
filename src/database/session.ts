/** The session settings that our SQL relies on, and the check that a server took them: a driver, a pooler or a server may drop one silently. */
import type { Role, Sql } from './client.ts';

export type Session = {
  role?: Role | undefined;
  timeZone?: string | undefined;
  statementTimeoutMs?: number | undefined;
  idleTimeoutMs?: number | undefined;
};

/** Name to value as a connection sends them when it starts. */
export function sessionSettings({
  role,
  timeZone = 'UTC',
  statementTimeoutMs,
  idleTimeoutMs,
}: Session): Record<string, string> {
  return {
    ...SETTINGS,
    TimeZone: timeZone, // timestamps come out as text with this zone's offset (Z2)
    ...(role === undefined ? {} : { role }),
    // what depends on now is planned with the instant at hand: only then is it known which chunks are of interest
    ...(role === 'airseries_reader' ? { plan_cache_mode: 'force_custom_plan' } : {}),
    ...(statementTimeoutMs === undefined ? {} : { statement_timeout: `${statementTimeoutMs}ms` }),
    ...(idleTimeoutMs === undefined
      ? {}
      : { idle_session_timeout: `${idleTimeoutMs}ms`, idle_in_transaction_session_timeout: `${idleTimeoutMs}ms` }),
  };
}

const SETTINGS = {
  DateStyle: 'ISO, YMD',
  search_path: 'rollup, public',
  jit: 'off', // compiling the many expressions of an aggregate takes many times longer than computing them (16 s for 0.3 s)
  // a host that vanished must not keep its locks for long
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
  client_connection_check_interval: '2s', // nor may a statement whose client has died
  // without it, late rows into compressed chunks stop after 100,000; on plain PostgreSQL it is a name without meaning
  'timescaledb.max_tuples_decompressed_per_dml_transaction': '0',
  // without it, COPY does not tell TimescaleDB what it changed
  'timescaledb.enable_optimizations': 'on',
};

/**
 * Asks the server for every setting of the session and throws, naming those it does not have as they were sent. Keepalives are left
 * out on a Unix socket, where they have no meaning.
 */
export async function checkSession(sql: Sql, session: Session): Promise<void> {
  const wanted = Object.entries(sessionSettings(session));
  const rows = await sql<{ name: string; wanted: string; found: string | null }[]>`
    -- set for this statement only, so that both are written as the server writes them
    select name, current_setting(name, true) as found, set_config(name, wanted, true) as wanted
    from jsonb_each_text(${JSON.stringify(Object.fromEntries(wanted))}::text::jsonb) s(name, wanted)
    where inet_server_addr() is not null or name not like 'tcp_%'`;
  const lost = rows.filter((row) => row.found !== row.wanted);
  if (lost.length === 0) return;
  const list = lost.map(({ name, wanted, found }) => `${name} is ${found ?? 'unset'} instead of ${wanted}`).join(', ');
  throw new Error(
    `The database server does not have the session settings that this program sent: ${list}. ` +
      'A connection pooler between them must pass start-up parameters on (or connect without it), and the server must allow them.',
  );
}
