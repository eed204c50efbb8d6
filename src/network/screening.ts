/**
 * Flags stations whose temperature, humidity or pressure cannot be true (C5) or whose particles are
 * suspect (C9), and lifts flags once the data recover.
 */
import type { DatabaseAddress } from '../database/address.ts';
import { onConnection, type Sql } from '../database/client.ts';

type Screened = {
  /** How many flagged periods began, and how many ended. */
  raised: number;
  lifted: number;
};

/** Readings arrive up to six days late; by then, a day has been complete for a while. */
const LOOK_BACK_DAYS = 8;

const OWNER = { role: 'airseries_owner', name: 'airseries screen' } as const;

/**
 * Screens the closed hours from `since` on (default: the last eight closed days), and from the
 * beginning of open periods, by the aggregates as they are. The aggregates follow the flags at the
 * next refresh.
 */
export const screen = (target: DatabaseAddress, now: Date, since?: Date): Promise<Screened> =>
  onConnection(target, OWNER, (sql) => screenOn(sql, now, since));

/**
 * The result of `screen` and the flagged periods that there would be, with times in `timeZone`;
 * nothing of it stays.
 */
export async function previewScreening(
  target: DatabaseAddress,
  now: Date,
  since: Date | undefined,
  timeZone: string,
): Promise<Screened & { flagged: ScreenedPeriod[] }> {
  return await onConnection(target, { ...OWNER, timeZone }, async (sql) => {
    await sql`begin`;
    try {
      return { ...(await screenOn(sql, now, since)), flagged: await periodsOn(sql) };
    } finally {
      await sql`rollback`;
    }
  });
}

async function screenOn(sql: Sql, now: Date, since?: Date): Promise<Screened> {
  const [row] = await sql<Screened[]>`
    select raised, lifted from logic.screen(
      coalesce(${since ?? null}::timestamptz, rollup.bucket_add('day', rollup.bucket_start('day', ${now}), ${-LOOK_BACK_DAYS})), ${now})`;
  return row as Screened;
}

/**
 * A period in which a station is flagged: thp because of a sensor, or pm with the values of its
 * first suspect hour. `until` null: it is still flagged.
 */
type ScreenedPeriod = {
  station_id: number;
  kind: 'thp' | 'pm';
  sensor_id: number | null;
  reason: string;
  since: string;
  until: string | null;
  evidence: {
    'pm2.5': number;
    median?: number;
    pm10?: number;
    compared_with?: { id: number; 'pm2.5': number }[];
  } | null;
  /** False for an outlier of fewer than 24 suspect hours, which still counts in regions (C9). */
  is_left_out: boolean;
};

/** All flagged periods, newest first, with times in `timeZone`. */
export const screenedPeriods = (
  target: DatabaseAddress,
  timeZone: string,
): Promise<ScreenedPeriod[]> => onConnection(target, { ...OWNER, timeZone }, periodsOn);

const periodsOn = async (sql: Sql): Promise<ScreenedPeriod[]> => [
  ...(await sql<ScreenedPeriod[]>`
    select station_id, kind, sensor_id, reason, since, nullif(until, 'infinity') as until, evidence,
      hours is null as is_left_out
    from logic.screened_period order by since desc, station_id, sensor_id, reason`),
];
