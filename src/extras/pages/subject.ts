/**
 * The page of a station or a region: what it measures now, health, history, and how its numbers come
 * about.
 */
import type { Region, Station } from '../../contract/current.ts';
import type { Locale, StationsList } from '../../contract/endpoints.ts';
import { type Changes, changesPart } from './changes.ts';
import { computedPart } from './computed.ts';
import { developerPart } from './developers.ts';
import { fill } from './format.ts';
import { healthPart } from './health.ts';
import { historyPart } from './history.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';
import { type Limits, sheetPath } from './limits.ts';
import { headPart, indicesPart, inWords, type Subject } from './now.ts';
import {
  type ListedRegion,
  type ListedStation,
  type MapGround,
  providersPart,
  regionLine,
  regionPath,
  stationList,
  worstFirst,
} from './parts.ts';
import { mapPart, type Neighbour, nearestPart, wherePart } from './place.ts';
import { toPng } from './png.ts';
import { newestTime } from './series.ts';
import { tilesPart } from './tiles.ts';
import { type Trust, trustPart } from './trust.ts';
import { usedIndices } from './verdict.ts';
import { warningsLine } from './warnings.ts';
import { WORDS } from './words.ts';

const SCRIPTS = ['live', 'explore', 'developers'];

/** The surroundings of a station, and whose they are; `url`: where readers reach the pages, or ''. */
type Surroundings = {
  url: string;
  neighbours: readonly Neighbour[];
  map: MapGround;
  providers: StationsList['providers'];
  /** False for a hidden one, and where no extra renders feeds. */
  hasWarnings: boolean;
};

export function stationPage(
  locale: Locale,
  subject: Subject<Station> & { trust: Trust; changes: Changes },
  { neighbours, map, providers, url, hasWarnings }: Surroundings,
): Page {
  const words = WORDS[locale];
  const {
    id,
    city,
    city_slug: citySlug,
    district,
    district_slug: districtSlug,
    is_bad_thp: isBad,
  } = subject.values;
  const own = providers.filter((one) => one.id === subject.values.provider);
  const path = html`<p class="path">
    <a href="/${locale}/">${words.overview}</a>
    ${
      citySlug !== null && html` › <a href="${regionPath(locale, { slug: citySlug })}">${city}</a>`
    }${
      districtSlug !== null &&
      html` › <a href="${regionPath(locale, { slug: districtSlug })}">${district}</a>`
    }</p>`;
  const note = isBad && html`<p class="warning">${words.flagged}</p>`;
  const station = {
    ...subject.values,
    is_bad_pm: subject.suspect !== undefined,
    verdict: subject.verdict,
  };
  const used = usedIndices([subject, ...neighbours].map(({ verdict }) => verdict));
  return {
    ...pageOf(locale, subject, `station/${id}`),
    indices: used,
    warnings: hasWarnings ? `station/${id}` : undefined,
    scripts: ['map', ...SCRIPTS],
    tiles: map.tiles ?? 'none',
    body: html`${headPart(locale, subject, path, note, hasWarnings && warningsLine(locale, `station/${id}`))}
${tilesPart(locale, subject)}
${wherePart(locale, station, neighbours, map)}
${indicesPart(locale, subject)}
${changesPart(locale, `station/${id}`, subject.changes, { at: subject.at, stations: [] })}
${historyPart(locale, subject, `station/${id}`, subject.changes.first_hour)}
${trustPart(locale, id, subject.trust)}
${computedPart(locale, 'station', used)}
<p class="soft"><a href="${sheetPath(locale, `station/${id}`)}">${words.eu}</a>. ${providersPart(words, own)}</p>
${developerPart(words, locale, `station/${id}`, { title: subject.values.title, url })}`,
  };
}

/**
 * Where a region is shown: its stations and, of a city, its districts; whose they are; the stations
 * that are nearest, where it measures nothing; `hours`: what else the map can show; and `url` and
 * `hasWarnings` as above.
 */
