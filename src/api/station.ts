/** One station at an instant, hidden or not: query and JSON. */
import type { Locale } from '../contract/locales.ts';
import { type Station, station } from '../contract/station.ts';
import { type ApiDb, type ApiRow, apiRows } from '../database/apiSchema.ts';
import { pickFields, type SiteUrls } from './present.ts';

/** What the catalog cannot say of its columns. */
export type StationWords = Pick<Station, 'status'>;
export type StationRow = Omit<ApiRow<'station_current'>, keyof StationWords> & StationWords;

/** Undefined where there is no such station. */
export async function askStation(db: ApiDb, at: Date, locale: Locale, id: number): Promise<StationRow | undefined> {
  return await db
    .selectFrom(apiRows('station_current', { at, only_station: id, locale }).as('station'))
    .selectAll()
    .$narrowType<StationWords>()
    .executeTakeFirst();
}

export function presentStation(row: StationRow, locale: Locale, site: SiteUrls): Station {
  return pickFields(station, { ...row, lux: null, url: site.station(locale, row.id) });
}
