/** The audit: recomputes the aggregates from the readings and the network, reports differences and repairs them (A10). */

import type { Progress } from '../base/progress.ts';
import { arrayLiteral, type DatabaseAddress, type Sql } from '../database/client.ts';
import { type Period, type Watcher, watched } from './refresh.ts';

/**
 * A bucket that differs from what the readings give, or a period of raw.placement or raw.membership (level placement or membership, its
 * start as the bucket) that differs from what the network gives. `columns` are those that differ, or `missing` or `surplus`. A month whose
 * sensor hours were kept without readings and are not as they were is one difference of sensor_hourly, with the column `lost`.
 */
export type Difference = { level: string; bucket: string; subject: string; columns: string[] };

type Audited = Period & { now: Date };
type AuditOptions = Audited & {
  repair?: boolean;
  deleteSurplus?: boolean;
  timeZone: string;
  watcher?: Watcher;
};

type Audit = {
  found: Difference[];
  /** Still differing after the repair. */
  remaining: Difference[];
  /** How many surplus buckets without readings the repair kept. */
  kept: number;
  /** True if the period has neither readings nor buckets. */
  isEmpty: boolean;
};

/**
 * Compares the periods by which buckets are computed with the network; then refreshes, recomputes every bucket of the days and months that
 * the period touches, and compares. In a month that it touches in part, the other days are taken as stored. `repair` first repairs the
 * periods, since wrong ones make buckets wrong, then recomputes stored buckets that differ. It keeps days with a surplus bucket without
 * readings, because that may be all that is left of lost readings; `deleteSurplus` deletes them. It leaves the buckets of a lost month,
 * whose source is gone. Buckets are given in `timeZone`. The result is recorded in rollup.audit.
 */
export async function audit(
  target: DatabaseAddress,
  { repair = false, deleteSurplus = false, timeZone, watcher, ...period }: AuditOptions,
): Promise<Audit> {
  return await watched(target, 'auditing', watcher, { timeZone }, async (sql, progress) => {
    const periods = await periodDifferences(sql);
    if (repair && periods.length > 0) await mendPeriods(sql);
    const { differing, isEmpty } = await differences(sql, period, progress);
    const found = [...periods, ...differing];
    if (!repair || found.length === 0) {
      await recordAudit(sql, period, found);
      return { found, remaining: found, kept: 0, isEmpty };
    }
    const kept = await requestRepair(sql, differing, period, deleteSurplus);
    const after = await differences(sql, period, progress);
    const remaining = [...(await periodDifferences(sql)), ...after.differing];
    await recordAudit(sql, period, remaining);
    return { found, remaining, kept, isEmpty };
  });
}

/**
 * Has the next refresh recompute these buckets, except on the days of surplus buckets without readings, unless they are to be deleted, and of a
 * month only the days that were compared. Returns how many surplus buckets are kept.
 */
async function requestRepair(
  sql: Sql,
  differing: readonly Difference[],
  { from, to }: Period,
  deleteSurplus: boolean,
): Promise<number> {
  const mendable = differing.filter(({ columns }) => !columns.includes('lost'));
  const [row] = await sql<[{ kept: number }]>`
    with difference as materialized (
      select d.level, d.is_surplus, tstzrange(d.bucket, rollup.bucket_add(l.unit, d.bucket, 1)) as time
      from unnest(${arrayLiteral(mendable.map(({ level }) => level))}::text::text[],
                  ${arrayLiteral(mendable.map(({ bucket }) => bucket))}::text::timestamptz[],
                  ${arrayLiteral(mendable.map(({ columns }) => String(columns.includes('surplus'))))}::text::boolean[]) as d(level, bucket, is_surplus)
      join logic.level l on l.name = d.level
    ),
    kept as materialized (
      select d.time from difference d
      where d.is_surplus and not ${deleteSurplus}::boolean and (d.level = 'sensor_hourly' -- it is surplus because its sensor has no reading in it
        or not exists (select from raw.readings r where r.measured_at >= lower(d.time) and r.measured_at < upper(d.time)))
    ),
    request as (
      insert into rollup.stale (since, until, from_level)
      select lower(part), upper(part), 'sensor_hourly'
      from unnest((select range_agg(time) from difference)
        * logic.widen('day', tstzmultirange(tstzrange(${from ?? '-infinity'}, ${to ?? 'infinity'})))
        - logic.widen('day', (select range_agg(time) from kept))) part
    )
    select count(*)::int as kept from kept`;
  return row.kept;
}

const periodDifferences = (sql: Sql) =>
  sql<Difference[]>`select * from logic.period_differences() order by level, subject, bucket`;

const mendPeriods = (sql: Sql) =>
  sql`
    do $$ begin
      lock table raw.network_lock in exclusive mode;
      perform logic.apply_periods();
    end $$`;

/** One snapshot, taken while no refresh is halfway through the levels; other refreshes may run during the comparison, piece by piece. */
async function differences(sql: Sql, { now, from, to }: Audited, progress?: Progress) {
  await sql`call raw.acquire_lock('rollup.refresh')`;
  await sql`call rollup.refresh(${now})`;
  await sql`begin isolation level repeatable read`;
  await sql`select raw.release_lock('rollup.refresh')`; // the first statement: it takes the snapshot
  const pieces = await sql<{ since: string; until: string; hours: number }[]>`
    select since::text, until::text, extract(epoch from until - since)::float8 / 3600 as hours
    from logic.audited_days(${from ?? '-infinity'}, ${to ?? 'infinity'})`;
  const total = pieces.reduce((sum, { hours }) => sum + hours, 0);
  const lost = await sql<(Difference & { until: string })[]>`
    select 'sensor_hourly' as level, since as bucket, until, format('%s of %s hours', stored, hours) as subject, array['lost'] as columns
    from logic.lost_months(${from ?? '-infinity'}, ${to ?? 'infinity'})`;
  const isLost = (bucket: string) =>
    lost.some(
      (month) =>
        Date.parse(bucket) >= Date.parse(month.bucket) &&
        Date.parse(bucket) < Date.parse(month.until),
    );
  const found = new Map<string, Difference>(); // the month of several pieces may be found with each
  let done = 0;
  for (const { since, until, hours } of pieces) {
    const differing = await sql<Difference[]>`
      select * from logic.differences(${since}::text::timestamptz, ${until}::text::timestamptz) order by bucket, level, subject`;
    for (const each of differing.filter(({ bucket }) => !isLost(bucket)))
      found.set(`${each.level} ${each.bucket} ${each.subject}`, each);
    done += hours;
    progress?.show(done, done / total);
  }
  await sql`commit`;
  const differing = [...lost.map(({ until: _, ...month }) => month), ...found.values()];
  return { differing, isEmpty: pieces.length === 0 };
}

const RECORDED_DIFFERENCES = 10;

/** For metrics and dashboards. Records are kept for a year. */
async function recordAudit(
  sql: Sql,
  { now, from, to }: Audited,
  remaining: readonly Difference[],
): Promise<void> {
  const first = JSON.stringify(remaining.slice(0, RECORDED_DIFFERENCES));
  await sql`
    insert into rollup.audit (made_at, since, until, differing, first_differences)
    values (${now}, ${from ?? '-infinity'}, ${to ?? 'infinity'}, ${remaining.length}, ${first}::text::jsonb)
    on conflict (made_at) do update set since = excluded.since, until = excluded.until, differing = excluded.differing,
      first_differences = excluded.first_differences`;
  await sql`delete from rollup.audit where made_at < ${now}::timestamptz - interval '1 year'`;
}
