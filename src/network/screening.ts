/** Flags stations whose temperature, humidity or pressure cannot be true, and lifts flags that are over (C5). */
import { type DatabaseAddress, onConnection } from '../database/client.ts';

export type Screened = {
  /** Periods that began, and that came to an end. */
  raised: number;
  lifted: number;
};

/** Providers run up to six days late; a day more than that has been complete for a while. */
const LOOK_BACK_DAYS = 8;

const OWNER = { role: 'airseries_owner', name: 'airseries screen' } as const;

/** Judges the closed hours from `since` on (default: the last eight closed days) by the aggregates as they are; they follow at the next refresh. */
export async function screen(target: DatabaseAddress, now: Date, since?: Date): Promise<Screened> {
  return await onConnection(target, OWNER, async (sql) => {
    const [row] = await sql<Screened[]>`
      select raised, lifted from logic.screen(
        coalesce(${since ?? null}::timestamptz, rollup.bucket_add('day', rollup.bucket_start('day', ${now}), ${-LOOK_BACK_DAYS})), ${now})`;
    return row as Screened;
  });
}

export type ScreenedPeriod = {
  station_id: number;
  sensor_id: number;
  reason: string;
  since: string;
  until: string | null;
};

/** What is flagged, newest first. `until` null: still. */
export async function screenedPeriods(target: DatabaseAddress, timeZone: string): Promise<ScreenedPeriod[]> {
  return await onConnection(target, { ...OWNER, timeZone }, async (sql) => [
    ...(await sql<ScreenedPeriod[]>`
      select station_id, sensor_id, reason, since, nullif(until, 'infinity') as until
      from raw.screened_period order by since desc, station_id, sensor_id, reason`),
  ]);
}
