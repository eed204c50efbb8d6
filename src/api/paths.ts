/** What a path names: locale, station or region; and the 404 that explains a path that names nothing. */
import type { Request } from 'express';
import { ENDPOINTS, MAX_STATION_ID, PATH_PARAMETERS } from '../contract/endpoints.ts';
import { isLocale, LOCALES, type Locale } from '../contract/locales.ts';
import { notFound, type Problem, quoted } from '../http/send.ts';

/** Throws Problem 404 where there is no such locale. */
export function localeOf(req: Request): Locale {
  const locale = parameter(req, 'locale');
  if (!isLocale(locale)) throw noSuchLocale(locale);
  return locale;
}

/** Throws Problem 404 for a number that no station can have. */
export function stationIdOf(req: Request): number {
  const id = Number(parameter(req, 'id'));
  if (id > MAX_STATION_ID) throw noSuchStation(id);
  return id;
}

/** The pattern of the path has checked it. */
export function slugOf(req: Request): string {
  return parameter(req, 'slug');
}

/** These say where to find what exists. */
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

const SUBJECT = /^\/[^/]+\/air-quality-app\/v1\/(station|region)\/(.*?)(?:-history)?\.json$/s;

/** The 404 for a path that matches no endpoint, as specific as the path allows. */
export function unknownPath(path: string): Problem {
  const [, locale] = /^\/([^/]*)\/air-quality-app\//.exec(path) ?? [];
  if (locale !== undefined && !isLocale(locale)) return noSuchLocale(locale);
  const [, kind, name = ''] = SUBJECT.exec(path) ?? [];
  if (kind === 'station') return notFound(`${quoted(name)} cannot be a ${PATH_PARAMETERS.id.meaning}.`);
  if (kind === 'region') return notFound(`${quoted(name)} cannot be a ${PATH_PARAMETERS.slug.meaning}.`);
  const paths = Object.values(ENDPOINTS).map((endpoint) => endpoint.path);
  return notFound(
    `There is nothing at ${quoted(path)}. The endpoints are ${paths.join(', ')}, described in /openapi.json; case matters, and none ends in a slash.`,
  );
}
