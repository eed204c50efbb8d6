/** Small parts that several pages are made of. */
import type { Region, Station } from '../contract/current.ts';
import type { Locale } from '../contract/endpoints.ts';
import { formatValue, PM25 } from './format.ts';
import { type Html, html } from './html.ts';
import type { Mark } from './map.ts';
import { formatTime } from './numbers.ts';
import { CATEGORY_NAMES, type Category, categoryOf } from './scale.ts';
import { WORDS, type Words } from './words.ts';

export const stationCategory = ({ status, aqi }: Station): Category =>
  status === 'offline' ? 'offline' : categoryOf(aqi);

const stationPath = (locale: Locale, { id }: Station) => `/${locale}/station/${id}`;
export const regionPath = (locale: Locale, { slug }: Pick<Region, 'slug'>) => `/${locale}/region/${slug}`;

/** The category in words, with the index where there is one. */
export function chip(words: Words, category: Category, aqi: number | null): Html {
  return html`<span class="chip ${category}">${words[category]}${aqi !== null && html` <b>${aqi}</b>`}</span>`;
}

/** PM2.5 first, as people ask for it; a dash where there is none. */
export function pm25(locale: Locale, value: number | null): Html {
  return html`<span class="pm"><small>PM2.5</small> <b>${formatValue(locale, value, PM25)}</b></span>`;
}

export const timeOf = (locale: Locale, timestamp: string) =>
  html`<time datetime="${timestamp}">${formatTime(locale, timestamp)}</time>`;

/** A text with the time in it. */
export function withTime(locale: Locale, text: string, timestamp: string): Html {
  const [before, after] = text.split('{time}');
  return html`<small>${before}${timeOf(locale, timestamp)}${after}</small>`;
}

/** A line of a list of stations. */
export function stationLine(locale: Locale, station: Station): Html {
  const href = stationPath(locale, station);
  return html`<li class="line"><a href="${href}">${station.title}</a> ${chip(WORDS[locale], stationCategory(station), station.aqi)} ${pm25(locale, station['pm2.5'])}</li>\n`;
}

export function stationMark(locale: Locale, station: Station): Mark {
  const category = stationCategory(station);
  const { latitude, longitude } = station;
  const title = `${station.title}: ${WORDS[locale][category]}`;
  return { latitude, longitude, category, href: stationPath(locale, station), title };
}

export function legend(words: Words): Html {
  return html`<p class="legend"><b>${words.aqi}</b> ${CATEGORY_NAMES.map((name) => html`<span class="chip ${name}">${words[name]}</span> `)}<br><small>${words.aqiNote}</small></p>`;
}

/** Worst first; what is unknown comes last, by name. */
export function worstFirst<T extends { aqi: number | null; title: string }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => (b.aqi ?? -1) - (a.aqi ?? -1) || a.title.localeCompare(b.title));
}
