/** Suggests the addresses that a wrong one was probably meant to be. */
import { closest, distance } from 'fastest-levenshtein';
import {
  LOCALES,
  PATH_PARAMETERS,
  parametersIn,
  pathPattern,
  pathWith,
} from '../contract/endpoints.ts';

/** The beginning of an address, before the part that says what is wanted. */
const BASE = /^\/([a-z]{2}\/|\{locale\}\/)?((explore|air-quality-app)\/)?(v\d+\/)?/;
const SUBJECT = /^(station|region)\/([^/]+)\//;
const MOST = 2;
/** Longer paths take long to compare, and resemble no route. */
const MAX_LETTERS = 100;

/** Names of feeds on other sites, with or without an ending. */
const FEEDS = ['rss', 'feed', 'feeds', 'atom'];

/**
 * The routes nearest to a path, with its values of their parameters: both of stations and of regions
 * where the path says neither. None where no route is near.
 */
export function meantPaths(path: string, routes: readonly string[]): string[] {
  if (path.length > MAX_LETTERS) return [];
  const locale = LOCALES.find((one) => path.startsWith(`/${one}/`)) ?? LOCALES[0];
  const wanted = withOurFeed(path.replace(BASE, ''));
  let least = Math.max(1, Math.floor(wanted.replace(SUBJECT, '').length / 4));
  let found: string[] = [];
  for (const route of routes) {
    const end = route.replace(BASE, '');
    const whole = lettersApart(end, wanted);
    const apart = Math.min(whole, lettersApart(end.replace(SUBJECT, ''), wanted));
    if (end === '' || apart > least) continue;
    const meant = filled(route, { ...valuesIn(end, wanted), locale });
    // the address is of this route, and only the place in it is wrong
    if (whole === 0 && meant.includes('{')) return [];
    if (apart < least) found = [];
    least = apart;
    found.push(meant);
  }
  return found.filter((one) => one !== path).slice(0, MOST);
}

function withOurFeed(wanted: string): string {
  const at = wanted.lastIndexOf('/') + 1;
  const [name = ''] = wanted.slice(at).split('.', 1);
  if (FEEDS.includes(name)) return `${wanted.slice(0, at)}warnings.atom`;
  return wanted.replace(/\.(rss|xml)$/, '.atom');
}

/** The value that is nearly `text`, of a parameter that has only a few. */
export function meantValue(name: string, text: string): string | undefined {
  const { schema } = PATH_PARAMETERS[name as keyof typeof PATH_PARAMETERS];
  if (!('options' in schema)) return undefined;
  const near = closest(text, schema.options);
  return distance(near, text) <= 1 ? near : undefined;
}

/**
 * The letters to add, remove or change until a text is as a route says. A parameter of it may be
 * anything but nothing, within a segment.
 */
function lettersApart(route: string, text: string): number {
  const letters = [...text];
  let row = [0, ...letters.map((_, n) => n + 1)];
  for (const [token] of route.matchAll(/\{[a-z]{1,20}\}|./g)) {
    const isParameter = token.length > 1;
    const next = [(row[0] as number) + 1];
    for (const [n, letter] of letters.entries()) {
      const isEnd = isParameter && letter === '/';
      const other = isEnd ? Number.POSITIVE_INFINITY : 1;
      const isSame = isParameter ? !isEnd : letter === token;
      next.push(
        Math.min(
          (row[n] as number) + (isSame ? 0 : other),
          (row[n + 1] as number) + 1,
          (next[n] as number) + (isParameter && isSame ? 0 : other),
        ),
      );
    }
    row = next;
  }
  return row.at(-1) as number;
}

type Values = Readonly<Record<string, string>>;

/** The values that a path has for the parameters of a route. */
function valuesIn(end: string, wanted: string): Values {
  const [, kind, key = ''] = SUBJECT.exec(wanted) ?? [];
  const subject: Values = kind === undefined ? {} : { [kind === 'station' ? 'id' : 'slug']: key };
  return { ...subject, ...pathPattern(end).exec(wanted)?.groups };
}

/** A route with these values of its parameters; without one, `{name}` stays. */
function filled(route: string, values: Values): string {
  const all = parametersIn(route).map((name) => {
    const text = values[name];
    return [name, text === undefined ? `{${name}}` : (meantValue(name, text) ?? text)];
  });
  return pathWith(route, Object.fromEntries(all));
}
