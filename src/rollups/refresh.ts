/** Bringing the aggregates up to date, and asking the oracle whether they are. */
import { arrayLiteral, onConnection, type Sql, type Target } from '../database/client.ts';

/**
 * All that was accepted before the call is in every bucket when it resolves. Safe to call from anywhere at any time; a second
 * caller waits for the first.
 */
export async function refresh(target: Target, now: Date): Promise<void> {
  await asOwner(target, (sql) => sql`call rollup.refresh(${now})`);
}

/** Storage housekeeping (compression of what rests, where the engine has it). */
export async function maintain(target: Target, now: Date): Promise<void> {
  await asOwner(target, (sql) => sql`call rollup.maintain(${now})`);
}

/** Half-open; a missing end is open. */
export type Period = { from?: Date | undefined; to?: Date | undefined };

/** Computes every bucket of a period anew, whether or not anything changed. */
export async function rebuild(target: Target, now: Date, period: Period): Promise<void> {
  await asOwner(target, async (sql) => {
    await sql`insert into rollup.stale_period (since, until, from_level)
      values (${period.from ?? '-infinity'}, ${period.to ?? 'infinity'}, 'sensor_hourly')`;
    await sql`call rollup.refresh(${now})`;
  });
}

/** A bucket whose stored value is not what raw.readings says, and in which columns. */
export type Difference = { level: string; bucket: string; subject: string; columns: string[] };

/**
 * Refreshes, then compares every bucket of the months that the period touches with the same question asked of the readings.
 * With `repair`, computes the differing buckets anew; what it returns then is what still differs.
 */
export async function audit(
  target: Target,
  { now, from, to, repair = false, timeZone }: Period & { now: Date; repair?: boolean; timeZone: string },
): Promise<{ found: Difference[]; left: Difference[] }> {
  return await asOwner(
    target,
    async (sql) => {
      const found = await differences(sql, { now, from, to });
      if (!repair || found.length === 0) {
        await record(sql, { now, from, to }, found);
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
      await record(sql, { now, from, to }, left);
      return { found, left };
    },
    timeZone,
  );
}

const SHOWN = 10;

/** For whoever watches: what is wrong now. */
async function record(sql: Sql, { now, from, to }: Period & { now: Date }, left: readonly Difference[]): Promise<void> {
  const first = JSON.stringify(left.slice(0, SHOWN));
  await sql`
    insert into rollup.audit (made_at, since, until, differing, first_differences)
    values (${now}, ${from ?? '-infinity'}, ${to ?? 'infinity'}, ${left.length}, ${first}::text::jsonb)
    on conflict (made_at) do update set since = excluded.since, until = excluded.until, differing = excluded.differing,
      first_differences = excluded.first_differences`;
  await sql`delete from rollup.audit where made_at < ${now}::timestamptz - interval '1 year'`;
}

/** Looks at one snapshot, taken while no refresh is half way through its levels; refreshes may go on while it is being looked at. */
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

/** Here a session waits for nothing: one that does has lost its process, and must not keep the refresh from others. */
const IDLE_MS = 10_000;

/** On a connection of its own that is closed in any case: a refresh holds a session lock, which must not outlive an error on a pool. */
export function asOwner<T>(target: Target, work: (sql: Sql) => PromiseLike<T>, timeZone = 'UTC'): Promise<T> {
  const options = { role: 'airseries_owner', name: 'airseries refresh', timeZone, idleTimeoutMs: IDLE_MS } as const;
  return onConnection(target, options, work);
}

/** Recording what every region's current values are (C4). */

/** Makes the digest of an instant and gives its time, in whole seconds. Asking twice for one instant makes one. */
export async function makeDigest(target: Target, at: Date): Promise<Date> {
  const second = new Date(Math.floor(at.getTime() / 1000) * 1000);
  await onConnection(target, { role: 'airseries_owner', name: 'airseries digest' }, async (sql) => {
    await sql`call logic.make_digest(${second})`;
  });
  return second;
}

/** Forgets the digests that nobody asks for any more: they are asked for 30 minutes back, and by dashboards somewhat further. */
export async function deleteOldDigests(target: Target, now: Date): Promise<void> {
  await onConnection(target, { role: 'airseries_owner', name: 'airseries digest' }, async (sql) => {
    await sql`delete from rollup.digest where made_at < ${now}::timestamptz - interval '35 days'`;
  });
}
