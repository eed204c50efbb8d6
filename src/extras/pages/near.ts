/** The places that somebody may have meant whose address is wrong: `Velmroa` is nearly Velmora. */
import { distance } from 'fastest-levenshtein';
import { LOCALES, type Locale } from '../../contract/endpoints.ts';
import type { Titles } from '../../serve/localizedText.ts';

/** A page of a place, by its title. */
export type NearPlace = { path: string; title: string };

const MOST = 5;
const MAX_DISTANCE = 2;
/** A part of a name says which is meant from so many letters on. */
const MIN_LETTERS = 4;
/** No name is longer, and long ones take long to compare. */
const MAX_LETTERS = 60;

type Places = { regions: readonly { slug: string }[]; stations: readonly { id: number }[] };

/** The places whose name, in any language, is nearest to the last part of the path. */
export function nearPlaces(
  { regions, stations }: Places,
  titles: Record<Locale, Titles>,
  locale: Locale,
  path: string,
): NearPlace[] {
  const wanted = plain(path.split('/').findLast((part) => part !== '') ?? '');
  if (!/\p{L}/u.test(wanted) || wanted.length > MAX_LETTERS) return [];
  const namesOf = (kind: 'stations' | 'regions', key: string) =>
    LOCALES.flatMap((one) => titles[one][kind].get(key) ?? []);
  const found: (NearPlace & { far: number })[] = [];
  const compare = (kind: 'station' | 'region', key: string, names: readonly string[]) => {
    const far = Math.min(...names.map((name) => farness(plain(name), wanted)));
    const title = titles[locale][`${kind}s`].get(key) ?? key;
    if (far < Infinity) found.push({ path: `/${locale}/${kind}/${key}`, title, far });
  };
  for (const { slug } of regions) compare('region', slug, [slug, ...namesOf('regions', slug)]);
  for (const { id } of stations) compare('station', String(id), namesOf('stations', String(id)));
  const least = Math.min(...found.map(({ far }) => far));
  return found.filter(({ far }) => far === least).slice(0, MOST);
}

const plain = (name: string) => name.toLowerCase().replace(/[-_\s+.]+/g, ' ');

/** The letters in which names differ, more for a name that only has the other in it; else Infinity. */
function farness(name: string, wanted: string): number {
  const far = distance(name, wanted);
  if (far <= MAX_DISTANCE && far * 2 < wanted.length) return far;
  const has = wanted.length >= MIN_LETTERS && name.includes(wanted);
  return has ? MAX_DISTANCE + 1 : Infinity;
}
