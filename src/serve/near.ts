/** The places that somebody may have meant who wrote a wrong name: `Velmroa` is nearly Velmora. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ErrorRequestHandler } from 'express';
import { distance } from 'fastest-levenshtein';
import { LOCALES, type Locale } from '../contract/endpoints.ts';
import { withTimeout } from '../database/timeouts.ts';
import { type NearPlace, Problem } from '../http/send.ts';
import type { NetworkReader } from './documents.ts';
import type { Titles } from './localizedText.ts';
import type { Network } from './stationsList.ts';

const MOST = 5;
const MAX_DISTANCE = 2;
/** Shorter parts of a name match too much. */
const MIN_LETTERS = 4;
/** No name is longer, and long ones take long to compare. */
const MAX_LETTERS = 60;
/**
 * At most this many names are compared letter by letter, at 1 to 5 µs each: first those with nearly
 * the same letters. Of 10,000 stations whose titles differ in a number, thousands are near.
 */
const MAX_COMPARED = 100;
/** Letters are counted by the lower bits of their code: each Latin or Cyrillic one by itself. */
const LETTERS = 32;
/** Places made ready for the search in one turn of the event loop. */
const TURN = 100;

/** A 404 does not wait longer for the network, which is read once while it is current. */
const WAIT_MS = 500;

type Named = { kind: NearPlace['kind']; key: string; name: string };

/** The shown places whose name, in any language, is nearest to the wanted one. */
export async function nearPlaces(
  network: Network,
  titles: Record<Locale, Titles>,
  locale: Locale,
  name: string,
): Promise<NearPlace[]> {
  const wanted = plain(name);
  if (!/\p{L}/u.test(wanted) || wanted.length > MAX_LETTERS) return [];
  const names = await namesOf(network, titles);
  const near = misspelled(names, wanted);
  const found = near.length > 0 ? near : containing(names, wanted);
  return found.map(({ kind, key }) => ({
    kind,
    key,
    title: titles[locale][`${kind}s`].get(key) ?? key,
  }));
}

/** Ends the message of a 404 for a wrong name with the places that may have been meant. */
export const nameNearPlaces =
  (reader: NetworkReader): ErrorRequestHandler =>
  async (error, req, res, next) => {
    if (!(error instanceof Problem) || error.wanted === undefined) return next(error);
    const { wanted } = error;
    const ofPath = LOCALES.find((one) => req.path.startsWith(`/${one}/`));
    const locale: Locale = ofPath ?? res.locals.pageLocale ?? 'en';
    const search = Promise.all([reader.network(), reader.titles()]).then(([network, { titles }]) =>
      nearPlaces(network, titles, locale, wanted),
    );
    const near = await withTimeout(WAIT_MS, search, () => error).catch(() => []); // does without
    if (near.length === 0) return next(error);
    const names = near.map(({ kind, key, title }) =>
      kind === 'region' ? key : `station ${key} (${title})`,
    );
    const detail = `${error.message} Did you mean ${names.join(' or ')}?`;
    next(new Problem(error.status, detail, error.headers, undefined, near, error.meant));
  };

/**
 * The names of a network, ready to be searched. `text`: all of them, a line each; `byStart`: by the
 * place in it where they begin; `byLength`: positions in `named`; `letters`: how often each letter
 * stands in each name, LETTERS numbers for each position.
 */
type Names = {
  named: Named[];
  text: string;
  byStart: Map<number, Named>;
  byLength: Map<number, number[]>;
  letters: Uint8Array;
};

/** A large network has tens of thousands of names, which are kept while it is current. */
const known = new WeakMap<Network, { titles: Record<Locale, Titles>; names: Promise<Names> }>();

function namesOf(network: Network, titles: Record<Locale, Titles>): Promise<Names> {
  const last = known.get(network);
  if (last?.titles === titles) return last.names;
  const names = readNames(network, titles);
  known.set(network, { titles, names });
  return names;
}

