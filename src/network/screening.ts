/** Flags stations whose temperature, humidity or pressure cannot be true, and lifts flags once the data recover (C5). */
import { type DatabaseAddress, onConnection } from '../database/client.ts';

type Screened = {
  /** How many flagged periods began, and how many ended. */
  raised: number;
  lifted: number;
};

/** Readings arrive up to six days late; by then, a day has been complete for a while. */
const LOOK_BACK_DAYS = 8;

const OWNER = { role: 'airseries_owner', name: 'airseries screen' } as const;

/**
 * Screens the closed hours from `since` on (default: the last eight closed days) by the aggregates as they are. The aggregates follow the
 * flags at the next refresh.
 */
export async function screen(target: DatabaseAddress, now: Date, since?: Date): Promise<Screened> {
  return await onConnection(target, OWNER, async (sql) => {
    const [row] = await sql<Screened[]>`
      select raised, lifted from logic.screen(
        coalesce(${since ?? null}::timestamptz, rollup.bucket_add('day', rollup.bucket_start('day', ${now}), ${-LOOK_BACK_DAYS})), ${now})`;
    return row as Screened;
  });
}

/** A period in which a station is flagged because of a sensor. `until` null: it is still flagged. */
type ScreenedPeriod = {
  station_id: number;
  sensor_id: number;
  reason: string;
  since: string;
  until: string | null;
};

/** All flagged periods, newest first, with times in `timeZone`. */
export async function screenedPeriods(target: DatabaseAddress, timeZone: string): Promise<ScreenedPeriod[]> {
  return await onConnection(target, { ...OWNER, timeZone }, async (sql) => [
    ...(await sql<ScreenedPeriod[]>`
      select station_id, sensor_id, reason, since, nullif(until, 'infinity') as until
      from raw.screened_period order by since desc, station_id, sensor_id, reason`),
  ]);
}
