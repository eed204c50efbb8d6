/** What all presenters use: exactly the keys of a contract schema in its order, and links to the pages of the own site (C7). */

import type { z } from 'zod';
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

export function pickFields<Schema extends z.ZodObject>(schema: Schema, values: z.infer<Schema>): z.infer<Schema> {
  const keys = Object.keys(schema.shape);
  return Object.fromEntries(keys.map((key) => [key, values[key as keyof typeof values]])) as z.infer<Schema>;
}
