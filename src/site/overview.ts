/** The first page: cities and districts, worst first, and the map of all stations. */
import type { City, Region, Station } from '../contract/current.ts';
import type { Locale, StationsList } from '../contract/endpoints.ts';
import { type Html, html } from './html.ts';
import type { Page, Site } from './layout.ts';
import { type Mark, renderMap } from './map.ts';
import { chip, legend, pm25, regionPath, stationLine, stationMark, withTime, worstFirst } from './parts.ts';
import { categoryOf } from './scale.ts';
import { WORDS } from './words.ts';

/** With more stations than this, each city's page has its own. */
const MOST_LISTED = 1_500;

export function overviewPage(site: Site, locale: Locale, list: Pick<StationsList, 'stations' | 'regions'>): Page {
  const words = WORDS[locale];
  const hidden = new Set(list.regions.filter(isHidden).map(({ slug }) => slug));
  const regions = list.regions.filter((region) => !hidden.has(cityOf(region) ?? region.slug));
  const cities = regions.filter((region): region is City => !('city_slug' in region));
  const known = new Set(cities.map(({ slug }) => slug));
  const top = worstFirst(regions.filter((region) => !known.has(cityOf(region) ?? '')));
  const isShort = list.stations.length <= MOST_LISTED;
  const elsewhere = isShort ? list.stations.filter(({ city_slug: slug }) => slug === null || !known.has(slug)) : [];
  const bubbles = cities.length === 1 ? regions.filter((region) => cityOf(region) !== undefined) : cities;
  const marks = [...list.stations.map((station) => stationMark(locale, station)), ...bubbles.map(bubble)];

  const newest = regions.reduce((time, { measurement_time: at }) => ((at ?? '') > time ? (at as string) : time), '');
  const line = (region: Region): Html => html`<li>
<div class="line"><a href="${regionPath(locale, region)}">${region.title}</a> ${chip(words, categoryOf(region.aqi), region.aqi)} ${pm25(locale, region['pm2.5'])}</div>
${within(region)}</li>
`;
  const within = (region: Region): Html => {
    const districts = worstFirst(regions.filter((one) => cityOf(one) === region.slug));
    const stations = isShort ? list.stations.filter((one) => one.city_slug === region.slug) : [];
    return html`${districts.length > 0 && html`<ul>${districts.map(line)}</ul>`}${stationList(words.stations, locale, stations)}`;
  };
  function bubble(region: Region): Mark {
    const { map_latitude: latitude, map_longitude: longitude, aqi, title } = region;
    const href = regionPath(locale, region);
    return { latitude, longitude, category: categoryOf(aqi), href, title, text: aqi === null ? '–' : String(aqi) };
  }

  return {
    locale,
    path: '',
    title: site.title,
    scripts: ['map', 'live'],
    body: html`<h1>${words.cities} <small>${words.worstFirst}</small></h1>
${newest !== '' && html`<p class="of">${withTime(locale, words.digestOf, newest)}</p>`}
<div class="overview">
<section aria-label="${words.map}">${renderMap(marks, words)}
<p><small>${words.mapHint}</small></p>
${legend(words)}</section>
<section aria-label="${words.cities}">
${list.stations.length === 0 && html`<p>${words.noStations}</p>`}
<ul class="regions">${top.map(line)}</ul>
${stationList(words.withoutCity, locale, elsewhere)}
${!isShort && html`<p>${words.listedInCity}</p>`}
</section>
</div>`,
  };
}

export function stationList(title: string, locale: Locale, stations: readonly Station[]): Html {
  if (stations.length === 0) return html``;
  return html`<details><summary>${title} <small>${stations.length}</small></summary><ul>${worstFirst(stations).map((station) => stationLine(locale, station))}</ul></details>`;
}

const isHidden = (region: Region) => 'is_hidden' in region && region.is_hidden;
const cityOf = (region: Region) => ('city_slug' in region ? region.city_slug : undefined);
