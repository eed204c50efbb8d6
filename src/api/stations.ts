/** The stations list at an instant, providers with a listed station, listed stations, all regions: queries and JSON. */

import { sql } from 'kysely';
import type { StationsList } from '../contract/endpoints.ts';
import type { Locale } from '../contract/locales.ts';
import { type Provider, provider } from '../contract/station.ts';
import { type ApiDb, apiRows } from '../database/apiSchema.ts';
import { pickFields, type SiteUrls } from './present.ts';
import { presentRegion, type RegionRow } from './region.ts';
import { presentStation, type StationRow, type StationWords } from './station.ts';

export type StationsRows = { providers: Provider[]; stations: StationRow[]; regions: RegionRow[] };

export async function askStations(db: ApiDb, at: Date, locale: Locale): Promise<StationsRows> {
  const [station, region] = [apiRows('station_current', { at, locale }), apiRows('region_current', { at, locale })];
  const [providers, stations, regions] = await Promise.all([
    db.selectFrom('api.provider').selectAll().orderBy(sql`id collate "C"`).execute(),
    db
      .selectFrom(station.as('station'))
      .selectAll()
      .where('is_listed', '=', true)
      .orderBy('id')
      .$narrowType<StationWords>()
      .execute(),
    db.selectFrom(region.as('region')).selectAll().orderBy('kind').orderBy(sql`slug collate "C"`).execute(),
  ]);
  const listed = new Set(stations.map(({ provider }) => provider));
  return { providers: providers.filter(({ id }) => listed.has(id)), stations, regions };
}

export function presentStationsList(rows: StationsRows, locale: Locale, site: SiteUrls): StationsList {
  return {
    providers: rows.providers.map((row) => pickFields(provider, row)),
    stations: rows.stations.map((row) => presentStation(row, locale, site)),
    regions: rows.regions.map((row) => presentRegion(row, locale, site)),
  };
}
