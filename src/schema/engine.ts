/**
 * Chooses and checks what a database is created for and keeps: its engine and its time zone (rule
 * Z1).
 */
import { isAbbreviation, NOT_ABBREVIATED } from '../base/timeZone.ts';
import type { Sql } from '../database/client.ts';
import type { Engine } from './aggregates.ts';
import { MigrationRefused } from './migrations.ts';

/** The oldest TimescaleDB that is supported. */
const MIN_TIMESCALE = '2.28';
/** The newest that all tests have run on; src/database/README.md has all of them. */
export const NEWEST_TRIED = '2.29.2';

/**
 * In each line the first version whose background jobs run on PostgreSQL 15.20, 16.16, 17.12 and
 * 18.7. With an older one the server records each run as failed (`cannot drop portal ""`). Whatever
 * is newer than the last of these is mended as well.
 */
const JOBS_RUN_FROM: readonly string[] = ['2.28.5', '2.31.2', '2.32.1'];

/**
 * The engine that this server offers to this database, and why, for the log. Creates the extension.
 * Throws MigrationRefused if it cannot, or if TimescaleDB is too old.
 */
export async function offeredEngine(sql: Sql): Promise<{ engine: Engine; why: string }> {
  // `create extension` without the preload ends the connection, so check the loader's setting first
  const [preload] = await sql`select current_setting('timescaledb.disable_load', true) as loader`;
  if (preload?.loader == null)
    return { engine: 'plain', why: 'TimescaleDB is not preloaded on this server' };
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
  refuseOld(found.version);
  return { engine: 'timescale', why: `TimescaleDB ${found.version} Community` };
}

function refuseOld(version: string): void {
  if (!isNewer(MIN_TIMESCALE, version)) return;
  throw new MigrationRefused(
    `TimescaleDB ${version} is too old: ${MIN_TIMESCALE} or newer is needed. Update it ("alter extension timescaledb update").`,
  );
}

/**
 * Throws MigrationRefused if the server no longer has the recorded engine, or has it too old. A
 * plain database stays plain on a server with TimescaleDB.
 */
export async function checkEngine(sql: Sql, recorded: Engine): Promise<void> {
  if (recorded === 'plain') return;
  const [found] = await sql<
    [{ version: string | null; loader: string | null; license: string | null }]
  >`
    select (select extversion from pg_extension where extname = 'timescaledb') as version,
      current_setting('timescaledb.disable_load', true) as loader, current_setting('timescaledb.license', true) as license`;
  if (found.version === null && found.loader !== null) {
    throw new MigrationRefused(
      'This database was made with TimescaleDB, and the extension is not in it: it was dropped, and with it every reading and aggregate, ' +
        'or a dump was restored without it. Creating it again brings nothing back: restore a backup as src/database/README.md says.',
    );
  }
  if (found.version === null || found.license !== 'timescale') {
    throw new MigrationRefused(
      'This database was made with TimescaleDB Community, and the server does not have it now. ' +
        "Put timescaledb into shared_preload_libraries, set timescaledb.license to 'timescale', and restart the server.",
    );
  }
  refuseOld(found.version);
}

/**
 * Throws MigrationRefused if the server does not know the zone, if it is an abbreviation or if, from the epoch (a local date
 * such as `2000-01-01`) to five years after `now`, the minutes of its offset change (hours would
 * begin at other minutes) or a local midnight occurs twice (a day would begin twice). The message
 * gives the first epoch with which the zone can be used, if there is one.
 */