type Around = {
  url: string;
  nearest: readonly Neighbour[];
  regions: readonly ListedRegion[];
  stations: readonly ListedStation[];
  hours: Html;
  map: MapGround;
  providers: StationsList['providers'];
  hasWarnings: boolean;
};

/** `isAlone`: it is all that the network has, and stands in place of the overview. */
export function regionPage(
  locale: Locale,
  subject: Subject<Region> & { limits: Limits; changes: Changes },
  { regions, stations, nearest, hours, map, providers, url, hasWarnings }: Around,
  isAlone = false,
): Page {
  const words = WORDS[locale];
  const { values: region, limits } = subject;
  const path =
    !isAlone &&
    html`<p class="path">
      <a href="/${locale}/">${words.overview}</a>
      ${
        'city_slug' in region &&
        html` › <a href="${regionPath(locale, { slug: region.city_slug })}">${region.city}</a>`
      }</p>`;
  const own = providers.filter(({ id }) => stations.some((station) => station.provider === id));
  // without a ground, a single pin says nothing
  const isBare = map.tiles === undefined && map.ground === undefined;
  const placed = [...stations, ...nearest];
  const hasMap = placed.length > (isBare ? 1 : 0);
  // where nothing was measured, the head has said so
  const hasList =
    stations.length > 0 ||
    regions.length > 0 ||
    nearest.length > 0 ||
    region.measurement_time !== null;
  const names = stations.length === 0 ? [...regions, region] : regions;
  const page = pageOf(locale, subject, `region/${region.slug}`);
  const used = usedIndices([subject, ...placed, ...regions].map(({ verdict }) => verdict));
  return {
    ...page,
    indices: used,
    path: isAlone ? '' : page.path,
    scripts: [...(hasMap ? ['map'] : []), ...SCRIPTS],
    ...(hasMap && { tiles: map.tiles ?? 'none' }),
    body: html`${headPart(locale, subject, path, false, hasWarnings && warningsLine(locale, page.path))}
${tilesPart(locale, subject)}
${healthPart(locale, region, limits)}
<div class="overview">
  <section${hasList && html` class="card"`} data-live="list">${
    regions.length > 0 &&
    html`<h2>${words.districts}</h2>
  <ul class="regions">
  ${worstFirst(regions).map((one) => html`<li>${regionLine(locale, one)}</li>`)}</ul>`
  }
${
  stations.length === 0
    ? hasList &&
      html`<h2>${words.stations}</h2>
  <p>${words.noStations}</p>`
    : stationList(
        locale,
        html`<h2>${words.stations}</h2>`,
        stations,
        'stations',
        stations.length <= 30 ? 'open' : 'closed',
      )
}
${nearestPart(locale, nearest)}</section>
${
  hasMap
    ? mapPart(locale, { regions: [], stations: placed, names, hasLegend: false, hours }, map)
    : html`<div data-live="places"></div>`
}</div>
${indicesPart(locale, subject)}
${changesPart(locale, `region/${region.slug}`, subject.changes, { at: subject.at, stations })}
${historyPart(locale, subject, `region/${region.slug}`, subject.changes.first_hour)}
${computedPart(locale, 'region', used)}
<p class="soft">${providersPart(words, own)}</p>
${developerPart(words, locale, `region/${region.slug}`, { title: region.title, url })}`,
  };
}

function pageOf(locale: Locale, subject: Subject, path: string) {
  const { word, box, value } = inWords(locale, subject);
  const { title } = subject.values;
  return {
    locale,
    path,
    title,
    feed: path,
    warnings: path,
    shape: newestTime(subject.history) === undefined ? 'empty' : 'full',
    description: fill(WORDS[locale].summary, {
      place: title,
      values: [word, box, value].filter(Boolean).join(', '),
    }),
    ...(toPng !== undefined && { image: `/${locale}/card/${path}.png` }),
  };
}