async function readNames(network: Network, titles: Record<Locale, Titles>): Promise<Names> {
  const hidden = new Set(network.regions.flatMap((one) => (one.is_hidden ? one.slug : [])));
  const places = [
    ...network.regions
      .filter((one) => !hidden.has(one.slug) && !hidden.has(one.city_slug ?? ''))
      .map(({ slug }) => ({ kind: 'region', key: slug, more: [slug] }) as const),
    ...network.stations
      .filter((one) => one.is_listed)
      .map(({ id }) => ({ kind: 'station', key: String(id), more: [] }) as const),
  ];
  const named: Named[] = [];
  for (const [n, { kind, key, more }] of places.entries()) {
    if (n % TURN === TURN - 1) await yieldToEventLoop();
    const all = [...more, ...LOCALES.flatMap((one) => titles[one][`${kind}s`].get(key) ?? [])];
    for (const name of new Set(all.map(plain))) named.push({ kind, key, name });
  }
  const byStart = new Map<number, Named>();
  const byLength = new Map<number, number[]>();
  const letters = new Uint8Array(named.length * LETTERS);
  let start = 0;
  for (const [at, one] of named.entries()) {
    if (at % (TURN * 10) === 0) await yieldToEventLoop();
    byStart.set(start, one);
    start += one.name.length + 1;
    if (one.name.length > MAX_LETTERS + MAX_DISTANCE) continue; // too long to be misspelled
    const alike = byLength.get(one.name.length);
    if (alike === undefined) byLength.set(one.name.length, [at]);
    else alike.push(at);
    countLetters(one.name, letters, at * LETTERS);
  }
  return { named, text: named.map(({ name }) => name).join('\n'), byStart, byLength, letters };
}

const plain = (name: string) => name.toLowerCase().replace(/[-_\s+.]+/g, ' ');

function countLetters(name: string, counts: Uint8Array, from = 0): Uint8Array {
  for (let n = 0; n < name.length; n++) {
    const at = from + (name.charCodeAt(n) % LETTERS);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}

/** Places that have a name with the fewest letters missing, added or changed, as they are listed. */
function misspelled({ named, byLength, letters }: Names, wanted: string): Named[] {
  // each such letter changes one of these numbers, or two of them, by one
  const counts = countLetters(wanted, new Uint8Array(LETTERS));
  const alike: number[][] = Array.from({ length: 2 * MAX_DISTANCE + 1 }, () => []);
  for (let more = -MAX_DISTANCE; more <= MAX_DISTANCE; more++)
    for (const at of byLength.get(wanted.length + more) ?? []) {
      const group = alike[countsApart(counts, letters, at * LETTERS)];
      if (group !== undefined && group.length < MAX_COMPARED) group.push(at);
    }
  // of a short name, fewer than half of the letters may differ
  let least = Math.min(MAX_DISTANCE, Math.ceil(wanted.length / 2) - 1);
  let found: number[] = [];
  for (const at of alike.flat().slice(0, MAX_COMPARED)) {
    const far = distance((named[at] as Named).name, wanted);
    if (far < least) found = [];
    if (far > least) continue;
    least = far;
    found.push(at);
  }
  const places = found.sort((a, b) => a - b).map((at) => named[at] as Named);
  return [...new Map(places.map((one) => [`${one.kind} ${one.key}`, one])).values()].slice(0, MOST);
}

/** The difference of two names in the numbers of their letters; it stops counting at enough. */
function countsApart(counts: Uint8Array, letters: Uint8Array, from: number): number {
  let apart = 0;
  for (let n = 0; n < LETTERS && apart <= 2 * MAX_DISTANCE; n++)
    apart += Math.abs((counts[n] as number) - (letters[from + n] as number));
  return apart;
}

/** The first places that have the wanted name as a part of theirs. */
function containing({ text, byStart }: Names, wanted: string): Named[] {
  const found = new Map<string, Named>();
  if (wanted.length < MIN_LETTERS) return [];
  let at = text.indexOf(wanted);
  while (at !== -1 && found.size < MOST) {
    const one = byStart.get(text.lastIndexOf('\n', at) + 1) as Named;
    found.set(`${one.kind} ${one.key}`, one);
    const next = text.indexOf('\n', at);
    at = next === -1 ? -1 : text.indexOf(wanted, next);
  }
  return [...found.values()];
}