export async function checkTimeZone(
  sql: Sql,
  zone: string,
  epoch: string,
  now: Date,
): Promise<void> {
  const [listed] = await sql`select from pg_timezone_names where name = ${zone}`;
  if (listed === undefined) {
    throw new MigrationRefused(
      `TIME_ZONE ${zone}: the server knows no such zone. Give an IANA name such as Asia/Yerevan.`,
    );
  }
  if (isAbbreviation(zone)) throw new MigrationRefused(`TIME_ZONE ${zone}: ${NOT_ABBREVIATED}.`);
  const [found] = await sql<
    { minutes: string | null; midnight: string | null; possible: string | null }[]
  >`
    with days as (
      select day, day at time zone ${zone}::text - day at time zone 'UTC' as utc_offset
      from generate_series(${epoch}::text::timestamp at time zone ${zone}::text, ${now}::timestamptz + interval '5 years', interval '24 hours') day
    ),
    -- around each change of the offset, which is by at most a day: 30 ms, and 600 for all hours of 32 years
    hours as (
      select hour, hour at time zone ${zone}::text as local
      from (select day, utc_offset, lag(utc_offset) over (order by day) as before, min(day) over () as first from days) changing
      cross join generate_series(greatest(first, day - interval '48 hours'), day + interval '24 hours', interval '1 hour') hour
      where utc_offset <> before
      group by 1
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
  let what: string;
  if (found?.minutes != null) what = `until ${found.minutes} its offset from full hours changed`;
  else if (found?.midnight != null) what = `the local midnight ${found.midnight} occurred twice`;
  else return;
  const remedy =
    found?.possible == null
      ? 'Such zones are not supported.'
      : `With EPOCH=${found.possible} or later it can be used; readings before the epoch are refused.`;
  throw new MigrationRefused(`TIME_ZONE ${zone}: ${what}. ${remedy}`);
}

/**
 * True if version `a` is newer than `b`; both as `2.29.2`, and what follows the numbers, as in
 * `2.30.0-dev`, does not count.
 */
export function isNewer(a: string, b: string): boolean {
  const numbers = (version: string) =>
    version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  const left = numbers(a);
  const right = numbers(b);
  const differing = [0, 1, 2].find((n) => (left[n] ?? 0) !== (right[n] ?? 0)) ?? 0;
  return (left[differing] ?? 0) > (right[differing] ?? 0);
}

/** True if this TimescaleDB is newer than any that the tests have run on. */
export const isUntried = (version: string): boolean => isNewer(version, NEWEST_TRIED);

/** True if jobs of TimescaleDB fail with this version on the PostgreSQL of today. */
function hasFailingJobs(version: string): boolean {
  const lineOf = (of: string) => of.split('.').slice(0, 2).join('.');
  const last = JOBS_RUN_FROM.at(-1) ?? '';
  const first = JOBS_RUN_FROM.find((mended) => lineOf(mended) === lineOf(version)) ?? last;
  return isNewer(first, version);
}

/** The version and what is wrong with it, in words; undefined without TimescaleDB. */
export function timescaleInWords(version: string | null): string | undefined {
  if (version === null) return undefined;
  const said = isUntried(version)
    ? `${version}, newer than those tried (the newest is ${NEWEST_TRIED})`
    : version;
  if (!hasFailingJobs(version)) return said;
  return (
    `${said}. WARNING: its background jobs fail on PostgreSQL 15.20, 16.16, 17.12 and 18.7. ` +
    `airseries has none, so its numbers are right; yours run with ${JOBS_RUN_FROM.join(', ')} or newer`
  );
}

/** The versions of the server and of the extension that makes its engine (null without it). */
export type ServerVersions = { postgresql: string; timescaledb: string | null };

export async function serverVersions(sql: Sql): Promise<ServerVersions> {
  const [row] = await sql<[ServerVersions]>`
    select split_part(current_setting('server_version'), ' ', 1) as postgresql,
      (select extversion from pg_extension where extname = 'timescaledb') as timescaledb`;
  return row;
}

/** Each with its name. */
export function versionsInWords({ postgresql, timescaledb }: ServerVersions): string[] {
  const extension = timescaleInWords(timescaledb);
  return [
    `postgresql ${postgresql}`,
    ...(extension === undefined ? [] : [`timescaledb ${extension}`]),
  ];
}

/** TimescaleDB that this server has, whether or not it is in `shared_preload_libraries`. */
export type UnusedEngine = { version: string; is_preloaded: boolean };

/**
 * The TimescaleDB of the server that a plain database could move to; null where there is none, an
 * old one, or the Apache edition.
 */
export async function unusedEngine(sql: Sql): Promise<UnusedEngine | null> {
  const [found] = await sql<
    { version: string; is_preloaded: boolean; license: string | null }[]
  >`select default_version as version, current_setting('timescaledb.disable_load', true) is not null as is_preloaded,
      current_setting('timescaledb.license', true) as license
    from pg_available_extensions where name = 'timescaledb' and installed_version is null`;
  if (found === undefined || found.license === 'apache' || isNewer(MIN_TIMESCALE, found.version))
    return null;
  return { version: found.version, is_preloaded: found.is_preloaded };
}

/** Names it, and says how to move. */
export function unusedEngineInWords({ version, is_preloaded }: UnusedEngine): string {
  const preload = is_preloaded
    ? ''
    : ', once timescaledb is in its shared_preload_libraries and it was restarted';
  return `this server has TimescaleDB ${version}. A database keeps its engine; network and readings move to a new one there${preload}: src/database/README.md, "A server of your own"`;
}
