/** Links to pages of the service's own site (C7): one template each, and empty strings where there is no site. */
import type { Locale } from '../contract/locales.ts';

export const SITE_PATHS = {
  city: '/{locale}/air-quality/{city}',
  district: '/{locale}/air-quality/{city}/{district}',
  station: '/{locale}/air-quality/station/{id}',
};

export type SiteUrls = {
  city(locale: Locale, city: string): string;
  district(locale: Locale, city: string, district: string): string;
  station(locale: Locale, id: number): string;
};

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
