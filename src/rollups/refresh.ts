/** Operations on the aggregates: refreshing, rebuilding, compressing and auditing them, and the digests of regions' current values (C4). */
import type { Clock } from '../clock.ts';
import { arrayLiteral, asOwner, type ConnectOptions, type DatabaseAddress, type Sql } from '../database/client.ts';
import type { Log } from '../log.ts';
import { makeProgress, type Progress } from '../progress.ts';

/** A session here is never idle, unless its process is gone; then it must not keep the refresh lock from others. */
export const REFRESH_SESSION = { name: 'airseries refresh', idleTimeoutMs: 10_000 };
const DIGEST_SESSION = { name: 'airseries digest' };

/** Who is told how far long work has come, and of warnings; `terminal`: whether a person watches stderr. */
type Watcher = { log: Log; terminal: boolean };

/**
 * When it resolves, every reading accepted before the call is in its buckets. May be called by any process at any time: concurrent calls
 * run one after the other. May be interrupted anywhere: the next call finishes it.
 */
export async function refresh(target: DatabaseAddress, now: Date, watcher?: Watcher): Promise<void> {
  await watched(target, 'refreshing', watcher, {}, (sql) => sql`call rollup.refresh(${now})`);
}

/** Compresses chunks that are at rest, on an engine that can. */
export async function maintain(target: DatabaseAddress, now: Date, watcher?: Watcher): Promise<void> {
  await watched(target, 'compressing', watcher, {}, (sql) => sql`call rollup.maintain(${now})`);
}

/** Does work on a connection of its own, and tells the watcher of the progress and the warnings that the server sends meanwhile. */
async function watched<T>(
  target: DatabaseAddress,
  what: string,
  watcher: Watcher | undefined,
  session: Pick<ConnectOptions, 'timeZone'>,
  work: (sql: Sql, progress: Progress | undefined) => PromiseLike<T>,
): Promise<T> {
  const progress = watcher && makeProgress(what, watcher.log, watcher.terminal, 'hours');
  const onNotice: ConnectOptions['onNotice'] = ({ code, message = '' }) => {
    if (code === PROGRESS) {
      const [done = 0, total = 0] = message.split(' of ').map(Number);
      progress?.show(done, total === 0 ? undefined : done / total);
    } else if (code === LEFT) watcher?.log.warn(message);
  };
  try {
    return await asOwner(target, { ...REFRESH_SESSION, ...session, onNotice }, (sql) => work(sql, progress));
  } finally {
    progress?.hide();
  }
}

/** SQLSTATE of the notices in which rollup.refresh says how far it has come: `12 of 744`. */
const PROGRESS = 'AS100';
/** And of the warnings in which rollup.maintain names what it has left. */
const LEFT = 'AS101';

/** Half-open; a missing end is unbounded. */
export type Period = { from?: Date | undefined; to?: Date | undefined };

/** Recomputes every bucket of a period, whether or not anything changed, as far back as readings are kept. */
export async function rebuild(target: DatabaseAddress, now: Date, period: Period, watcher?: Watcher): Promise<void> {
  await watched(target, 'recomputing', watcher, {}, async (sql) => {
    await sql`insert into rollup.stale_period (since, until, from_level)
      values (${period.from ?? '-infinity'}, ${period.to ?? 'infinity'}, 'sensor_hourly')`;
    await sql`call rollup.refresh(${now})`;
  });
}

/**
 * A bucket that differs from what the readings give, or a period of raw.placement or raw.membership (level placement or membership, its
 * start as the bucket) that differs from what the network gives. `columns` are those that differ, or `missing` or `surplus`.
 */
export type Difference = { level: string; bucket: string; subject: string; columns: string[] };

type AuditOptions = Period & { now: Date; repair?: boolean; timeZone: string; watcher?: Watcher };

/**
 * Compares the periods by which buckets are computed with the network; then refreshes, recomputes every bucket of the months that the period
 * touches, and compares. `repair` mends the periods before, since wrong ones make buckets wrong, and recomputes the stored buckets that
 * differ; `left` is what still differs. Buckets are given in `timeZone`. The result is recorded in rollup.audit.
 */
export async function audit(
  target: DatabaseAddress,
  { now, from, to, repair = false, timeZone, watcher }: AuditOptions,
): Promise<{ found: Difference[]; left: Difference[] }> {
  return await watched(target, 'auditing', watcher, { timeZone }, async (sql, progress) => {
    const periods = await periodDifferences(sql);
    if (repair && periods.length > 0) await mendPeriods(sql);
    const found = [...periods, ...(await differences(sql, { now, from, to }, progress))];
    if (!repair || found.length === 0) {
      await recordAudit(sql, { now, from, to }, found);
      return { found, left: found };
    }
    const buckets = found.slice(periods.length);
    await sql`
      insert into rollup.stale_period (since, until, from_level)
      select lower(part), upper(part), 'sensor_hourly' from (
        select unnest(range_agg(tstzrange(bucket, bucket + case split_part(level, '_', 2)
          when 'hourly' then interval '1 hour' when 'daily' then interval '1 day' else interval '1 month' end))) as part
        from unnest(${arrayLiteral(buckets.map(({ level }) => level))}::text::text[],
                    ${arrayLiteral(buckets.map(({ bucket }) => bucket))}::text::timestamptz[]) as d(level, bucket)
      ) parts`;
    const left = [...(await periodDifferences(sql)), ...(await differences(sql, { now, from, to }, progress))];
    await recordAudit(sql, { now, from, to }, left);
    return { found, left };
  });
}

const periodDifferences = (sql: Sql) =>
  sql<Difference[]>`select * from logic.period_differences() order by level, subject, bucket`;

const mendPeriods = (sql: Sql) =>
  sql`
    do $$ begin
      lock table raw.network_lock in exclusive mode;
      perform logic.apply_periods();
      perform logic.raise_data_version();
    end $$`;

/** One snapshot, taken while no refresh is halfway through the levels; other refreshes may run during the comparison, month by month. */
async function differences(
  sql: Sql,
  { now, from, to }: Period & { now: Date },
  progress: Progress | undefined,
): Promise<Difference[]> {
  await sql`call raw.acquire_lock('rollup.refresh')`;
  await sql`call rollup.refresh(${now})`;
  await sql`begin isolation level repeatable read`;
  await sql`select raw.release_lock('rollup.refresh')`; // the first statement: it takes the snapshot
  const months = await sql<{ since: string; until: string; hours: number }[]>`
    select since::text, until::text, extract(epoch from until - since)::float8 / 3600 as hours
    from logic.audited_months(${from ?? '-infinity'}, ${to ?? 'infinity'})`;
  const total = months.reduce((sum, { hours }) => sum + hours, 0);
  const found: Difference[] = [];
  let done = 0;
  for (const { since, until, hours } of months) {
    found.push(
      ...(await sql<Difference[]>`
        select * from logic.differences(${since}::text::timestamptz, ${until}::text::timestamptz) order by bucket, level, subject`),
    );
    done += hours;
    progress?.show(done, done / total);
  }
  await sql`commit`;
  return found;
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
export async function refreshAndDigest(target: DatabaseAddress, clock: Clock, watcher?: Watcher): Promise<void> {
  await refresh(target, clock(), watcher);
  await makeDigest(target, clock());
}

/** Deletes digests older than 35 days. The API needs those of the last 30 minutes, dashboards somewhat older ones. */
export async function deleteOldDigests(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, DIGEST_SESSION, async (sql) => {
    await sql`delete from rollup.digest where made_at < ${now}::timestamptz - interval '35 days'`;
  });
}
