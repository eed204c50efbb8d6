/** Current values of one station and of one region. Each is a query and its presentation. */
import type { z } from 'zod';
import { city, district, type Region, type Station, station } from '../contract/current.ts';
import type { Locale } from '../contract/endpoints.ts';
import { type ApiDb, type ApiRow, apiRows } from '../database/apiDb.ts';

const pickStation = picker(station);
const pickCity = picker(city);
const pickDistrict = picker(district);

/** Columns whose type the catalog doesn't know. */
type StationWords = Pick<Station, 'status' | 'wind_direction'>;
export type StationRow = Omit<ApiRow<'station_current'>, keyof StationWords> &
  StationWords &
  Version;
/** The data version that the row was read at (see `entry.ts`). */
export type Version = { data_version: number | null };

/** Undefined where there is no such station. */
export async function queryStation(
  db: ApiDb,
  at: Date,
  locale: Locale,
  id: number,
): Promise<StationRow | undefined> {
  return await db
    .selectFrom(apiRows('station_current', { at, locale, only_station: id }).as('station'))
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .selectAll('station')
    .select('freshness.data_version')
    .$narrowType<StationWords>()
    .executeTakeFirst();
}

/** The response of `station/{id}.json`. */
export function presentStation(row: StationRow, locale: Locale, site: SiteUrls): Station {
  return pickStation(row, { lux: null, url: site.station(locale, row.id) });
}

export type RegionRow = ApiRow<'region_current'> & Version;

/** Cities and districts at an instant, with their WHO figures: one of them, or all. */
export function selectRegions(db: ApiDb, args: { at: Date; locale: Locale; only_region?: string }) {
  return db
    .selectFrom(apiRows('region_current', args).as('region'))
    .innerJoin('api.freshness as freshness', (join) => join.onTrue())
    .selectAll('region')
    .select('freshness.data_version');
}

/** Undefined where there is no such region. */
export async function queryRegion(
  db: ApiDb,
  at: Date,
  locale: Locale,
  slug: string,
): Promise<RegionRow | undefined> {
  return await selectRegions(db, { at, locale, only_region: slug }).executeTakeFirst();
}

/**
 * The response of `region/{slug}.json`, and the element of `regions[]`: city and district differ in
 * their keys.
 */
export function presentRegion(row: RegionRow, locale: Locale, site: SiteUrls): Region {
  const { slug, city: cityTitle, city_slug } = row;
  if (row.kind === 'city' || city_slug === null || cityTitle === null) {
    return pickCity(row, { url: site.city(locale, slug), is_hidden: row.is_hidden ?? false });
  }
  return pickDistrict(row, {
    city: cityTitle,
    city_slug,
    url: site.district(locale, city_slug, slug),
  });
}

/** Links to the pages of the operator's site (C7). */
export type SiteUrls = {
  city(locale: Locale, city: string): string;
  district(locale: Locale, city: string, district: string): string;
  station(locale: Locale, id: number): string;
};

/** Empty strings where there is no base URL. Slashes at its end don't matter. */
export function makeSiteUrls(baseUrl: string): SiteUrls {
  const base = baseUrl.replace(/\/+$/, '');
  const page = (locale: Locale, path: string) =>
    base === '' ? '' : `${base}/${locale}/air-quality/${path}`;
  return {
    city: (locale, city) => page(locale, city),
    district: (locale, city, district) => page(locale, `${city}/${district}`),
    station: (locale, id) => page(locale, `station/${id}`),
  };
}

/**
 * Returns a function that copies exactly the keys of a schema, in its order, with some values
 * replaced. Create it once: it runs for every row, and lists have ten thousand.
 */
export function picker<Schema extends z.ZodObject>(schema: Schema) {
  type Picked = z.infer<Schema>;
  const keys = Object.keys(schema.shape);
  return <Given extends Partial<Picked>>(row: Omit<Picked, keyof Given>, given: Given): Picked => {
    const picked: Record<string, unknown> = {};
    for (const key of keys) picked[key] = row[key as keyof typeof row];
    return Object.assign(picked, given) as Picked;
  };
}
