/** One station at an instant, hidden or not; undefined if there is no such station. */
import { type ApiDb, type StationRow, stationCurrent } from '../database/apiSchema.ts';

export async function askStation(db: ApiDb, at: Date, id: number): Promise<StationRow | undefined> {
  return await db.selectFrom(stationCurrent(at, id).as('station')).selectAll().executeTakeFirst();
}
