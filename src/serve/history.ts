/**
 * The history of a station or a region in its five windows: query and presentation. The database
 * writes the windows as JSON, because turning columns into objects and back took half of the
 * response time.
 */
import { sql } from 'kysely';
import { WINDOWS } from '../contract/windows.ts';
import { type ApiDb, type ApiRow, apiRows } from '../database/apiDb.ts';
import { callApi } from '../database/query.ts';

/** The bounds of the windows at an instant, and the instant at which they move. */
export type Windows = { bounds: ApiRow<'history_bounds'>; valid_until: string };

/**
 * The points of each window as a JSON array, and how long that stays right (see `entry.ts`).
 */
type History = ApiRow<'station_history_json'> & { valid_until: string };

/** Returns the windows of an instant. The database is asked only when they have moved. */
export function makeWindows(db: ApiDb): (at: Date) => Promise<Windows> {
  let known: { since: Date; until: Date; windows: Windows } | undefined;
  return async (at) => {
    if (known === undefined || at < known.since || at >= known.until) {
      const windows = await queryWindows(db, at);
      known = { since: at, until: new Date(windows.valid_until), windows };
    }
    return known.windows;
  };
}

async function queryWindows(db: ApiDb, at: Date): Promise<Windows> {
  const { valid_until, ...bounds } = await db
    .selectFrom(apiRows('history_bounds', { at }).as('bounds'))
    .selectAll()
    .select(sql<string>`api.history_valid_until(${at})`.as('valid_until'))
    .executeTakeFirstOrThrow();
  return { bounds, valid_until };
}

/** One query. Undefined where there is no such station. */
export async function queryStationHistory(
  db: ApiDb,
  windows: Windows,
  id: number,
): Promise<History | undefined> {
  const [row] = await callApi(db, 'station_history_json', { only_station: id, ...windows.bounds });
  return row && { ...row, valid_until: windows.valid_until };
}

/** The same for a region. */
export async function queryRegionHistory(
  db: ApiDb,
  windows: Windows,
  slug: string,
): Promise<History | undefined> {
  const [row] = await callApi(db, 'region_history_json', { only_region: slug, ...windows.bounds });
  return row && { ...row, valid_until: windows.valid_until };
}

/** The document as JSON text: all windows in their order, those without points as empty arrays. */
export function presentHistory(history: History): string {
  return `{${WINDOWS.map(({ key }) => `"${key}":${history[key]}`).join(',')}}`;
}
