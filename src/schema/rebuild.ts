/**
 * Changed aggregates are built beside the old ones, which go on answering, and swapped in one transaction with schemas logic and api. Beside
 * means: the same SQL under other schema names, rollup_next and logic_next, with a log of changes of its own, to which triggers copy what is
 * noted meanwhile. So it is filled by the same refresh, may be interrupted anywhere, and the next migration continues. The swap only moves
 * what is there, and gives its locks back at once where it would have to wait for them: others wait a quarter of a second at most.
 */
import type { Sql, TransactionSql } from '../database/client.ts';
import type { Log } from '../log.ts';
import { type Calendar, type Engine, LEVELS } from './aggregates.ts';
import { MigrationRefused } from './migrations.ts';
import { refreshSql } from './repeatable.ts';
import { type Definitions, fingerprint } from './template.ts';

type Build = {
  engine: Engine;
  calendar: Calendar;
  definitions: Definitions;
  /** The SQL of the new aggregates. */
  rollups: string;
  now: Date;
  log: Log;
  /** One transaction in the owner's role; an error rolls it back. */
  transaction: (work: (sql: TransactionSql) => Promise<void>) => Promise<void>;
};

/** The text for the schemas beside. */
const beside = (text: string) => text.replace(/\b(rollup|logic)(?=[.'])/g, '$1_next');

const kindOf = (engine: Engine) => (engine === 'timescale' ? 'materialized view' : 'table');

/** Everything that is to be recomputed when its levels are new. */
export const EVERYTHING_IS_STALE = `insert into rollup.stale_period (since, until, from_level) values ('-infinity', 'infinity', 'sensor_hourly');`;

/** Drops what a build has left that no version needs any more. Takes locks that writers wait for. */
export const DROP_BUILD = 'drop schema if exists logic_next cascade; drop schema if exists rollup_next cascade;';

/**
 * Builds the aggregates of `definitions` beside those that are there, and fills them. Afterwards only `swapSql` is missing, which must follow
 * while the refresh lock is held. `sql` is one connection, of a user who may become the owner.
 */
export async function buildBeside(sql: Sql, build: Build): Promise<void> {
  const [left] = await sql`select to_regclass('rollup.carried_sensor_hourly') is not null as there`;
  if (left?.there === true) {
    throw new MigrationRefused(
      'An upgrade to an earlier version was interrupted while it carried over sensor hours. Start that version once more before this one.',
    );
  }
  const [begun] = await sql`select obj_description(to_regnamespace('rollup_next')::oid, 'pg_namespace') as fingerprint`;
  if (begun?.fingerprint !== fingerprint(build.rollups)) await build.transaction((owner) => begin(owner, build));
  build.log.info('building the aggregates beside those that are there');
  await sql`set role airseries_owner`;
  await sql`set search_path = rollup_next, public`;
  await copySensorHours(sql, build);
  await sql`call rollup_next.refresh(${build.now})`;
  await sql`call raw.acquire_lock('rollup.refresh')`; // from here on no refresh takes notes of changes
  await sql`call rollup_next.refresh(${build.now})`;
  await sql`set search_path = rollup, public`;
  await sql`reset role`;
}

async function begin(owner: Sql, { engine, calendar, definitions, rollups }: Build): Promise<void> {
  await owner
    .unsafe(`${DROP_BUILD}
create schema rollup_next;
create schema logic_next;
comment on schema rollup_next is '${fingerprint(rollups)}';
set local search_path = rollup_next, public;
${['changed_hour', 'stale_range', 'stale_period', 'late_day', 'freshness']
  .map((table) => `create table rollup_next.${table} (like rollup.${table} including all);`)
  .join('\n')}
insert into rollup_next.freshness default values;
create function logic_next.raise_data_version() returns void language sql as '';
${beside(rollups)}
${beside(refreshSql(definitions, engine, calendar))}
create function logic_next.refresh_latest(at timestamptz, sensors int[]) returns void language sql as '';
create function logic_next.copy_notes() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_table_name = 'changed_hour' then
    insert into rollup_next.changed_hour select * from new_rows;
  else
    insert into rollup_next.stale_period (since, until, from_level, sensor_id, station_id, region_slug)
    select since, until, from_level, sensor_id, station_id, region_slug from new_rows;
  end if;
  return null;
end $$;
create trigger copy_notes after insert on rollup.changed_hour referencing new table as new_rows
  for each statement execute function logic_next.copy_notes();
create trigger copy_notes after insert on rollup.stale_period referencing new table as new_rows
  for each statement execute function logic_next.copy_notes();
${beside(EVERYTHING_IS_STALE)}`)
    .simple();
}

/**
 * Sensor hours whose readings were deleted by retention cannot be recomputed: they are copied, as far as both have the columns, so a new
 * parameter is null. A month is deleted and copied in one transaction, so it may be interrupted any number of times.
 */
async function copySensorHours(sql: Sql, { log, transaction }: Build): Promise<void> {
  const [target] = await sql<{ storage: string; columns: string }[]>`
    select logic_next.storage_of('sensor_hourly')::text as storage, (
      select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
      from pg_attribute a
      join pg_attribute b on b.attrelid = 'rollup_next.sensor_hourly'::regclass and b.attname = a.attname
      where a.attrelid = 'rollup.sensor_hourly'::regclass and a.attnum > 0 and not a.attisdropped) as columns`;
  const months = await sql<{ since: string; until: string }[]>`
    select p.since::text, p.until::text
    from (select min(bucket) as first, min(retained_from) as retained_from from rollup.sensor_hourly, raw.installation) kept
    cross join logic_next.pieces('month', 1, case when kept.first < kept.retained_from and isfinite(kept.retained_from)
      then tstzmultirange(tstzrange(kept.first, kept.retained_from)) else '{}' end) p`;
  for (const [index, { since, until }] of months.entries()) {
    const range = 'bucket >= $1::text::timestamptz and bucket < $2::text::timestamptz';
    await transaction(async (owner) => {
      await owner.unsafe(`delete from ${target?.storage} where ${range}`, [since, until]);
      await owner.unsafe(
        `insert into ${target?.storage} (${target?.columns}) select ${target?.columns} from rollup.sensor_hourly where ${range}`,
        [since, until],
      );
    });
    log.info(
      { month: since, done: index + 1, of: months.length },
      'carrying over sensor hours whose readings were deleted',
    );
  }
}

/**
 * The SQL of schemas logic and api for aggregates that still lie beside: what names them or their functions is resolved when it is created,
 * except in strings, comments and function bodies. To be run without check_function_bodies.
 */
export async function besideSql(sql: Sql, repeatable: string): Promise<string> {
  const functions = await sql<{ name: string }[]>`
    select distinct proname as name from pg_proc where pronamespace = 'rollup_next'::regnamespace and prokind = 'f'`;
  const moved = new Set([...LEVELS, ...functions].map(({ name }) => name));
  return repeatable.replace(QUOTED_OR_NAME, (found, _quote, name) => (moved.has(name) ? `rollup_next.${name}` : found));
}

/** Comments, strings, function bodies, and names in schema rollup. */
const QUOTED_OR_NAME = /--.*|'(?:[^']|'')*'|(\$\w*\$)[\s\S]*?\1|\brollup\.(\w+)/g;

/**
 * Moves the old aggregates and their functions aside, to schema rollup_old, and what was built into their place. What was noted since the
 * last catch-up stands in the log of the old ones as well, as no refresh has taken it, and stays for the next.
 */
export function swapSql(engine: Engine): string {
  const kind = kindOf(engine);
  const moved = (from: string, to: string) => `${LEVELS.map(
    ({ name }) => `alter ${kind} ${from}.${name} set schema ${to};`,
  ).join('\n')}
do $$
declare
  name text;
begin
  foreach name in array array(select oid::regprocedure::text from pg_proc where pronamespace = '${from}'::regnamespace and prokind = 'f') loop
    execute format('alter function %s set schema ${to}', name);
  end loop;
end $$;`;
  return `insert into rollup.late_day select * from rollup_next.late_day on conflict do nothing;
drop schema logic_next cascade;
drop procedure rollup_next.refresh, rollup_next.refresh_levels, rollup_next.maintain;
create schema rollup_old;
${moved('rollup', 'rollup_old')}
${moved('rollup_next', 'rollup')}
drop schema rollup_next cascade;`;
}

/** Drops aggregates that were replaced, and that nobody can reach any more: each in a transaction of its own, as it may have many chunks. */
export async function dropReplaced(sql: Sql, engine: Engine, transaction: Build['transaction']): Promise<void> {
  const [left] = await sql`select to_regnamespace('rollup_old') is not null as there`;
  if (left?.there !== true) return;
  for (const { name } of [...LEVELS].reverse()) {
    await transaction(async (owner) => {
      await owner.unsafe(`drop ${kindOf(engine)} if exists rollup_old.${name} cascade`);
    });
  }
  await transaction(async (owner) => void (await owner.unsafe('drop schema rollup_old cascade')));
}
