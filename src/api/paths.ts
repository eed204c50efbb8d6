/** What a request asks for by its path, and why another path leads nowhere. */
import type { Request } from 'express';
import { ENDPOINTS, PATH_PARAMETERS } from '../contract/endpoints.ts';
import { isLocale, LOCALES, type Locale } from '../contract/locales.ts';
import { notFound, type Problem, quoted } from '../http/send.ts';

export function localeOf(req: Request): Locale {
  const locale = parameter(req, 'locale');
  if (!isLocale(locale)) throw noSuchLocale(locale);
  return locale;
}

export function stationIdOf(req: Request): number {
  const id = Number(parameter(req, 'id'));
  if (id > PATH_PARAMETERS.id.max) throw noSuchStation(id);
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

const PLACE = /^\/[^/]+\/air-quality-app\/v1\/(station|region)\/(.*?)(?:-history)?\.json$/s;

export function unknownPath(path: string): Problem {
  const [, locale] = /^\/([^/]*)\/air-quality-app\//.exec(path) ?? [];
  if (locale !== undefined && !isLocale(locale)) return noSuchLocale(locale);
  const [, kind, name = ''] = PLACE.exec(path) ?? [];
  if (kind === 'station') return notFound(`${quoted(name)} cannot be a ${PATH_PARAMETERS.id.meaning}.`);
  if (kind === 'region') return notFound(`${quoted(name)} cannot be a ${PATH_PARAMETERS.slug.meaning}.`);
  const paths = Object.values(ENDPOINTS).map((endpoint) => endpoint.path);
  return notFound(
    `There is nothing at ${quoted(path)}. The addresses are ${paths.join(', ')}; case matters, and none ends in a slash.`,
  );
}
