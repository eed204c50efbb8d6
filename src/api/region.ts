/** A row of current values and health figures to a city or a district of the specification. */
import type { Locale } from '../contract/locales.ts';
import { city, district, type Region } from '../contract/region.ts';
import type { RegionRow } from '../database/apiSchema.ts';
import { inOrder } from './inOrder.ts';
import type { SiteUrls } from './siteUrls.ts';

export function presentRegion(row: RegionRow, locale: Locale, site: SiteUrls): Region {
  const title = row[`title_${locale}`];
  const { slug, city_slug, [`city_${locale}` as const]: cityTitle } = row;
  if (row.kind === 'city' || city_slug === null || cityTitle === null) {
    return inOrder(city, { ...row, title, url: site.city(locale, slug), is_hidden: row.is_hidden ?? false });
  }
  return inOrder(district, { ...row, title, city: cityTitle, city_slug, url: site.district(locale, city_slug, slug) });
}
