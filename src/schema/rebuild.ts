/**
 * Changed aggregates are built in schema rollup_next while the refresh lock is held: the old ones
 * go on answering, and readings that arrive are noted for later. Then one transaction puts the new
 * ones in their place. A build that was interrupted is begun again.
 */

import type { Log } from '../base/log.ts';
import type { Sql, TransactionSql } from '../database/client.ts';
import { errorCode } from '../database/errors.ts';
import { REPORT_AFTER_MS, REPORT_EVERY_MS, sessionsIn } from '../database/locks.ts';
import {
  buildRollups,
  type Calendar,
  type Engine,
  LEVELS,
  recomputeSql,
  wordsOf,
} from './aggregates.ts';
import { type Dependents, findDependents, lockDependents } from './dependents.ts';
import { MigrationRefused } from './migrations.ts';
import type { Definitions } from './template.ts';

type Build = {
  engine: Engine;
  calendar: Calendar;
  definitions: Definitions;
  log: Log;
  /** One transaction in the owner's role; an error rolls it back. */
  transaction: (work: (sql: TransactionSql) => Promise<void>) => Promise<void>;
};

const kindOf = (engine: Engine) => (engine === 'timescale' ? 'materialized view' : 'table');

/** Everything that is to be recomputed when its levels are new. */
export const EVERYTHING_IS_STALE = `insert into rollup.stale (from_level, since, until, reason) values ('sensor_hourly', '-infinity', 'infinity', 'version');`;

/** Opens the record of a change of everything (R1): the next refresh closes it. */
export const NEW_VERSION_SHOWS = `insert into rollup.change (reason, since, until)
select 'version', min(bucket), max(bucket) + interval '1 hour' from rollup.station_hourly where isfinite(bucket)
having min(bucket) is not null;`;

/** Creates the new aggregates, empty, in the shadow schema rollup_next. */
export function shadowSql(definitions: Definitions, engine: Engine, calendar: Calendar): string {
  return `create schema rollup_next;
set local search_path = rollup_next, public;
${buildRollups(definitions, engine, calendar, 'rollup_next')}
${recomputeSql(definitions, engine, wordsOf(calendar, 'rollup_next'))}
set local search_path = rollup, public;`;
}

/**
 * Builds and fills the new aggregates. Afterwards only `swapSql` is missing. `sql` is one
 * connection, of a user who may become the owner; it holds the refresh lock from before until after
 * the swap.
 */
export async function buildShadow(
  sql: Sql,
  { engine, calendar, definitions, log, transaction }: Build,
): Promise<void> {
  log.info('building the new aggregates; the old ones answer meanwhile');
  await refuseRefusedRules(sql);
  await transaction(async (owner) => {
    await owner.unsafe(shadowSql(definitions, engine, calendar)).simple();
  });
  await sql`set role airseries_owner`;
  await sql`set search_path = rollup_next, public`;
  const months = await sql<
    { since: string; until: string; readings: string | null; expired: string | null }[]
  >`
    select since::text, until::text,
      case when until > retained_from then greatest(since, retained_from)::text end as readings,
      case when since < retained_from then least(until, retained_from)::text end as expired
    from (
      select rollup_next.bucket_add('month', first, n) as since, rollup_next.bucket_add('month', first, n + 1) as until, retained_from
      from raw.installation
      cross join (
        select rollup_next.bucket_start('month', least((select min(measured_at) from raw.readings), (select min(bucket) from rollup.sensor_hourly))) as first,
          greatest((select max(measured_at) from raw.readings), (select max(bucket) from rollup.sensor_hourly)) as last
      ) extent
      cross join lateral generate_series(0, ((last::date - first::date) / 28)::int + 1) n
      where rollup_next.bucket_add('month', first, n) <= last
    ) month
    order by since`;
  for (const [index, { since, until, readings, expired }] of months.entries()) {
    if (expired !== null) await preserveSensorHours(sql, since, expired, engine);
    for (const { name } of LEVELS) {
      const first = name === 'sensor_hourly' ? readings : since;
      if (first !== null)
        await sql`call rollup_next.recompute(${name}, ${first}::text::timestamptz, ${until}::text::timestamptz)`;
    }
    log.info({ month: since, done: index + 1, of: months.length }, 'building the new aggregates');
  }
  await sql`set search_path = rollup, public`;
  await sql`reset role`;
}

/** New days and months would be computed by rules that are refused (Z5). */
async function refuseRefusedRules(sql: Sql): Promise<void> {
  const [row] = await sql<{ why: string | null }[]>`
    select zone_refused as why from raw.installation`;
  if (row?.why == null) return;
  throw new MigrationRefused(
    `This version computes all days and months again, but the server's rules of the time zone are refused: ${row.why}. ` +
      'Give the server the tzdata from before, or stay with the version from before.',
  );
}

/**
 * Copies sensor hours whose readings were deleted by retention, since nothing can recompute them,
 * as far as both have the columns: a new parameter is null. This is the only place that writes rows
 * into the storage of an aggregate.
 */
