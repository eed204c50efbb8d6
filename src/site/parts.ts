/** Small parts that several pages are made of. */
import type { Region, Station } from '../contract/current.ts';
import type { Locale, StationsList } from '../contract/endpoints.ts';
import { formatValue, PM25 } from './format.ts';
import { type Html, html } from './html.ts';
import { formatTime } from './numbers.ts';
import { CATEGORY_NAMES, type Category, categoryOf } from './scale.ts';
import { WORDS, type Words } from './words.ts';

export const stationCategory = ({ status, aqi }: Station): Category =>
  status === 'offline' ? 'offline' : categoryOf(aqi);

const stationPath = (locale: Locale, { id }: Station) => `/${locale}/station/${id}`;
export const regionPath = (locale: Locale, { slug }: Pick<Region, 'slug'>) => `/${locale}/region/${slug}`;

/** A station of lists and maps, and whether its particles are suspect (C9): its index then says nothing of the air. */
export type ListedStation = Station & { is_bad_pm: boolean };

/** The category in words, with the index where there is one. */
export function chip(words: Words, category: Category, aqi: number | null): Html {
  return html`<span class="chip ${category}">${words[category]}${aqi !== null && html` <b>${aqi}</b>`}</span>`;
}

/** PM2.5 first, as people ask for it; nothing where there is none. */
const pm25 = (locale: Locale, value: number | null, isSuspect = false): Html | false =>
  value !== null &&
  html`<span class="pm"><small>PM2.5</small> ${strong(formatValue(locale, value, PM25), isSuspect)}</span>`;

/** A number of particles, struck through where it is suspect. */
export const strong = (text: string, isSuspect: boolean): Html =>
  isSuspect ? html`<s>${text}</s>` : html`<b>${text}</b>`;

export const timeOf = (locale: Locale, timestamp: string) =>
  html`<time datetime="${timestamp}">${formatTime(locale, timestamp)}</time>`;

/** A text with the time in it. */
export function withTime(locale: Locale, text: string, timestamp: string): Html {
  const [before, after] = text.split('{time}');
  return html`${before}${timeOf(locale, timestamp)}${after}`;
}

/** The chip of a place; where it measures no particles, what it does measure: the temperature. */
function verdict(locale: Locale, category: Category, { aqi, temperature }: Pick<Region, 'aqi' | 'temperature'>): Html {
  if (category !== 'unknown' || temperature === null) return chip(WORDS[locale], category, aqi);
  const text = formatValue(locale, temperature, { unit: '°C', digits: 1 });
  return html`<span class="chip unknown">${WORDS[locale].temperature} <b>${text}</b></span>`;
}

export const regionLine = (locale: Locale, region: Region): Html =>
  html`<div class="line"><a href="${regionPath(locale, region)}">${region.title}</a> ${verdict(locale, categoryOf(region.aqi), region)} ${pm25(locale, region['pm2.5'])}</div>`;

/** A line of a list of stations. A suspect index has no category; it is struck through. */
const stationLine = (locale: Locale, station: ListedStation): Html => {
  const { title, is_bad_pm: isBad, aqi } = station;
  const suspect = isBad && aqi !== null;
  const chipOf = suspect
    ? html`<span class="chip unknown">${WORDS[locale].suspect} <s>${aqi}</s></span>`
    : verdict(locale, stationCategory(station), station);
  return html`<li class="line"><a href="${stationPath(locale, station)}">${title}</a> ${chipOf} ${pm25(locale, station['pm2.5'], isBad)}</li>\n`;
};

/** `name`: by which a page that is replaced knows it again. */
export function stationList(
  locale: Locale,
  title: string,
  stations: readonly ListedStation[],
  name: string,
  open = false,
): Html {
  if (stations.length === 0) return html``;
  return html`<details data-name="${name}"${open && html` open`}><summary>${title} <small>${stations.length}</small></summary><ul>${worstFirst(stations).map((station) => stationLine(locale, station))}</ul></details>`;
}

