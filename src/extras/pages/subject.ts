/**
 * The page of a station or a region: what it measures now, health, and the places where the browser
 * draws history.
 */
import type { Region, Station } from '../../contract/current.ts';
import { BASE_PATH, type Locale, type StationsList } from '../../contract/endpoints.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { type Changes, changesPart } from './changes.ts';
import { developerPart } from './developers.ts';
import { fill } from './format.ts';
import { healthPart, type Limits } from './health.ts';
import { type Html, html } from './html.ts';
import type { Page } from './layout.ts';
import { headPart, indicesPart, inWords, QUANTITIES, rulesPart, type Subject } from './now.ts';
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
import { mapPart, type Neighbour, wherePart } from './place.ts';
import { toPng } from './png.ts';
import { RULES } from './rules.ts';
import { newestTime } from './series.ts';
import { tilesPart } from './tiles.ts';
import { type Trust, trustPart } from './trust.ts';
import { WORDS, type Words } from './words.ts';

const SCRIPTS = ['live', 'explore', 'developers'];

/** The surroundings of a station, and whose they are. */
type Surroundings = {
  neighbours: readonly Neighbour[];
  map: MapGround;
  providers: StationsList['providers'];
};

export function stationPage(
  locale: Locale,
  subject: Subject<Station> & { trust: Trust; changes: Changes },
  { neighbours, map, providers }: Surroundings,
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
    has_measured: newestTime(subject.history) !== undefined,
  };
  return {
    ...pageOf(locale, subject, `station/${id}`),
    scripts: ['map', ...SCRIPTS],
    tiles: map.tiles ?? 'none',
    body: html`${headPart(locale, subject, path, note)}
${tilesPart(locale, subject, rulesPart(locale, 'C1', 'S5', 'aqi', 'trend'))}
${wherePart(locale, station, neighbours, map)}
${indicesPart(locale, subject)}
${changesPart(locale, `station/${id}`, subject.changes, { at: subject.at, stations: [] })}
${historyPart(words, locale, subject, `station/${id}`)}
${trustPart(locale, id, subject.trust)}
<p class="soft">${providersPart(words, own)}</p>
${developerPart(words, locale, `station/${id}`, subject.values.title)}`,
  };
}

/** Where a region is shown: its stations and, of a city, its districts; and whose they are. */
type Around = {
  regions: readonly ListedRegion[];
  stations: readonly ListedStation[];
  map: MapGround;
  providers: StationsList['providers'];
};

/** `isAlone`: it is all that the network has, and stands in place of the overview. */
export function regionPage(
  locale: Locale,
  subject: Subject<Region> & { limits: Limits; changes: Changes },
  { regions, stations, map, providers }: Around,
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
  const hasMap = stations.length > (isBare ? 1 : 0);
  // where nothing was measured, the head has said so
  const hasList = stations.length > 0 || regions.length > 0 || region.measurement_time !== null;
  const page = pageOf(locale, subject, `region/${region.slug}`);
  return {
    ...page,
    path: isAlone ? '' : page.path,
    scripts: [...(hasMap ? ['map'] : []), ...SCRIPTS],
    ...(hasMap && { tiles: map.tiles ?? 'none' }),
    body: html`${headPart(locale, subject, path, false)}
${tilesPart(locale, subject, rulesPart(locale, 'C4', 'C9', 'aqi', 'trend'))}
${healthPart(locale, region, limits)}
<div class="overview">
  <section${hasList && html` class="card"`} data-live="list"
  aria-label="${words.stations}">${
    regions.length > 0 &&
    html`<ul class="regions">
  ${worstFirst(regions).map((one) => html`<li>${regionLine(locale, one)}</li>`)}</ul>`
  }
${
  stations.length === 0
    ? hasList && html`<p>${words.noStations}</p>`
    : stationList(
        locale,
        words.stations,
        stations,
        'stations',
        stations.length <= 30 ? 'open' : 'closed',
      )
}</section>
${
  hasMap
    ? mapPart(locale, { regions: [], stations, names: regions, hasLegend: false }, map)
    : html`<div data-live="places"></div>`
}</div>
${indicesPart(locale, subject)}
${changesPart(locale, `region/${region.slug}`, subject.changes, { at: subject.at, stations })}
${historyPart(words, locale, subject, `region/${region.slug}`)}
<p class="soft">${providersPart(words, own)}</p>
${developerPart(words, locale, `region/${region.slug}`, region.title)}`,
  };
}

function pageOf(locale: Locale, subject: Subject, path: string) {
  const { word, index, value } = inWords(locale, subject);
  const { title } = subject.values;
  return {
    locale,
    path,
    title,
    feed: path,
    shape: newestTime(subject.history) === undefined ? 'empty' : 'full',
    description: fill(WORDS[locale].summary, {
      place: title,
      values: [word, index, value].filter(Boolean).join(', '),
    }),
    ...(toPng !== undefined && { image: `/${locale}/card/${path}.png` }),
  };
}

/** Words that only the server uses. */
const OF_SERVER = /^(advice |care |recomputed)/;

/**
 * Filled by the browser (`browser/explore.ts`), which finds the subject and the words here. Where
 * nothing was ever measured, there is none.
 */
function historyPart(words: Words, locale: Locale, subject: Subject, path: string): Html {
  if (newestTime(subject.history) === undefined) return html``;
  const url = `${BASE_PATH.replace('{locale}', locale)}/${path}-history.json`;
  const rules = Object.fromEntries(
    Object.entries(RULES).map(([name, texts]) => [`rule ${name}`, texts[locale]]),
  );
  const needed = Object.entries(words).filter(([key]) => !OF_SERVER.test(key));
  const json = JSON.stringify({ ...Object.fromEntries(needed), ...rules }).replaceAll(
    '<',
    '\\u003c',
  );
  return html`<section id="history" data-subject="${path}" data-locale="${locale}"
    data-windows="${JSON.stringify(WINDOWS)}" data-quantities="${JSON.stringify(QUANTITIES)}">
<noscript><p>${words.needsScript} <a href="${url}">${url}</a></p></noscript>
</section>
<script type="application/json" id="words">${{ text: json }}</script>`;
}
