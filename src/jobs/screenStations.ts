/** Every ten minutes: flag stations whose temperature, humidity or pressure cannot be true, and lift flags that are over (C5). */
import type { Clock } from '../clock.ts';
import { onConnection, type Target } from '../database/connect.ts';
import { followPeriods } from '../ingest/followPeriods.ts';
import type { Log } from '../log.ts';
import type { Job } from './schedule.ts';

export type Screened = {
  /** Periods that began, and that came to an end. */
  raised: number;
  lifted: number;
  /** Readings whose quality became another one; the aggregates follow at the next refresh. */
  readings_changed: number;
};

/** Providers run up to six days late; a day more than that has been complete for a while. */
const LOOK_BACK_DAYS = 8;

const OWNER = { role: 'airseries_owner', name: 'airseries screen' } as const;

export function screenJob(target: Target, clock: Clock, log: Log): Job {
  const run = async () => {
    const screened = await screen(target, clock());
    if (screened.raised + screened.lifted > 0) log.info(screened, 'screening: stations were flagged, or flags lifted');
  };
  return { name: 'screen', every: '4-59/10 * * * *', run };
}

/** Judges the closed hours from `since` on (default: the last eight days) by the aggregates as they are. */
export async function screen(target: Target, now: Date, since?: Date): Promise<Screened> {
  const from = since ?? new Date(now.getTime() - LOOK_BACK_DAYS * 86_400_000);
  return await onConnection(target, OWNER, async (sql) => {
    const [row] = await sql<
      Omit<Screened, 'readings_changed'>[]
    >`select raised, lifted from raw.screen(${from}, ${now})`;
    return { ...(row as Omit<Screened, 'readings_changed'>), readings_changed: await followPeriods(sql) };
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
export async function screenedPeriods(target: Target, timeZone: string): Promise<ScreenedPeriod[]> {
  return await onConnection(target, { ...OWNER, timeZone }, async (sql) => [
    ...(await sql<ScreenedPeriod[]>`
      select station_id, sensor_id, reason, since, nullif(until, 'infinity') as until
      from raw.screened_period order by since desc, station_id, sensor_id, reason`),
  ]);
}
