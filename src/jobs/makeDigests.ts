/** Every five minutes: record what every region's current values are (C4). */
import type { Clock } from '../clock.ts';
import { onConnection, type Target } from '../database/connect.ts';
import type { Job } from './schedule.ts';

/** Digests are asked for up to 30 minutes back, and by dashboards somewhat further. */
const KEPT = '35 days';

export function digestJob(target: Target, clock: Clock): Job {
  return { name: 'digest', every: '*/5 * * * *', run: async () => void (await makeDigest(target, clock())) };
}

/** Makes the digest of an instant and gives its time, in whole seconds. Asking twice for one instant makes one. */
export async function makeDigest(target: Target, at: Date): Promise<Date> {
  const second = new Date(Math.floor(at.getTime() / 1000) * 1000);
  await onConnection(target, { role: 'airseries_owner', name: 'airseries digest' }, async (sql) => {
    await sql`call rollup.make_digest(${second})`;
    await sql`delete from rollup.digest where made_at < ${second}::timestamptz - ${KEPT}::interval`;
  });
  return second;
}
