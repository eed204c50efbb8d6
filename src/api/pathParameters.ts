/** What a request asks for. The paths' patterns have let through only what looks right. */
import type { Request } from 'express';
import { PARAMETERS } from '../contract/endpoints.ts';
import { isLocale, LOCALES, type Locale } from '../contract/locales.ts';
import { notFound, quoted } from '../http/problem.ts';

export function localeOf(req: Request): Locale {
  const locale = parameter(req, 'locale');
  if (!isLocale(locale)) throw noSuchLocale(locale);
  return locale;
}

export function stationIdOf(req: Request): number {
  const id = Number(parameter(req, 'id'));
  if (id > PARAMETERS.id.max) throw noSuchStation(id);
  return id;
}

export function slugOf(req: Request): string {
  return parameter(req, 'slug');
}

export const noSuchLocale = (locale: string) =>
  notFound(
    `There is no locale ${quoted(locale)}. Use one of ${LOCALES.join(', ')}, as in /en/air-quality-app/v1/stations.json.`,
  );

export const noSuchStation = (id: number) =>
  notFound(`There is no station ${id}. The ids of all listed stations are in stations.json, as stations[].id.`);

export const noSuchRegion = (slug: string) =>
  notFound(
    `There is no region ${quoted(slug)}. The slugs of all cities and districts are in stations.json, as regions[].slug.`,
  );

function parameter(req: Request, name: string): string {
  return String(req.params[name]);
}
