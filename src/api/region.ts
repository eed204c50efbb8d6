/** One city or district at an instant, with its health figures: query and JSON. */
import type { Locale } from '../contract/locales.ts';
import { city, district, type Region } from '../contract/region.ts';
import { type ApiDb, type ApiRow, apiRows } from '../database/apiSchema.ts';
import { pickFields, type SiteUrls } from './present.ts';

export type RegionRow = ApiRow<'region_current'>;

/** Undefined where there is no such region. */
export async function askRegion(db: ApiDb, at: Date, locale: Locale, slug: string): Promise<RegionRow | undefined> {
  return await db
    .selectFrom(apiRows('region_current', { at, only_region: slug, locale }).as('region'))
    .selectAll()
    .executeTakeFirst();
}

export function presentRegion(row: RegionRow, locale: Locale, site: SiteUrls): Region {
  const { slug, city: cityTitle, city_slug } = row;
  if (row.kind === 'city' || city_slug === null || cityTitle === null) {
    return pickFields(city, { ...row, url: site.city(locale, slug), is_hidden: row.is_hidden ?? false });
  }
  return pickFields(district, {
    ...row,
    city: cityTitle,
    city_slug,
    url: site.district(locale, city_slug, slug),
  });
}
