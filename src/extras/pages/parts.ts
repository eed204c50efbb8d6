/** Small parts that several pages are made of. */
import type { Region, Station } from '../../contract/current.ts';
import type { Locale, StationsList } from '../../contract/endpoints.ts';
import { MOST_LINES } from '../../contract/explore/lists.ts';
import { INDEX_WORDS, type IndexName } from '../../contract/words/indices.ts';
import { capitalized, formatBare, formatValue, PM25, unitIn } from './format.ts';
import { type Html, html } from './html.ts';
import { formatTime } from './numbers.ts';
import { type Look, OTHER_LOOKS, POLLUTANTS, rankOf, SCALES } from './scale.ts';
import { dayLine, type ListedDay, trendMark } from './trend.ts';
import { boxOf, hasTrend, usedIndices, type Verdict } from './verdict.ts';
import { WORDS, type Words } from './words.ts';

export const regionPath = (locale: Locale, { slug }: Pick<Region, 'slug'>) =>
  `/${locale}/region/${slug}`;

/** The last 24 hours of a place in a list, where they were read. */
type WithDay = { day?: ListedDay | undefined };

/** A station of lists and maps, and whether its particles are suspect (C9). */
export type ListedStation = Station & WithDay & { is_bad_pm: boolean; verdict: Verdict };
/** A region of lists. */
export type ListedRegion = Region & WithDay & { verdict: Verdict };
type Listed = ListedRegion | ListedStation;

const isSuspect = (place: Listed) => 'is_bad_pm' in place && place.is_bad_pm;

/**
 * The category, with the pollutant that makes it, and the name of its index where INDEX names the
 * other one.
 */
export function verdictText(locale: Locale, { look, by, maker, ...verdict }: Verdict): string {
  const words = WORDS[locale];
  if (verdict.isWaiting) return words.waiting;
  if (verdict.isSuspect) return capitalized(words.suspect);
  const of = maker === undefined ? '' : `, ${POLLUTANTS[maker]}`;
  if (by === undefined || !verdict.isOther) return `${words[look]}${of}`;
  return `${INDEX_WORDS[by.index].short[locale]}: ${words[look].toLowerCase()}${of}`;
}

/**
 * The index in a box in the colour of its category, and the category in words. A suspect index has
 * no category; where none is known, the words are the temperature.
 */
function boxAndText(locale: Locale, { verdict, temperature }: Listed): { box: Html; text: string } {
  const { look, by } = verdict;
  const content = boxOf(verdict);
  const box = html`<span class="chip ${look} box">${
    verdict.isSuspect ? html`<s>${content}</s>` : content
  }</span>`;
  const text = verdictText(locale, verdict);
  if (look !== 'unknown' || by !== undefined || verdict.isWaiting || temperature === null)
    return { box, text };
  const degrees = formatValue(locale, temperature, { unit: '°C', digits: 1 });
  return { box, text: `${WORDS[locale].temperature} ${degrees}` };
}

/** The name of an index and what numbers beside it are. */
const indexTitle = (locale: Locale, index: IndexName): string =>
  index === 'aqi'
    ? INDEX_WORDS.aqi.name[locale]
    : `${INDEX_WORDS.eaqi.name[locale]}; ${WORDS[locale].boxUnit}`;

/** The categories that these places have, by index, each scale with its name. */
export function legend(locale: Locale, verdicts: readonly Verdict[]): Html {
  const words = WORDS[locale];
  const shown = new Set(verdicts.map(({ look }) => look));
  const chips = (looks: readonly Look[]) =>
    looks
      .filter((look) => shown.has(look))
      .map((look) => html`<span class="chip ${look}">${words[look]}</span> `);
  const used = usedIndices(verdicts);
  return html`${used.map(
    (index, n) => html`<p class="legend"><small>${indexTitle(locale, index)}</small>
  <br>${chips(SCALES[index])}${n === used.length - 1 && chips(OTHER_LOOKS)}</p>`,
  )}`;
}

/** A number of particles, struck through where it is suspect. */
export const strong = (text: string, isSuspect: boolean): Html =>
  isSuspect ? html`<s>${text}</s>` : html`<b>${text}</b>`;

/** A text with the time in it, and room for how long ago that was (`browser/age.ts`). */
export function withTime(
  locale: Locale,
  text: string,
  timestamp: string,
  format = formatTime,
): Html {
  const [before, after] = text.split('{time}');
  return html`${before}
    <time datetime="${timestamp}">${format(locale, timestamp)}</time> <span class="age"></span>
    ${after}`;
}

/** Names of more letters may be cut in a list. */
const SHORT = 16;

/**
 * A place in a list: the box of its index, its name, the category in words and the trend; PM2.5,
 * which people ask for first, and its last 24 hours. Nothing is drawn of suspect particles.
 */
function line(locale: Locale, path: string, place: Listed, note = ''): Html {
  const { title, 'pm2.5': pm25, day, verdict } = place;
  const { box, text } = boxAndText(locale, place);
  const value = pm25 !== null && strong(formatBare(locale, pm25, PM25), isSuspect(place));
  const known = isSuspect(place) ? undefined : day;
  const trend = hasTrend(verdict) && trendMark(locale, known?.trend ?? null);
  return html`${box} <a href="${path}"${title.length > SHORT && html` title="${title}"`}>${title}</a> <span
    class="word">
    ${note !== '' && `${note} · `}${text}${trend !== false && html`\u00a0${trend}`}</span> ${
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
  title: string | Html,
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
export function worstFirst<T extends { title: string; verdict: Verdict }>(all: readonly T[]): T[] {
  const rank = ({ verdict: { grade, isSuspect } }: T) => rankOf(isSuspect ? null : grade);
  return all.toSorted((a, b) => rank(b) - rank(a) || a.title.localeCompare(b.title));
}

/** On the map of a larger network stations have no names: the page would be too long. */
export const isLarge = (stations: readonly Station[]): boolean => stations.length > MOST_LINES;

/** Where the map's ground comes from (MAP_TILES). */
export type Tiles = { url: string; attribution: string; link: string };

/** The ground of maps: tiles, or the address of a ground that the service has (MAP_GROUND). */
export type MapGround = { tiles?: Tiles | undefined; ground?: string | undefined };

/** The owner of the data that the pages show. */
export function providersPart(words: Words, providers: StationsList['providers']): Html | false {
  if (providers.length === 0) return false;
  const each = providers.map(({ title, url }) =>
    url === '' ? html`${title}` : html`<a href="${url}">${title}</a>`,
  );
  return html`${words.provider} ${each.map((one, n) => html`${n > 0 && ', '}${one}`)}.`;
}
