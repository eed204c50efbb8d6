/** The role, the time zone and the settings of a session, on which our SQL relies. */

/** The database's three roles. Without one, a session is the connecting user itself. */
export const ROLES = ['airseries_owner', 'airseries_ingest', 'airseries_reader'] as const;
export type Role = (typeof ROLES)[number];

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

/** The settings that a connection sends when it starts, by name. */
export function sessionSettings({
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
export function trackedSettings(session: Session): Record<string, string> {
  const { DateStyle = '', TimeZone = '' } = sessionSettings(session);
  return { DateStyle, TimeZone };
}

/**
 * Settings that a reader can do without: it has the role's rights anyway, changes no chunk, and a
 * pooler watches its own clients.
 */
const NOT_OF_LOGINS = /^(role$|tcp_|timescaledb)/;

/** Settings that a session behind a pooler must have already: no statement may run forever. */
export function settingsOfLogin(session: Session): Record<string, string> {
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
