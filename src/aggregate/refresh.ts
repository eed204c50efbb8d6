/** Operations on the aggregates: refreshing, recomputing and compressing them. */

import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { makeProgress, type Progress } from '../base/progress.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { asOwner, type ConnectOptions, type Sql } from '../database/client.ts';

/** A session here is idle only if its process is gone; then it must release the refresh lock. */
export const REFRESH_SESSION = { name: 'airseries refresh', idleTimeoutMs: 10_000 };

/** Receives progress and warnings of long work; `terminal`: whether a person watches stderr. */
export type Watcher = { log: Log; terminal: boolean };

/**
 * When it resolves, every reading accepted before the call is in its buckets; with `lazily`, the
 * buckets of the running day and month follow every ten minutes. Readings of the running day that
 * arrive meanwhile are shown after each step of a long backfill, by the time that `clock` then
 * tells: by an older time, values of before would be shown after newer ones. May be called by any
 * process at any time: their steps run one after the other. May be interrupted anywhere: the next
 * call finishes it.
 */
export async function refresh(
  target: DatabaseAddress,
  clock: Clock,
  watcher?: Watcher,
  { lazily = false }: { lazily?: boolean } = {},
): Promise<void> {
  await watched(target, 'refreshing', watcher, {}, (sql, progress) =>
    refreshOn(sql, clock, { lazily, progress }),
  );
}

/** As `refresh`, on a connection of its own that the caller closes after any error. */
export async function refreshOn(
  sql: Sql,
  clock: Clock,
  { lazily = false, progress }: { lazily?: boolean; progress?: Progress | undefined } = {},
): Promise<void> {
  let hours = 0;
  for (;;) {
    // before the time is read: whoever waits, or is stopped, while another refreshes, would show
    // older values after newer ones
    await sql`call raw.acquire_lock('rollup.refresh')`;
    const [step] = await sql<[{ done: number; waiting: number }]>`
      call rollup.refresh_step(${clock()}, ${lazily}, null, null)`;
    await sql`select raw.release_lock('rollup.refresh')`;
    hours += step.done;
    progress?.show(hours, hours / Math.max(hours + step.waiting, 1));
    if (step.waiting === 0) return;
  }
}

/** Deletes the record of changes that showed more than two years ago (R1). */
export async function deleteOldChanges(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, REFRESH_SESSION, (sql) => sql`select logic.delete_old_changes(${now})`);
}

/** Deletes warnings that no document lists any more (R3). */
export async function deleteOldWarnings(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, REFRESH_SESSION, (sql) => sql`select logic.delete_old_warnings(${now})`);
}

/** Compresses chunks that are at rest, on an engine that can. */
export async function maintain(
  target: DatabaseAddress,
  now: Date,
  watcher?: Watcher,
): Promise<void> {
  await watched(target, 'compressing', watcher, {}, (sql) => sql`call rollup.maintain(${now})`);
}

/**
 * Does work on a separate connection, with progress, and passes the server's warnings to the
 * watcher.
 */
export async function watched<T>(
  target: DatabaseAddress,
  what: string,
  watcher: Watcher | undefined,
  session: Pick<ConnectOptions, 'timeZone'>,
  work: (sql: Sql, progress: Progress | undefined) => PromiseLike<T>,
): Promise<T> {
  const progress = watcher && makeProgress(what, watcher.log, watcher.terminal, 'hours');
  const onNotice: ConnectOptions['onNotice'] = ({ code, message = '' }) => {
    if (WARNINGS.includes(code ?? '')) watcher?.log.warn(message);
  };
  try {
    return await asOwner(target, { ...REFRESH_SESSION, ...session, onNotice }, (sql) =>
      work(sql, progress),
    );
  } finally {
    progress?.hide();
  }
}

/**
 * SQLSTATEs of our own warnings: rollup.maintain postpones a chunk, logic.follow_zone_rules found
 * other rules of the zone.
 */
const WARNINGS: readonly string[] = ['AS101', 'AS102'];

/** Half-open; a missing end is unbounded. */
export type Period = { from?: Date | undefined; to?: Date | undefined };

/**
 * Recomputes every bucket of a period, whether or not anything changed, as far back as readings are
 * kept.
 */
export async function rebuild(
  target: DatabaseAddress,
  clock: Clock,
  period: Period,
  watcher?: Watcher,
): Promise<void> {
  await watched(target, 'recomputing', watcher, {}, async (sql, progress) => {
    await sql`insert into rollup.stale (since, until, from_level, reason)
      values (${period.from ?? '-infinity'}, ${period.to ?? 'infinity'}, 'sensor_hourly', 'repair')`;
    await refreshOn(sql, clock, { progress });
  });
}
