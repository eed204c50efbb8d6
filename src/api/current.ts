/** Current values: of one station, of one region, and of all of them in the stations list. Each is a query and its presentation. */
import { sql } from 'kysely';
import type { z } from 'zod';
import { city, district, type Provider, provider, type Region, type Station, station } from '../contract/current.ts';
import type { Locale, StationsList } from '../contract/endpoints.ts';
import type { ApiDb, ApiRow } from '../database/pools.ts';
import { apiRows } from '../database/queryPool.ts';

const pickStation = picker(station);
const pickCity = picker(city);
const pickDistrict = picker(district);
const pickProvider = picker(provider);

/** Columns whose type the catalog doesn't know. */
type StationWords = Pick<Station, 'status' | 'wind_direction'>;
export type StationRow = Omit<ApiRow<'station_current'>, keyof StationWords> & StationWords & Version;

/** The data version that the row was read at (see `documents.ts`). */
type Version = { data_version: number | null };

/** A station at an instant, hidden or not; undefined where there is none. */
export async function queryStation(db: ApiDb, at: Date, locale: Locale, id: number): Promise<StationRow | undefined> {
  return await db
    .selectFrom(apiRows('station_current', { at, only_station: id, locale }).as('station'))
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .selectAll('station')
    .select('freshness.data_version')
    .$narrowType<StationWords>()
    .executeTakeFirst();
}

/** The response of `station/{id}.json`, and the element of `stations[]`. */
export function presentStation(row: StationRow, locale: Locale, site: SiteUrls): Station {
  return pickStation({ ...row, lux: null, url: site.station(locale, row.id) });
}

export type RegionRow = ApiRow<'region_current'> & Version;

/** A city or district at an instant, with its WHO figures; undefined where there is none. */
export async function queryRegion(db: ApiDb, at: Date, locale: Locale, slug: string): Promise<RegionRow | undefined> {
  return await db
    .selectFrom(apiRows('region_current', { at, only_region: slug, locale }).as('region'))
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .selectAll('region')
    .select('freshness.data_version')
    .executeTakeFirst();
}

/** The response of `region/{slug}.json`, and the element of `regions[]`: city and district differ in their keys. */
export function presentRegion(row: RegionRow, locale: Locale, site: SiteUrls): Region {
  const { slug, city: cityTitle, city_slug } = row;
  if (row.kind === 'city' || city_slug === null || cityTitle === null) {
    return pickCity({ ...row, url: site.city(locale, slug), is_hidden: row.is_hidden ?? false });
  }
  return pickDistrict({
    ...row,
    city: cityTitle,
    city_slug,
    url: site.district(locale, city_slug, slug),
  });
}

type StationsRows = { providers: Provider[]; stations: StationRow[]; regions: RegionRow[] };

/** All providers, stations (hidden ones too: they may appear with time) and regions, each in the order of the response. */
export async function queryStations(db: ApiDb, at: Date, locale: Locale): Promise<StationsRows> {
  const [station, region] = [apiRows('station_current', { at, locale }), apiRows('region_current', { at, locale })];
  const [providers, stations, regions] = await Promise.all([
    db.selectFrom('api.provider').selectAll().orderBy(sql`id collate "C"`).execute(),
    db
      .selectFrom(station.as('station'))
      .innerJoin('api.freshness as freshness', (join) => join.onTrue())
      .selectAll('station')
      .select('freshness.data_version')
      .orderBy('id')
      .$narrowType<StationWords>()
      .execute(),
    db
      .selectFrom(region.as('region'))
      .innerJoin('api.freshness as freshness', (join) => join.onTrue())
      .selectAll('region')
      .select('freshness.data_version')
      .orderBy('kind')
      .orderBy(sql`slug collate "C"`)
      .execute(),
  ]);
  return { providers, stations, regions };
}

/** The response of `stations.json`. */
export function presentStationsList(rows: StationsRows, locale: Locale, site: SiteUrls): StationsList {
  const listed = rows.stations.filter((row) => row.is_listed);
  const providers = new Set(listed.map((row) => row.provider));
  return {
    providers: rows.providers.filter(({ id }) => providers.has(id)).map(pickProvider),
    stations: listed.map((row) => presentStation(row, locale, site)),
    regions: rows.regions.map((row) => presentRegion(row, locale, site)),
  };
}

const SITE_PATHS = {
  city: '/{locale}/air-quality/{city}',
  district: '/{locale}/air-quality/{city}/{district}',
  station: '/{locale}/air-quality/station/{id}',
};

/** Links to the pages of the operator's site (C7). */
export type SiteUrls = {
  city(locale: Locale, city: string): string;
  district(locale: Locale, city: string, district: string): string;
  station(locale: Locale, id: number): string;
};

/** Empty strings where there is no base URL. Slashes at its end don't matter. */
export function makeSiteUrls(baseUrl: string, paths = SITE_PATHS): SiteUrls {
  const base = baseUrl.replace(/\/+$/, '');
  const fill = (template: string, words: Record<string, string>) =>
    base === '' ? '' : base + template.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole);
  return {
    city: (locale, city) => fill(paths.city, { locale, city }),
    district: (locale, city, district) => fill(paths.district, { locale, city, district }),
    station: (locale, id) => fill(paths.station, { locale, id: String(id) }),
  };
}

/** Returns what copies the values of a schema's keys, in the schema's order, without any others. Make it once: it is called per row. */
function picker<Schema extends z.ZodObject>(schema: Schema): (values: z.infer<Schema>) => z.infer<Schema> {
  const keys = Object.keys(schema.shape);
  return (values) => {
    const picked: Record<string, unknown> = {};
    for (const key of keys) picked[key] = values[key as keyof typeof values];
    return picked as z.infer<Schema>;
  };
}
