/** One station at an instant, hidden or not: query and JSON. */
import type { Locale } from '../contract/locales.ts';
import { type Station, station } from '../contract/station.ts';
import { type ApiDb, type StationRow, stationCurrent } from '../database/apiSchema.ts';
import { pickFields, type SiteUrls } from './present.ts';

export async function askStation(db: ApiDb, at: Date, id: number): Promise<StationRow | undefined> {
  return await db.selectFrom(stationCurrent(at, id).as('station')).selectAll().executeTakeFirst();
}

export function presentStation(row: StationRow, locale: Locale, site: SiteUrls): Station {
  return pickFields(station, {
    ...row,
    title: row[`title_${locale}`],
    city: row[`city_${locale}`],
    district: row[`district_${locale}`],
    lux: null,
    url: site.station(locale, row.id),
  });
}