export function legend(words: Words): Html {
  return html`<p class="legend"><small>${words.aqiOf}</small><br>${CATEGORY_NAMES.map((name) => html`<span class="chip ${name}">${words[name]}</span> `)}</p>`;
}

/** Worst first; what is unknown or suspect comes last, by name. */
export function worstFirst<T extends { aqi: number | null; title: string; is_bad_pm?: boolean }>(
  all: readonly T[],
): T[] {
  const rank = ({ aqi, is_bad_pm: isBad }: T) => (aqi === null || isBad ? -1 : aqi);
  return all.toSorted((a, b) => rank(b) - rank(a) || a.title.localeCompare(b.title));
}

/** On the map of a larger network stations have no names: the page would be too long. */
const MOST_NAMED = 1_500;
export const isLarge = (stations: readonly Station[]): boolean => stations.length > MOST_NAMED;

/** Each place: its level (city, district, station, suspect station), key, the index of the place that it is in, coordinates, index (-1: offline), name. */
type Place = readonly [0 | 1 | 2 | 3, string | number, number, number, number, number | null, string?];

/** The map, which the browser draws (`browser/map.ts`), and what is on it. Without a script there is none; the list has the same. */
export function mapPart(
  locale: Locale,
  regions: readonly Region[],
  stations: readonly ListedStation[],
  tiles: Tiles | undefined,
): Html {
  const words = WORDS[locale];
  if (stations.length === 0 && regions.length === 0) return html`<div data-live="places"></div>`;
  const sorted = regions.toSorted((a, b) => Number('city_slug' in a) - Number('city_slug' in b));
  const at = new Map(sorted.map(({ slug }, n) => [slug, n]));
  const digits = isLarge(stations) ? 1_000 : 100_000;
  const round = (degrees: number) => Math.round(degrees * digits) / digits;
  const places: Place[] = [
    ...sorted.map((one): Place => {
      const parent = 'city_slug' in one ? (at.get(one.city_slug) ?? -1) : -1;
      return [
        parent === -1 && !('city_slug' in one) ? 0 : 1,
        one.slug,
        parent,
        round(one.map_latitude),
        round(one.map_longitude),
        one.aqi,
        one.title,
      ];
    }),
    ...stations.map((one): Place => {
      const parent = at.get(one.district_slug ?? '') ?? at.get(one.city_slug ?? '') ?? -1;
      const index = one.status === 'offline' ? -1 : one.aqi;
      const plain: Place = [one.is_bad_pm ? 3 : 2, one.id, parent, round(one.latitude), round(one.longitude), index];
      return isLarge(stations) ? plain : ([...plain.slice(0, 6), one.title] as unknown as Place);
    }),
  ];
  const json = JSON.stringify(places).replaceAll('<', '\\u003c');
  return html`<section class="card side" id="map" aria-label="${words.map}" hidden>
<div class="map${tiles !== undefined && ' tiled'}" data-locale="${locale}" data-places="${words.places}" data-near="${words.nearest}" data-none="${words.noPosition}"${tiles !== undefined && html` data-tiles="${tiles.url}" data-attribution="${tiles.attribution}" data-link="${tiles.link}"`}></div>
<p class="controls"><button type="button" id="near" hidden>${words.nearMe}</button> <small role="status">${words.mapHint}</small></p>
<div data-live="places"><script type="application/json" id="places">${{ text: json }}</script></div>
${legend(words)}</section>`;
}

/** Where the map's ground comes from (MAP_TILES). */
export type Tiles = { url: string; attribution: string; link: string };

/** Whose data the pages show. */
export function providersPart(words: Words, providers: StationsList['providers']): Html | false {
  if (providers.length === 0) return false;
  const each = providers.map(({ title, url }) => (url === '' ? html`${title}` : html`<a href="${url}">${title}</a>`));
  return html`${words.provider} ${each.map((one, n) => html`${n > 0 && ', '}${one}`)}.`;
}
