/** Says of a path that leads nowhere why it does, as exactly as can be told. */

import { noSuchLocale } from '../api/pathParameters.ts';
import { ENDPOINTS, PARAMETERS } from '../contract/endpoints.ts';
import { isLocale } from '../contract/locales.ts';
import { notFound, type Problem, quoted } from './problem.ts';

const PLACE = /^\/[^/]+\/air-quality-app\/v1\/(station|region)\/(.*?)(?:-history)?\.json$/s;

export function unknownPath(path: string): Problem {
  const [, locale] = /^\/([^/]*)\/air-quality-app\//.exec(path) ?? [];
  if (locale !== undefined && !isLocale(locale)) return noSuchLocale(locale);
  const [, kind, name = ''] = PLACE.exec(path) ?? [];
  if (kind === 'station') return notFound(`${quoted(name)} cannot be a ${PARAMETERS.id.meaning}.`);
  if (kind === 'region') return notFound(`${quoted(name)} cannot be a ${PARAMETERS.slug.meaning}.`);
  const paths = Object.values(ENDPOINTS).map((endpoint) => endpoint.path);
  return notFound(
    `There is nothing at ${quoted(path)}. The addresses are ${paths.join(', ')}; case matters, and none ends in a slash.`,
  );
}
