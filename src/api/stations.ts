/** The rows of the stations list to the three arrays of the specification. */
import type { StationsList } from '../contract/endpoints.ts';
import type { Locale } from '../contract/locales.ts';
import { provider } from '../contract/provider.ts';
import { inOrder } from './inOrder.ts';
import { presentStation } from './presentStation.ts';
import { presentRegion } from './region.ts';
import type { SiteUrls } from './siteUrls.ts';
import type { StationsRows } from './stationsQuery.ts';

export function presentStationsList(rows: StationsRows, locale: Locale, site: SiteUrls): StationsList {
  return {
    providers: rows.providers.map((row) => inOrder(provider, row)),
    stations: rows.stations.map((row) => presentStation(row, locale, site)),
    regions: rows.regions.map((row) => presentRegion(row, locale, site)),
  };
}
