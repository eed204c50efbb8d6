/** Digests: the current values of all regions, recorded every few minutes (C4). */
import type { Clock } from '../base/clock.ts';
import type { DatabaseAddress } from '../database/address.ts';
import { asOwner } from '../database/client.ts';
import { refresh, type Watcher } from './refresh.ts';

const DIGEST_SESSION = { name: 'airseries digest' };

/**
 * Records the current values of every region at an instant, and returns that instant in whole
 * seconds. Repeating it changes nothing.
 */
export async function makeDigest(target: DatabaseAddress, at: Date): Promise<Date> {
  const second = new Date(Math.floor(at.getTime() / 1000) * 1000);
  await asOwner(target, DIGEST_SESSION, (sql) => sql`call logic.make_digest(${second})`);
  return second;
}

/**
 * Refreshes, then records a digest, so that what was just stored or changed shows at once, in
 * regions too. Rejects as both do.
 */
export async function refreshAndDigest(
  target: DatabaseAddress,
  clock: Clock,
  watcher?: Watcher,
): Promise<void> {
  await refresh(target, clock, watcher);
  await makeDigest(target, clock());
}

/**
 * Deletes digests older than 35 days: the API needs the last 30 minutes, dashboards somewhat more.
 * Also deletes digests that a clock which was ahead has left in the future, because the newest of
 * them would seem fresh until then.
 */
export async function deleteOldDigests(target: DatabaseAddress, now: Date): Promise<void> {
  await asOwner(target, DIGEST_SESSION, async (sql) => {
    await sql`
      delete from rollup.digest
      where made_at < ${now}::timestamptz - interval '35 days' or made_at > ${now}::timestamptz + interval '1 hour'`;
  });
}
