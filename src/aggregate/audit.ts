/**
 * The audit: recomputes the aggregates from the readings and the network, reports differences and
 * repairs them (A10).
 */

import type { Clock } from '../base/clock.ts';
import type { Progress } from '../base/progress.ts';
import type { DatabaseAddress } from '../database/address.ts';
import type { Sql } from '../database/client.ts';
import { type Period, refreshOn, type Watcher, watched } from './refresh.ts';

/**
 * A bucket that differs from what the readings give, or a period of raw.placement, raw.membership
 * or raw.flagged (that name as level, its start as the bucket) that differs from what the network
 * gives. `columns` are those that differ, or `missing`, `surplus` or `doubled`: it is stored twice,
 * as the storage of aggregates may allow. A month whose sensor hours were kept without
 * readings and are not as they were is one difference of sensor_hourly, with the column `lost`.
 */
export type Difference = { level: string; bucket: string; subject: string; columns: string[] };

type Audited = Period & { clock: Clock };
type AuditOptions = Audited & {
  repair?: boolean;
  deleteSurplus?: boolean;
  timeZone: string;
  watcher?: Watcher;
};

/** How many differences are listed; the others are only counted. */
export const LISTED_DIFFERENCES = 1_000;

export type Audit = {
  /** The first of those found, and how many there are. */
  found: Difference[];
  foundCount: number;
  /** Still differing after the repair. */
  remaining: Difference[];
  remainingCount: number;
  /** How many surplus buckets without readings the repair kept. */
  kept: number;
  /** The days that were compared; null: the period has neither readings nor buckets. */
  compared: Compared | null;
};

/** Local dates, both included. */
type Compared = {
  first: string;
  last: string;
  /** The first date with readings or sensor hours, if that is before `first`. */
  earlier: string | null;
};

/**
 * Compares the periods by which buckets are computed with the network; then refreshes, recomputes
 * every bucket of the days and months that the period touches, and compares. In a month that it
 * touches in part, the other days are taken as stored. `repair` first repairs the periods, since
 * wrong ones make buckets wrong, then recomputes stored buckets that differ. It keeps days with a
 * surplus bucket without readings, because that may be all that is left of lost readings;
 * `deleteSurplus` deletes them. It leaves the buckets of a lost month, whose source is gone.
 * Buckets are given in `timeZone`. The result is recorded in rollup.audit.
 */
export async function audit(
  target: DatabaseAddress,
  { repair = false, deleteSurplus = false, timeZone, watcher, ...period }: AuditOptions,
): Promise<Audit> {
  return await watched(target, 'auditing', watcher, { timeZone }, async (sql, progress) => {
    await sql`
      create temporary table difference (
        position int, -- periods, then lost months, then buckets
        level text, bucket timestamptz, subject text, columns text[],
        primary key (level, bucket, subject) -- the month of several pieces may be found with each
      )`;
    const periods = await findPeriodDifferences(sql);
    if (repair && periods.count > 0) await mendPeriods(sql);
    const compared = await findDifferences(sql, period, progress);
    const found = await listed(sql);
    if (!repair || found.count === 0) {
      await recordAudit(sql, period, found);
      return resultOf({ found, remaining: found, kept: 0, compared });
    }
    const { kept, requested } = await wantedRepair(sql, period, deleteSurplus);
    for (const ranges of requested) {
      await sql`
        insert into rollup.stale (since, until, from_level, reason)
        select lower(part), upper(part), 'sensor_hourly', 'repair'
        from unnest(${ranges}::text::tstzmultirange) part`;
      await refreshOn(sql, period.clock, { progress });
    }
    await sql`truncate difference`;
    await findPeriodDifferences(sql);
    await findDifferences(sql, period, progress);
    const remaining = await listed(sql);
    await recordAudit(sql, period, remaining);
    return resultOf({ found, remaining, kept, compared });
  });
}

type Listed = { count: number; first: Difference[] };

const resultOf = (of: {
  found: Listed;
  remaining: Listed;
  kept: number;
  compared: Compared | null;
}) => ({
  found: of.found.first,
  foundCount: of.found.count,
  remaining: of.remaining.first,
  remainingCount: of.remaining.count,
  kept: of.kept,
  compared: of.compared,
});

async function listed(sql: Sql): Promise<Listed> {
  const [row] = await sql<[{ count: number }]>`select count(*)::int as count from difference`;
  const first = await sql<Difference[]>`
    select level, bucket, subject, columns from difference order by position, bucket, level, subject
    limit ${LISTED_DIFFERENCES}`;
  return { count: row.count, first: [...first] };
}

type WantedRepair = {
  /** How many surplus buckets are kept. */
  kept: number;
  /**
   * The time to recompute, a multirange for each stretch without a kept day. They are refreshed one
   * after the other, since a refresh recomputes what lies between near ranges of its own.
   */
  requested: string[];
};

/**
 * What a repair recomputes: these buckets, except the days of surplus buckets without readings,
 * unless they are to be deleted, and of a month only the days that were compared.
 */