async function preserveSensorHours(
  sql: Sql,
  since: string,
  until: string,
  engine: Engine,
): Promise<void> {
  const storage =
    engine === 'plain'
      ? sql`select 'rollup_next.sensor_hourly' as name`
      : sql`select format('%I.%I', materialization_hypertable_schema, materialization_hypertable_name) as name
          from timescaledb_information.continuous_aggregates where view_schema = 'rollup_next' and view_name = 'sensor_hourly'`;
  const [target] = await sql<{ name: string; columns: string }[]>`
    select storage.name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from (${storage}) storage, pg_attribute a
    join pg_attribute b on b.attrelid = 'rollup_next.sensor_hourly'::regclass and b.attname = a.attname
    where a.attrelid = 'rollup.sensor_hourly'::regclass and a.attnum > 0
    group by 1`;
  await sql.unsafe(
    `insert into ${target?.name} (${target?.columns}) select ${target?.columns} from rollup.sensor_hourly
     where bucket >= $1::text::timestamptz and bucket < $2::text::timestamptz`,
    [since, until],
  );
}

/**
 * Moves the old aggregates and their functions aside, to schema rollup_old, and the new ones into
 * their place.
 */
function swapSql(engine: Engine): string {
  const moved = (from: string, to: string) => `${LEVELS.map(
    ({ name }) => `alter ${kindOf(engine)} ${from}.${name} set schema ${to};`,
  ).join('\n')}
do $$
declare
  name text;
begin
  foreach name in array array(select oid::regprocedure::text from pg_proc where pronamespace = '${from}'::regnamespace and prokind = 'f') loop
    execute format('alter function %s set schema ${to}', name);
  end loop;
end $$;`;
  return `create schema rollup_old;
${moved('rollup', 'rollup_old')}
${moved('rollup_next', 'rollup')}
drop schema rollup_next cascade;`;
}

/**
 * Returns what operators have built on the schemas that are to be replaced, with the locks that
 * making it again needs, and puts new aggregates into the place of the old ones, if there are new
 * ones.
 */
export async function makeWay(
  owner: TransactionSql,
  { engine, isRebuild, log }: Pick<Build, 'engine' | 'log'> & { isRebuild: boolean },
): Promise<Dependents> {
  const replaced = isRebuild ? ['logic', 'api', 'rollup'] : ['logic', 'api'];
  const dependents = await findDependents(owner, replaced);
  const lockAndSwap = async (attempt: TransactionSql) => {
    await lockDependents(attempt, dependents);
    if (isRebuild) await attempt.unsafe(swapSql(engine)).simple();
  };
  await withoutWaiting(owner, lockAndSwap, log);
  return dependents;
}

/**
 * Drops what was replaced, and what an interrupted build has left. Only statements that began
 * before the swap still read any of it; aggregates go in a transaction each, as they may have many
 * chunks. Throws MigrationRefused if an operator's object depends on them by now.
 */
export async function dropReplaced(
  sql: Sql,
  engine: Engine,
  transaction: Build['transaction'],
  log: Log,
): Promise<void> {
  const schemas = await sql<{ name: string }[]>`
    select nspname as name from pg_namespace where nspname in ('api_old', 'logic_old', 'rollup_next', 'rollup_old')`;
  if (schemas.length === 0) return;
  await transaction(async (owner) => {
    const { objects } = await findDependents(
      owner,
      schemas.map(({ name }) => name),
    );
    if (objects.length === 0) return;
    throw new MigrationRefused(
      `A migration left schemas that must be dropped (${schemas.map(({ name }) => name).join(', ')}), and this depends on them: ` +
        `${objects.map(({ what }) => what).join(', ')}. Keep its definition, drop it, start again, and create it again.`,
    );
  });
  const drop = (statement: string) => {
    const work = async (attempt: TransactionSql) => void (await attempt.unsafe(statement).simple());
    return transaction((owner) => withoutWaiting(owner, work, log));
  };
  for (const { name } of schemas.filter((schema) => schema.name !== 'rollup_old'))
    await drop(`drop schema ${name} cascade`);
  if (schemas.every(({ name }) => name !== 'rollup_old')) return;
  for (const { name } of [...LEVELS].reverse())
    await drop(`drop ${kindOf(engine)} if exists rollup_old.${name} cascade`);
  await drop('drop schema rollup_old cascade');
}

const LOCK_TIMEOUT_MS = 250;
const REPLACED = ['rollup', 'logic', 'api', 'rollup_old', 'logic_old', 'api_old'];

/**
 * Does work that locks what others use. Behind a lock that waits, everyone queues, and two such
 * queues may be a deadlock: so it gives up all its locks after a quarter of a second, lets the
 * others through and tries again, for as long as it takes.
 */
async function withoutWaiting(
  transaction: TransactionSql,
  work: (attempt: TransactionSql) => Promise<void>,
  log: Log,
): Promise<void> {
  let reportAt = performance.now() + REPORT_AFTER_MS;
  for (;;) {
    try {
      await transaction.savepoint(async (attempt) => {
        await attempt`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`;
        await work(attempt as unknown as TransactionSql);
        await attempt`reset lock_timeout`; // what follows may wait
      });
      return;
    } catch (error) {
      if (!/^(55P03|40P01)$/.test(errorCode(error))) throw error;
      if (performance.now() > reportAt) {
        await transaction`set local role none`; // the owner sees less of other sessions
        const sessions = await sessionsIn(transaction, REPLACED);
        await transaction`set local role airseries_owner`;
        log.warn({ sessions }, 'waiting for locks held by other sessions');
        reportAt = performance.now() + REPORT_EVERY_MS;
      }
      await new Promise((resolve) => setTimeout(resolve, LOCK_TIMEOUT_MS));
    }
  }
}
