/** The stations list at an instant: providers with a listed station, listed stations, all regions. */
import { sql } from 'kysely';
import type { Provider } from '../contract/provider.ts';
import { type ApiDb, type RegionRow, regionCurrent, type StationRow, stationCurrent } from '../database/apiSchema.ts';

export type StationsRows = { providers: Provider[]; stations: StationRow[]; regions: RegionRow[] };

export async function askStations(db: ApiDb, at: Date): Promise<StationsRows> {
  const [providers, stations, regions] = await Promise.all([
    db.selectFrom('api.provider').selectAll().orderBy(sql`id collate "C"`).execute(),
    db.selectFrom(stationCurrent(at).as('station')).selectAll().where('is_listed', '=', true).orderBy('id').execute(),
    db.selectFrom(regionCurrent(at).as('region')).selectAll().orderBy('kind').orderBy(sql`slug collate "C"`).execute(),
  ]);
  const listed = new Set(stations.map(({ provider }) => provider));
  return { providers: providers.filter(({ id }) => listed.has(id)), stations, regions };
}
