/** One city or district at an instant, with its health figures: query and JSON. */
import type { Locale } from '../contract/locales.ts';
import { city, district, type Region } from '../contract/region.ts';
import { type ApiDb, type RegionRow, regionCurrent } from '../database/apiSchema.ts';
import { pickFields, type SiteUrls } from './present.ts';

export async function askRegion(db: ApiDb, at: Date, slug: string): Promise<RegionRow | undefined> {
  return await db.selectFrom(regionCurrent(at, slug).as('region')).selectAll().executeTakeFirst();
}

export function presentRegion(row: RegionRow, locale: Locale, site: SiteUrls): Region {
  const title = row[`title_${locale}`];
  const { slug, city_slug, [`city_${locale}` as const]: cityTitle } = row;
  if (row.kind === 'city' || city_slug === null || cityTitle === null) {
    return pickFields(city, { ...row, title, url: site.city(locale, slug), is_hidden: row.is_hidden ?? false });
  }
  return pickFields(district, {
    ...row,
    title,
    city: cityTitle,
    city_slug,
    url: site.district(locale, city_slug, slug),
  });
}
