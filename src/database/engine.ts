/** Which engine a database has: chosen once, at the first migration, recorded, and held ever after; and whether its catalogs are as the refresh expects. */
import type { Engine } from './aggregates.ts';
import type { Sql } from './client.ts';
import { MigrationRefused } from './definitions.ts';

/** The oldest TimescaleDB whose refresh takes the options that ours gives. */
const OLDEST = [2, 28] as const;

/** The engine that this server offers to this database, and why. Creates the extension where it can. */
export async function offeredEngine(sql: Sql): Promise<{ engine: Engine; why: string }> {
  // `create extension` without the preload is fatal for the connection, so ask for the loader's setting first
  const [preload] = await sql`select current_setting('timescaledb.disable_load', true) as loader`;
  if (preload?.loader == null) return { engine: 'plain', why: 'TimescaleDB is not preloaded on this server' };
  try {
    await sql.unsafe('create extension if not exists timescaledb');
  } catch (error) {
    throw new MigrationRefused(
      `TimescaleDB is preloaded, but this user could not create the extension (${(error as Error).message}). ` +
        'Let an administrator run "create extension timescaledb" in this database, or grant the right.',
    );
  }
  const [found] = await sql`
    select current_setting('timescaledb.license', true) as license, (select extversion from pg_extension where extname = 'timescaledb') as version`;
  if (found?.license !== 'timescale') {
    return {
      engine: 'plain',
      why: `TimescaleDB ${found?.version} is the Apache edition, which has no continuous aggregates`,
    };
  }
  const [major = 0, minor = 0] = String(found.version).split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new MigrationRefused(
      `TimescaleDB ${found.version} is too old: ${OLDEST.join('.')} or newer is needed. Update it ("alter extension timescaledb update").`,
    );
  }
  return { engine: 'timescale', why: `TimescaleDB ${found.version} Community` };
}

/** Refuses a database whose recorded engine the server no longer has. The other way round is fine: plain stays plain. */
export async function checkEngine(sql: Sql, recorded: Engine): Promise<void> {
  if (recorded === 'plain') return;
  const [loaded] = await sql`
    select from pg_extension where extname = 'timescaledb' and current_setting('timescaledb.license', true) = 'timescale'`;
  if (loaded === undefined) {
    throw new MigrationRefused(
      'This database was made with TimescaleDB Community, and the server does not have it now. ' +
        "Put timescaledb into shared_preload_libraries, set timescaledb.license to 'timescale', and restart the server.",
    );
  }
}

const READ: readonly string[] = [
  'select hypertable_id, lowest_modified_value, greatest_modified_value from _timescaledb_catalog.continuous_aggs_hypertable_invalidation_log',
  'select hypertable_id, watermark from _timescaledb_catalog.continuous_aggs_invalidation_threshold',
  'select mat_hypertable_id, user_view_schema, user_view_name from _timescaledb_catalog.continuous_agg',
  'select id, schema_name, table_name from _timescaledb_catalog.hypertable',
  'select schema_name, table_name, status from _timescaledb_catalog.chunk',
];

/** Refuses a version of TimescaleDB whose catalogs are others, with the question that it did not answer. */
export async function checkCatalogs(sql: Sql): Promise<void> {
  for (const question of READ) {
    try {
      await sql.unsafe(`${question} limit 0`);
    } catch (error) {
      const [found] = await sql`select extversion as version from pg_extension where extname = 'timescaledb'`;
      throw new MigrationRefused(
        `The catalogs of TimescaleDB ${found?.version} are not those that the refresh of this version reads (${(error as Error).message}, in: ${question}). ` +
          'Without them late readings would be lost silently. Use a version of TimescaleDB that the README names, or a newer airseries.',
      );
    }
  }
}

/** Rule Z1: which time zones a database can have, and from when on. */

/**
 * Refuses a zone that is unknown to the server, or in which, from the epoch (a local date such as `2000-01-01`) to five years after
 * `now`, the minutes of its offset past the full hour change (hours would begin at other minutes) or a local midnight occurs twice (a
 * day would have two beginnings). The message says from which epoch on the zone would do, if any.
 */
export async function checkTimeZone(sql: Sql, zone: string, epoch: string, now: Date): Promise<void> {
  const [known] = await sql`select from pg_timezone_names where name = ${zone}`;
  if (known === undefined) {
    throw new MigrationRefused(
      `TIME_ZONE ${zone}: the server knows no such zone. Give an IANA name such as Asia/Yerevan.`,
    );
  }
  const [found] = await sql<{ minutes: string | null; midnight: string | null; possible: string | null }[]>`
    with hours as (
      select hour, hour at time zone ${zone}::text as local
      from generate_series(${epoch}::text::timestamp at time zone ${zone}::text, ${now}::timestamptz + interval '5 years', interval '1 hour') hour
    ),
    changed as (
      select max(local) as at from (
        select local, extract(minute from local) * 60 + extract(second from local) is distinct from
          lag(extract(minute from local) * 60 + extract(second from local), 1, extract(minute from local) * 60 + extract(second from local)) over (order by hour) as is_change
        from hours
      ) h where is_change
    ),
    twice as (
      select max(local) as at from (
        select local from hours where local = date_trunc('day', local) group by local having count(*) > 1) midnight
    )
    select changed.at::text as minutes, twice.at::text as midnight,
      (select (date_trunc('month', greatest(changed.at, twice.at)) + interval '1 month')::date::text
       where greatest(changed.at, twice.at) < ${now}::timestamptz at time zone ${zone}::text) as possible
    from changed cross join twice`;
  const what =
    found?.minutes != null
      ? `until ${found.minutes} its offset from full hours changed`
      : found?.midnight != null
        ? `the local midnight ${found.midnight} occurred twice`
        : undefined;
  if (what === undefined) return;
  const remedy =
    found?.possible == null
      ? 'Such zones are not supported.'
      : `With EPOCH=${found.possible} or later it can be used; readings before the epoch are refused.`;
  throw new MigrationRefused(`TIME_ZONE ${zone}: ${what}. ${remedy}`);
}
