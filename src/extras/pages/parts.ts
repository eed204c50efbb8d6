/** Small parts that several pages are made of. */
import type { Region, Station } from '../../contract/current.ts';
import type { Locale, StationsList } from '../../contract/endpoints.ts';
import type { LastDay } from '../../serve/lastDays.ts';
import { formatValue, PM25 } from './format.ts';
import { type Html, html } from './html.ts';
import { formatTime } from './numbers.ts';
import { CATEGORY_NAMES, type Category, categoryOf } from './scale.ts';
import { dayLine, trendText } from './trend.ts';
import { WORDS, type Words } from './words.ts';

export const categoryIn = (place: Station | Region): Category =>
  'status' in place && place.status === 'offline' ? 'offline' : categoryOf(place.aqi);

export const regionPath = (locale: Locale, { slug }: Pick<Region, 'slug'>) =>
  `/${locale}/region/${slug}`;

/** The last 24 hours of a place in a list, where they were read. */
type WithDay = { day?: LastDay | undefined };

/**
 * A station of lists and maps, whether its particles are suspect (C9), so that its index says
 * nothing of the air, and whether it has ever measured anything.
 */
export type ListedStation = Station & WithDay & { is_bad_pm: boolean; has_measured: boolean };
/** A region of lists, and whether anything was ever measured in it. */
export type ListedRegion = Region & WithDay & { has_measured: boolean };
type Listed = ListedRegion | ListedStation;

const isSuspect = (place: Listed) => 'is_bad_pm' in place && place.is_bad_pm;

/**
 * The index in a box in the colour of its category, and the category in words. A suspect index has
 * no category; where no particles are measured, the words are the temperature.
 */
function verdictOf(locale: Locale, place: Listed): { box: Html; text: string } {
  const words = WORDS[locale];
  const category = categoryIn(place);
  const { aqi, temperature } = place;
  const boxOf = (look: Category, content: Html | string) =>
    html`<span class="chip ${look} box">${content}</span>`;
  if (!place.has_measured) return { box: boxOf('unknown', '–'), text: words.waiting };
  if (isSuspect(place) && aqi !== null)
    return { box: boxOf('unknown', html`<s>${aqi}</s>`), text: words.suspect };
  const box = boxOf(category, aqi === null ? '–' : String(aqi));
  if (category !== 'unknown' || temperature === null) return { box, text: words[category] };
  const degrees = formatValue(locale, temperature, { unit: '°C', digits: 1 });
  return { box, text: `${words.temperature} ${degrees}` };
}

/** A number of particles, struck through where it is suspect. */
export const strong = (text: string, isSuspect: boolean): Html =>
  isSuspect ? html`<s>${text}</s>` : html`<b>${text}</b>`;

/** A text with the time in it. */
export function withTime(locale: Locale, text: string, timestamp: string): Html {
  const [before, after] = text.split('{time}');
  return html`${before}<time datetime="${timestamp}">${formatTime(locale, timestamp)}</time>${after}`;
}

/**
 * A place in a list: the box of its index, its name, the category and the trend in words; PM2.5,
 * which people ask for first, and its last 24 hours. Nothing is drawn of suspect particles.
 */
function line(locale: Locale, path: string, place: Listed): Html {
  const { title, 'pm2.5': pm25, day } = place;
  const { box, text } = verdictOf(locale, place);
  const value = pm25 !== null && strong(formatValue(locale, pm25, PM25), isSuspect(place));
  const known = isSuspect(place) ? undefined : day;
  const trend = trendText(locale, known?.trend ?? null);
  return html`${box} <a href="${path}">${title}</a> <span class="word">${text}${trend !== '' && ` · ${trend}`}</span> ${value !== false && html`<span class="pm"><small>PM2.5</small> ${value}</span>`}${known !== undefined && dayLine(known)}`;
}

export const regionLine = (locale: Locale, region: ListedRegion): Html =>
  html`<div class="line">${line(locale, regionPath(locale, region), region)}</div>`;

/** `name`: by which a page that is replaced knows it again. */
export function stationList(
  locale: Locale,
  title: string,
  stations: readonly ListedStation[],
  name: string,
  open = false,
): Html {
  if (stations.length === 0) return html``;
  return html`<details data-name="${name}"${open && html` open`}><summary>${title} <small>${stations.length}</small></summary><ul>${worstFirst(stations).map((one) => html`<li class="line">${line(locale, `/${locale}/station/${one.id}`, one)}</li>\n`)}</ul></details>`;
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

/**
 * Each place: its level (city, district, station, suspect station), key, the index of the place
 * that it is in, coordinates, index (-1: offline), name.
 */
type Place = readonly [
  0 | 1 | 2 | 3,
  string | number,
  number,
  number,
  number,
  number | null,
  string?,
];

/**
 * The map, which the browser draws (`browser/map.ts`), and what is on it. Without a script there is
 * none; the list has the same.
 */
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
      const [level, parent] =
        'city_slug' in one ? ([1, at.get(one.city_slug) ?? -1] as const) : ([0, -1] as const);
      return [
        level,
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
      const index = one.status === 'offline' && one.has_measured ? -1 : one.aqi;
      const level = one.is_bad_pm ? 3 : 2;
      const plain = [
        level,
        one.id,
        parent,
        round(one.latitude),
        round(one.longitude),
        index,
      ] as const;
      return isLarge(stations) ? plain : [...plain, one.title];
    }),
  ];
  const json = JSON.stringify(places).replaceAll('<', '\\u003c');
  return html`<section class="card side" id="map" aria-label="${words.map}" hidden>
<div class="map${tiles !== undefined && ' tiled'}" data-locale="${locale}" data-places="${words.places}" data-near="${words.nearest}" data-none="${words.noPosition}"${tiles !== undefined && html` data-tiles="${tiles.url}" data-attribution="${tiles.attribution}" data-link="${tiles.link}"`}></div>
<p class="controls"><button type="button" id="near" hidden>${words.nearMe}</button> <small role="status">${words.mapHint}</small></p>
<div data-live="places"><script type="application/json" id="places">${{ text: json }}</script></div>
<p class="legend"><small>${words.aqiOf}</small><br>${CATEGORY_NAMES.map((name) => html`<span class="chip ${name}">${words[name]}</span> `)}</p></section>`;
}

/** Where the map's ground comes from (MAP_TILES). */
export type Tiles = { url: string; attribution: string; link: string };

/** Whose data the pages show. */
export function providersPart(words: Words, providers: StationsList['providers']): Html | false {
  if (providers.length === 0) return false;
  const each = providers.map(({ title, url }) =>
    url === '' ? html`${title}` : html`<a href="${url}">${title}</a>`,
  );
  return html`${words.provider} ${each.map((one, n) => html`${n > 0 && ', '}${one}`)}.`;
}
