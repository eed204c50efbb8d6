/**
 * Sensor hours whose readings were deleted by retention cannot be recomputed, so a rebuild of the aggregates carries them over: the old
 * sensor_hourly is renamed, and copied into the new one month by month before the first refresh, which computes the other levels from it.
 * An interrupted carry-over continues at the next start.
 */
import type { Log } from '../log.ts';
import type { Engine } from './aggregates.ts';
import type { Sql } from './client.ts';

const ASIDE = 'carried_sensor_hourly';

/** Statements that rename sensor_hourly and its indexes, whose names the new one needs. For the transaction of a rebuild. */
export function setAsideSql(engine: Engine): string {
  const kind = engine === 'timescale' ? 'materialized view' : 'table';
  return `alter ${kind} rollup.sensor_hourly rename to ${ASIDE};
do $$
declare
  name text;
begin
  for name in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = to_regclass('rollup.${ASIDE}') loop
    execute format('alter index rollup.%I rename to %I', name, 'carried_' || name);
  end loop;
end $$;`;
}

/** Whether a carry-over has yet to finish. */
export async function isSetAside(sql: Sql): Promise<boolean> {
  const [row] = await sql`select to_regclass(${`rollup.${ASIDE}`}) is not null as there`;
  return row?.there === true;
}

/**
 * Copies the renamed sensor_hourly into the new one, then drops it. Only columns that both have are copied, so a new parameter is null.
 * Each month is deleted and copied in one transaction, so it may be interrupted any number of times. `sql` must be a single connection.
 */
export async function carryOver(sql: Sql, engine: Engine, log: Log): Promise<void> {
  const target = engine === 'timescale' ? await hypertableOf(sql, 'sensor_hourly') : 'rollup.sensor_hourly';
  const columns = await commonColumns(sql);
  const months = await sql<{ since: string; until: string }[]>`
    select month::text as since, rollup.bucket_add('month', month, 1)::text as until
    from (select distinct rollup.bucket_start('month', bucket) as month from ${sql(`rollup.${ASIDE}`)}) m
    where month < (select retained_from from raw.installation)
    order by 1`;
  for (const [index, { since, until }] of months.entries()) {
    await sql.begin(async (transaction) => {
      await transaction`set local role airseries_owner`;
      await transaction.unsafe(
        `delete from ${target} where bucket >= $1::text::timestamptz and bucket < $2::text::timestamptz`,
        [since, until],
      );
      await transaction.unsafe(
        `insert into ${target} (${columns})
         select ${columns} from rollup.${ASIDE}
         where bucket >= $1::text::timestamptz and bucket < least($2::text::timestamptz, (select retained_from from raw.installation))`,
        [since, until],
      );
    });
    log.info(
      { month: since, done: index + 1, of: months.length },
      'carrying over sensor hours whose readings were deleted',
    );
  }
  await sql.begin(async (transaction) => {
    await transaction`set local role airseries_owner`;
    await transaction`
      insert into rollup.stale_period (since, until, from_level)
      select '-infinity', retained_from, 'station_hourly' from raw.installation where retained_from > '-infinity'`;
    await transaction.unsafe(`drop ${engine === 'timescale' ? 'materialized view' : 'table'} rollup.${ASIDE}`);
  });
}

/** Where TimescaleDB keeps the rows of an aggregate. */
async function hypertableOf(sql: Sql, level: string): Promise<string> {
  const [row] = await sql<{ name: string }[]>`
    select format('%I.%I', materialization_hypertable_schema, materialization_hypertable_name) as name
    from timescaledb_information.continuous_aggregates where view_schema = 'rollup' and view_name = ${level}`;
  if (row === undefined) throw new Error(`rollup.${level} is not a continuous aggregate`);
  return row.name;
}

async function commonColumns(sql: Sql): Promise<string> {
  const rows = await sql<{ name: string }[]>`
    select quote_ident(attname) as name from pg_attribute
    where attrelid in ('rollup.sensor_hourly'::regclass, ${`rollup.${ASIDE}`}::regclass) and attnum > 0 and not attisdropped
    group by attname having count(*) = 2 order by min(attnum)`;
  return rows.map(({ name }) => name).join(', ');
}
