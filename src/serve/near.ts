/** The places that somebody may have meant who wrote a wrong name: `Velmroa` is nearly Velmora. */
import type { ErrorRequestHandler } from 'express';
import { distance } from 'fastest-levenshtein';
import { LOCALES, type Locale } from '../contract/endpoints.ts';
import { withTimeout } from '../database/timeouts.ts';
import { Problem } from '../http/send.ts';
import type { NetworkReader } from './documents.ts';
import type { Titles } from './localizedText.ts';
import type { Network } from './stationsList.ts';

type NearPlace = { kind: 'station' | 'region'; key: string; title: string };

const MOST = 5;
const MAX_DISTANCE = 2;
/** A part of a name says which is meant from so many letters on. */
const MIN_LETTERS = 4;
/** No name is longer, and long ones take long to compare. */
const MAX_LETTERS = 60;

/** A 404 does not wait longer for the network, which is read once while it is current. */
const WAIT_MS = 500;

type Named = { kind: NearPlace['kind']; key: string; name: string };

/** The shown places whose name, in any language, is nearest to the wanted one. */
export function nearPlaces(
  network: Network,
  titles: Record<Locale, Titles>,
  locale: Locale,
  name: string,
): NearPlace[] {
  const wanted = plain(name);
  if (!/\p{L}/u.test(wanted) || wanted.length > MAX_LETTERS) return [];
  const found = new Map<string, Named>();
  let least = Infinity;
  for (const one of namesOf(network, titles)) {
    const far = farness(one.name, wanted);
    if (far === Infinity || far > least) continue;
    if (far < least) found.clear();
    least = far;
    found.set(`${one.kind} ${one.key}`, one);
  }
  return [...found.values()]
    .slice(0, MOST)
    .map(({ kind, key }) => ({ kind, key, title: titles[locale][`${kind}s`].get(key) ?? key }));
}

/** Ends the message of a 404 for a wrong name with the places that may have been meant. */
export const nameNearPlaces =
  (reader: NetworkReader): ErrorRequestHandler =>
  async (error, req, _res, next) => {
    if (!(error instanceof Problem) || error.wanted === undefined) return next(error);
    const locale = LOCALES.find((one) => req.path.startsWith(`/${one}/`)) ?? 'en';
    const read = Promise.all([reader.network(), reader.titles()]);
    const near = await withTimeout(WAIT_MS, read, () => error).then(
      ([network, { titles }]) => nearPlaces(network, titles, locale, error.wanted ?? ''),
      () => [], // the message does without
    );
    if (near.length === 0) return next(error);
    const names = near.map(({ kind, key, title }) =>
      kind === 'region' ? key : `station ${key} (${title})`,
    );
    const detail = `${error.message} Did you mean ${names.join(' or ')}?`;
    next(new Problem(error.status, detail, error.headers));
  };

/** A large network has tens of thousands of names, which are kept while it is current. */
const known = new WeakMap<Network, { titles: Record<Locale, Titles>; names: Named[] }>();

function namesOf(network: Network, titles: Record<Locale, Titles>): Named[] {
  const last = known.get(network);
  if (last?.titles === titles) return last.names;
  const named = (kind: NearPlace['kind'], key: string, more: readonly string[]): Named[] => {
    const all = [...more, ...LOCALES.flatMap((one) => titles[one][`${kind}s`].get(key) ?? [])];
    return [...new Set(all.map(plain))].map((name) => ({ kind, key, name }));
  };
  const hidden = new Set(network.regions.flatMap((one) => (one.is_hidden ? one.slug : [])));
  const names = [
    ...network.regions
      .filter((one) => !hidden.has(one.slug) && !hidden.has(one.city_slug ?? ''))
      .flatMap(({ slug }) => named('region', slug, [slug])),
    ...network.stations
      .filter((one) => one.is_listed)
      .flatMap(({ id }) => named('station', String(id), [])),
  ];
  known.set(network, { titles, names });
  return names;
}

const plain = (name: string) => name.toLowerCase().replace(/[-_\s+.]+/g, ' ');

/** The letters in which names differ, more for a name that only has the other in it; else Infinity. */
function farness(name: string, wanted: string): number {
  if (Math.abs(name.length - wanted.length) <= MAX_DISTANCE) {
    const far = distance(name, wanted);
    if (far <= MAX_DISTANCE && far * 2 < wanted.length) return far;
  }
  const has = wanted.length >= MIN_LETTERS && name.includes(wanted);
  return has ? MAX_DISTANCE + 1 : Infinity;
}
