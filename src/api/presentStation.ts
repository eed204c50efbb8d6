/** A row of current values to a Station of the specification. */
import type { Locale } from '../contract/locales.ts';
import { type Station, station } from '../contract/station.ts';
import type { StationRow } from '../database/apiSchema.ts';
import { inOrder } from './inOrder.ts';
import type { SiteUrls } from './siteUrls.ts';

export function presentStation(row: StationRow, locale: Locale, site: SiteUrls): Station {
  return inOrder(station, {
    ...row,
    title: row[`title_${locale}`],
    city: row[`city_${locale}`],
    district: row[`district_${locale}`],
    lux: null,
    url: site.station(locale, row.id),
  });
}
