/** Operations on the aggregates: refreshing, rebuilding, compressing and auditing them, and the digests of regions' current values (C4). */
import type { Clock } from '../clock.ts';
import { arrayLiteral, asOwner, type DatabaseAddress, type Sql } from '../database/client.ts';

/** A session here is never idle, unless its process is gone; then it must not keep the refresh lock from others. */
export const REFRESH_SESSION = { name: 'airseries refresh', idleTimeoutMs: 10_000 };
const DIGEST_SESSION = { name: 'airseries digest' };

/**
 * When it resolves, every reading accepted before the call is in its buckets. May be called by any process at any time: concurrent calls
 * run one after the other. May be interrupted anywhere: the next call finishes it.
 */
export async function refresh(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, REFRESH_SESSION, (sql) => sql`call rollup.refresh(${now})`);
}

/** Compresses chunks that are at rest, on an engine that can. */
export async function maintain(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, REFRESH_SESSION, (sql) => sql`call rollup.maintain(${now})`);
}

/** Half-open; a missing end is unbounded. */
export type Period = { from?: Date | undefined; to?: Date | undefined };

/** Recomputes every bucket of a period, whether or not anything changed, as far back as readings are kept. */
export async function rebuild(target: DatabaseAddress, now: Date, period: Period): Promise<void> {
  await asOwner(target, REFRESH_SESSION, async (sql) => {
    await sql`insert into rollup.stale_period (since, until, from_level)
      values (${period.from ?? '-infinity'}, ${period.to ?? 'infinity'}, 'sensor_hourly')`;
    await sql`call rollup.refresh(${now})`;
  });
}

/** A bucket that differs from what the readings give. `columns` are those that differ, or `missing` or `surplus`. */
export type Difference = { level: string; bucket: string; subject: string; columns: string[] };

type AuditOptions = Period & { now: Date; repair?: boolean; timeZone: string };

/**
 * Refreshes, then recomputes every bucket of the months that the period touches and compares. `repair` recomputes the stored buckets that
 * differ; `left` are those that still differ. Buckets are given in `timeZone`. The result is recorded in rollup.audit.
 */
export async function audit(
  target: DatabaseAddress,
  { now, from, to, repair = false, timeZone }: AuditOptions,
): Promise<{ found: Difference[]; left: Difference[] }> {
  return await asOwner(target, { ...REFRESH_SESSION, timeZone }, async (sql) => {
    const found = await differences(sql, { now, from, to });
    if (!repair || found.length === 0) {
      await recordAudit(sql, { now, from, to }, found);
      return { found, left: found };
    }
    await sql`
      insert into rollup.stale_period (since, until, from_level)
      select lower(part), upper(part), 'sensor_hourly' from (
        select unnest(range_agg(tstzrange(bucket, bucket + case split_part(level, '_', 2)
          when 'hourly' then interval '1 hour' when 'daily' then interval '1 day' else interval '1 month' end))) as part
        from unnest(${arrayLiteral(found.map(({ level }) => level))}::text::text[],
                    ${arrayLiteral(found.map(({ bucket }) => bucket))}::text::timestamptz[]) as d(level, bucket)
      ) parts`;
    const left = await differences(sql, { now, from, to });
    await recordAudit(sql, { now, from, to }, left);
    return { found, left };
  });
}

/** One snapshot, taken while no refresh is halfway through the levels; other refreshes may run during the comparison. */
async function differences(sql: Sql, { now, from, to }: Period & { now: Date }): Promise<Difference[]> {
  await sql`call raw.acquire_lock('rollup.refresh')`;
  await sql`call rollup.refresh(${now})`;
  await sql`begin isolation level repeatable read`;
  await sql`select raw.release_lock('rollup.refresh')`; // the first statement: it takes the snapshot
  const found = await sql<Difference[]>`
    select * from logic.differences(${from ?? '-infinity'}, ${to ?? 'infinity'}) order by bucket, level, subject`;
  await sql`commit`;
  return [...found];
}

const RECORDED_DIFFERENCES = 10;

/** For metrics and dashboards. Records are kept for a year. */
async function recordAudit(
  sql: Sql,
  { now, from, to }: Period & { now: Date },
  left: readonly Difference[],
): Promise<void> {
  const first = JSON.stringify(left.slice(0, RECORDED_DIFFERENCES));
  await sql`
    insert into rollup.audit (made_at, since, until, differing, first_differences)
    values (${now}, ${from ?? '-infinity'}, ${to ?? 'infinity'}, ${left.length}, ${first}::text::jsonb)
    on conflict (made_at) do update set since = excluded.since, until = excluded.until, differing = excluded.differing,
      first_differences = excluded.first_differences`;
  await sql`delete from rollup.audit where made_at < ${now}::timestamptz - interval '1 year'`;
}

/** Records the current values of every region at an instant, and returns that instant in whole seconds. Repeating it changes nothing. */
export async function makeDigest(target: DatabaseAddress, at: Date): Promise<Date> {
  const second = new Date(Math.floor(at.getTime() / 1000) * 1000);
  await asOwner(target, DIGEST_SESSION, (sql) => sql`call logic.make_digest(${second})`);
  return second;
}

/** Refreshes, then records a digest, so that what was just stored or changed shows at once, in regions too. Rejects as both do. */
export async function refreshAndDigest(target: DatabaseAddress, clock: Clock): Promise<void> {
  await refresh(target, clock());
  await makeDigest(target, clock());
}

/** Deletes digests older than 35 days. The API needs those of the last 30 minutes, dashboards somewhat older ones. */
export async function deleteOldDigests(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, DIGEST_SESSION, async (sql) => {
    await sql`delete from rollup.digest where made_at < ${now}::timestamptz - interval '35 days'`;
  });
}
