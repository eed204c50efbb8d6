/** Small parts that several pages are made of. */
import type { Region, Station } from '../../contract/current.ts';
import type { Locale, StationsList } from '../../contract/endpoints.ts';
import { formatBare, formatValue, PM25, unitIn } from './format.ts';
import { type Html, html } from './html.ts';
import type { LastDay } from './lastDays.ts';
import { formatTime } from './numbers.ts';
import { type Category, categoryOf } from './scale.ts';
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
export function withTime(
  locale: Locale,
  text: string,
  timestamp: string,
  format = formatTime,
): Html {
  const [before, after] = text.split('{time}');
  return html`${before}
    <time datetime="${timestamp}">${format(locale, timestamp)}</time>
    ${after}`;
}

/** Names of more letters may be cut in a list. */
const SHORT = 16;

/**
 * A place in a list: the box of its index, its name, the category and the trend in words; PM2.5,
 * which people ask for first, and its last 24 hours. Nothing is drawn of suspect particles.
 */
function line(locale: Locale, path: string, place: Listed, note = ''): Html {
  const { title, 'pm2.5': pm25, day } = place;
  const { box, text } = verdictOf(locale, place);
  const value = pm25 !== null && strong(formatBare(locale, pm25, PM25), isSuspect(place));
  const known = isSuspect(place) ? undefined : day;
  const trend = trendText(locale, known?.trend ?? null);
  return html`${box} <a href="${path}"${title.length > SHORT && html` title="${title}"`}>${title}</a> <span
    class="word">
    ${[note, text, trend].filter((part) => part !== '').join(' · ')}</span> ${
      value !== false &&
      html`<span class="pm">
    <small>PM2.5</small> ${value}<span class="unit"> ${unitIn(locale, PM25.unit)}</span></span>`
    }${known !== undefined && dayLine(known)}`;
}

export const regionLine = (locale: Locale, region: ListedRegion): Html =>
  html`<div class="line">${line(locale, regionPath(locale, region), region)}</div>`;

/** `note`: what else is said of it, such as how far it is. */
export const stationLine = (locale: Locale, station: ListedStation, note: string): Html =>
  html`<li class="line">${line(locale, `/${locale}/station/${station.id}`, station, note)}</li>\n`;

/**
 * `name`: by which a page that is replaced knows it again. `fold`: an arrow at the end of the line
 * above opens it.
 */
export function stationList(
  locale: Locale,
  title: string,
  stations: readonly ListedStation[],
  name: string,
  look: 'open' | 'closed' | 'fold' = 'closed',
): Html {
  if (stations.length === 0) return html``;
  const count = html`${title} <small>${stations.length}</small>`;
  const summary = look === 'fold' ? html`<span class="unseen">${count}</span>` : html`${count}`;
  return html`<details
    data-name="${name}"${look === 'open' && html` open`}${look === 'fold' && html` class="fold"`}>
    <summary>${summary}</summary>
    <ul>${worstFirst(stations).map(
      (one) => html`<li class="line">${line(locale, `/${locale}/station/${one.id}`, one)}</li>\n`,
    )}</ul></details>`;
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

/** Where the map's ground comes from (MAP_TILES). */
export type Tiles = { url: string; attribution: string; link: string };

/** The ground of maps: tiles, or the address of a ground that the service has (MAP_GROUND). */
export type MapGround = { tiles?: Tiles | undefined; ground?: string | undefined };

/** Whose data the pages show. */
export function providersPart(words: Words, providers: StationsList['providers']): Html | false {
  if (providers.length === 0) return false;
  const each = providers.map(({ title, url }) =>
    url === '' ? html`${title}` : html`<a href="${url}">${title}</a>`,
  );
  return html`${words.provider} ${each.map((one, n) => html`${n > 0 && ', '}${one}`)}.`;
}
