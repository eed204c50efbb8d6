/** The audit: compares the aggregates with what the readings and the network give, and mends what differs (A10). */
import { arrayLiteral, type DatabaseAddress, type Sql } from '../database/client.ts';
import type { Progress } from '../progress.ts';
import { type Period, type Watcher, watched } from './refresh.ts';

/**
 * A bucket that differs from what the readings give, or a period of raw.placement or raw.membership (level placement or membership, its
 * start as the bucket) that differs from what the network gives. `columns` are those that differ, or `missing` or `surplus`.
 */
export type Difference = { level: string; bucket: string; subject: string; columns: string[] };

type Audited = Period & { now: Date };
type AuditOptions = Audited & { repair?: boolean; timeZone: string; watcher?: Watcher };

/**
 * Compares the periods by which buckets are computed with the network; then refreshes, recomputes every bucket of the days and months that the
 * period touches, and compares. Of a month that it touches in part, the other days are taken as they are stored. `repair` mends the periods before, since wrong ones make buckets wrong, and recomputes the stored buckets that
 * differ; `remaining` is what still differs. Buckets are given in `timeZone`. The result is recorded in rollup.audit.
 */
export async function audit(
  target: DatabaseAddress,
  { repair = false, timeZone, watcher, ...period }: AuditOptions,
): Promise<{ found: Difference[]; remaining: Difference[] }> {
  return await watched(target, 'auditing', watcher, { timeZone }, async (sql, progress) => {
    const periods = await periodDifferences(sql);
    if (repair && periods.length > 0) await mendPeriods(sql);
    const buckets = await differences(sql, period, progress);
    const found = [...periods, ...buckets];
    if (!repair || found.length === 0) {
      await recordAudit(sql, period, found);
      return { found, remaining: found };
    }
    await sql`
      insert into rollup.stale_period (since, until, from_level)
      select lower(part), upper(part), 'sensor_hourly' from (
        select unnest(range_agg(tstzrange(bucket, bucket + case split_part(level, '_', 2)
          when 'hourly' then interval '1 hour' when 'daily' then interval '1 day' else interval '1 month' end))) as part
        from unnest(${arrayLiteral(buckets.map(({ level }) => level))}::text::text[],
                    ${arrayLiteral(buckets.map(({ bucket }) => bucket))}::text::timestamptz[]) as d(level, bucket)
      ) parts`;
    const remaining = [...(await periodDifferences(sql)), ...(await differences(sql, period, progress))];
    await recordAudit(sql, period, remaining);
    return { found, remaining };
  });
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
async function differences(sql: Sql, { now, from, to }: Audited, progress?: Progress): Promise<Difference[]> {
  await sql`call raw.acquire_lock('rollup.refresh')`;
  await sql`call rollup.refresh(${now})`;
  await sql`begin isolation level repeatable read`;
  await sql`select raw.release_lock('rollup.refresh')`; // the first statement: it takes the snapshot
  const pieces = await sql<{ since: string; until: string; hours: number }[]>`
    select since::text, until::text, extract(epoch from until - since)::float8 / 3600 as hours
    from logic.audited_days(${from ?? '-infinity'}, ${to ?? 'infinity'})`;
  const total = pieces.reduce((sum, { hours }) => sum + hours, 0);
  const found = new Map<string, Difference>(); // the month of several pieces may be found with each
  let done = 0;
  for (const { since, until, hours } of pieces) {
    const differing = await sql<Difference[]>`
      select * from logic.differences(${since}::text::timestamptz, ${until}::text::timestamptz) order by bucket, level, subject`;
    for (const each of differing) found.set(`${each.level} ${each.bucket} ${each.subject}`, each);
    done += hours;
    progress?.show(done, done / total);
  }
  await sql`commit`;
  return [...found.values()];
}

const RECORDED_DIFFERENCES = 10;

/** For metrics and dashboards. Records are kept for a year. */
async function recordAudit(sql: Sql, { now, from, to }: Audited, remaining: readonly Difference[]): Promise<void> {
  const first = JSON.stringify(remaining.slice(0, RECORDED_DIFFERENCES));
  await sql`
    insert into rollup.audit (made_at, since, until, differing, first_differences)
    values (${now}, ${from ?? '-infinity'}, ${to ?? 'infinity'}, ${remaining.length}, ${first}::text::jsonb)
    on conflict (made_at) do update set since = excluded.since, until = excluded.until, differing = excluded.differing,
      first_differences = excluded.first_differences`;
  await sql`delete from rollup.audit where made_at < ${now}::timestamptz - interval '1 year'`;
}
