/** Recording what every region's current values are (C4). */
import { onConnection, type Target } from '../database/client.ts';

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