async function wantedRepair(
  sql: Sql,
  { from, to }: Period,
  deleteSurplus: boolean,
): Promise<WantedRepair> {
  const [row] = await sql<[WantedRepair]>`
    with difference as materialized (
      select d.level, 'surplus' = any (d.columns) as is_surplus,
        tstzrange(d.bucket, rollup.bucket_add(l.unit, d.bucket, 1)) as time
      from pg_temp.difference d join logic.level l on l.name = d.level
      where not 'lost' = any (d.columns)
    ),
    kept as materialized (
      select d.time from difference d
      where d.is_surplus and not ${deleteSurplus}::boolean and (d.level = 'sensor_hourly' -- it is surplus because its sensor has no reading in it
        or not exists (select from raw.readings r where r.measured_at >= lower(d.time) and r.measured_at < upper(d.time)))
    ),
    kept_day as materialized (
      select unnest(logic.widen('day', (select range_agg(time) from kept))) as time
    ),
    requested as (
      select (select count(*) from kept_day k where lower(k.time) < lower(part)) as stretch, range_agg(part) as ranges
      from unnest((select range_agg(time) from difference)
        * logic.widen('day', tstzmultirange(tstzrange(${from ?? '-infinity'}, ${to ?? 'infinity'})))
        - coalesce((select range_agg(time) from kept_day), '{}')) part
      group by 1
    )
    select (select count(*)::int from kept) as kept,
      coalesce((select json_agg(ranges::text order by stretch) from requested), '[]') as requested`;
  return row;
}

const findPeriodDifferences = (sql: Sql) =>
  sql`insert into difference select 0, * from logic.period_differences()`;

const mendPeriods = (sql: Sql) =>
  sql`
    do $$ begin
      lock table raw.network_lock in exclusive mode;
      perform logic.apply_periods();
    end $$`;

/**
 * Adds the buckets that differ to table `difference`. One snapshot, taken while no refresh is
 * halfway through the levels; other refreshes may run during the comparison, piece by piece.
 * Resolves to the days that were compared.
 */
async function findDifferences(
  sql: Sql,
  { clock, from, to }: Audited,
  progress?: Progress,
): Promise<Compared | null> {
  await sql`call raw.acquire_lock('rollup.refresh')`;
  await refreshOn(sql, clock);
  await sql`begin isolation level repeatable read`;
  // the first statement: it takes the snapshot
  await sql`select raw.release_lock('rollup.refresh')`;
  const pieces = await sql<
    { since: string; until: string; hours: number; first: string; last: string }[]
  >`
    select since::text, until::text, extract(epoch from until - since)::float8 / 3600 as hours,
      since::date::text as first, (until - interval '1 microsecond')::date::text as last
    from logic.audited_days(${from ?? '-infinity'}, ${to ?? 'infinity'})`;
  const total = pieces.reduce((sum, { hours }) => sum + hours, 0);
  await sql`
    create temporary table lost_month on commit drop as
    select * from logic.lost_months(${from ?? '-infinity'}, ${to ?? 'infinity'})`;
  await sql`
    insert into difference
    select 1, 'sensor_hourly', since, format('%s of %s hours', stored, hours), array['lost'] from lost_month`;
  let done = 0;
  for (const { since, until, hours } of pieces) {
    await sql`
      insert into difference
      select 2, d.* from logic.differences(${since}::text::timestamptz, ${until}::text::timestamptz) d
      where not exists (select from lost_month m where d.bucket >= m.since and d.bucket < m.until)
      on conflict (level, bucket, subject) do update set columns = excluded.columns`;
    done += hours;
    progress?.show(done, done / total);
  }
  const [begun] = await sql<[{ first: string | null }]>`
    select least((select min(measured_at) from raw.readings),
      (select min(bucket) from rollup.sensor_hourly where isfinite(bucket)))::date::text as first`;
  await sql`commit`;
  const first = pieces[0]?.first;
  const last = pieces.at(-1)?.last;
  if (first === undefined || last === undefined) return null;
  const earlier = begun.first !== null && begun.first < first ? begun.first : null;
  return { first, last, earlier };
}

const RECORDED_DIFFERENCES = 10;

/** For metrics and dashboards. Records are kept for a year. */
async function recordAudit(
  sql: Sql,
  { clock, from, to }: Audited,
  { count, first }: Listed,
): Promise<void> {
  const now = clock();
  const firstOfAll = JSON.stringify(first.slice(0, RECORDED_DIFFERENCES));
  await sql`
    insert into rollup.audit (made_at, since, until, differing, first_differences)
    values (${now}, ${from ?? '-infinity'}, ${to ?? 'infinity'}, ${count}, ${firstOfAll}::text::jsonb)
    on conflict (made_at) do update set since = excluded.since, until = excluded.until, differing = excluded.differing,
      first_differences = excluded.first_differences`;
  await sql`delete from rollup.audit where made_at < ${now}::timestamptz - interval '1 year'`;
}
