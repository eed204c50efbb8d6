/** The first page: cities and districts, worst first, and the map of all stations. */
import type { City, Region } from '../../contract/current.ts';
import type { Locale, StationsList } from '../../contract/endpoints.ts';
import { titleIn } from '../../contract/words/siteTitle.ts';
import { computedPart } from './computed.ts';
import { fill } from './format.ts';
import { type Html, html } from './html.ts';
import { groundOf, type Page, type Site } from './layout.ts';
import { hoursPart } from './mapHours.ts';
import { ofHour } from './now.ts';
import {
  isLarge,
  type ListedRegion,
  type ListedStation,
  providersPart,
  regionLine,
  regionPath,
  stationList,
  verdictText,
  withTime,
  worstFirst,
} from './parts.ts';
import { mapPart } from './place.ts';
import { overviewSentence } from './trend.ts';
import { boxOf, usedIndices } from './verdict.ts';
import { WORDS } from './words.ts';

/** A list of more stations than this has a search. */
const MANY = 8;

type List = Pick<StationsList, 'providers'> & {
  regions: ListedRegion[];
  stations: ListedStation[];
  /** The start of the hour of the European index. */
  hour: string;
};
type Placed = {
  regions: readonly Region[];
  stations: readonly Pick<ListedStation, 'city_slug'>[];
};

/** The cities that are shown, and what of the rest is: districts of hidden cities are not. */
export function shownOf<One extends Region>(list: {
  regions: readonly One[];
}): { regions: One[]; cities: (One & City)[] } {
  const hidden = new Set(list.regions.filter(isHidden).map(({ slug }) => slug));
  const regions = list.regions.filter((region) => !hidden.has(cityOf(region) ?? region.slug));
  return {
    regions,
    cities: regions.filter((region): region is One & City => !('city_slug' in region)),
  };
}

/** The only city of a network whose stations are all in it: its page stands for the overview. */
export function onlyCity({ regions, stations }: Placed): string | undefined {
  const [city, ...others] = shownOf({ regions }).cities;
  return others.length === 0 && stations.every(({ city_slug: slug }) => slug === city?.slug)
    ? city?.slug
    : undefined;
}

/** True if the overview has a search: not where it is a city's page, or short. */
export const hasSearch = (list: Placed): boolean =>
  list.stations.length > MANY && onlyCity(list) === undefined;

export function overviewPage(site: Site, locale: Locale, list: List): Page {
  const words = WORDS[locale];
  const siteTitle = titleIn(site, locale);
  const { regions, cities } = shownOf(list);
  const known = new Set(cities.map(({ slug }) => slug));
  const top = worstFirst(regions.filter((region) => !known.has(cityOf(region) ?? '')));
  const isShort = !isLarge(list.stations);
  const elsewhere = isShort
    ? list.stations.filter(({ city_slug: slug }) => slug === null || !known.has(slug))
    : [];
  const newest = regions.reduce(
    (time, { measurement_time: at }) => ((at ?? '') > time ? (at as string) : time),
    '',
  );
  const line = (region: ListedRegion): Html => html`<li>${regionLine(locale, region)}
${within(region)}</li>
`;
  const within = (region: Region): Html => {
    const districts = worstFirst(regions.filter((one) => cityOf(one) === region.slug));
    const stations = isShort ? list.stations.filter((one) => one.city_slug === region.slug) : [];
    return html`${
      districts.length > 0 && html`<ul>${districts.map(line)}</ul>`
    }${stationList(locale, words.stations, stations, region.slug, 'fold')}`;
  };
  const hours = hoursPart(locale, site.index, list.stations, list.stations);
  const worst = top
    .slice(0, 3)
    .map(({ title, verdict }) =>
      typeof verdict.grade === 'object'
        ? `${title}: ${verdictText(locale, verdict)}`
        : `${title} ${boxOf(verdict)}`,
    );
  const used = usedIndices([...regions, ...list.stations].map(({ verdict }) => verdict));
  const when =
    used[0] === 'eaqi'
      ? html`${ofHour(locale, list.hour)}; `
      : newest !== '' && html`${withTime(locale, words.digestOf, newest)}; `;

  return {
    locale,
    path: '',
    title: siteTitle,
    shape: list.stations.length === 0 ? 'empty' : 'full',
    description: fill(words.summary, { place: siteTitle, values: worst.join(', ') }),
    scripts: ['search', 'map', 'live'],
    tiles: site.tiles ?? 'none',
    indices: used,
    body: html`<div class="overview">
<section class="card"><h1>${words.cities}</h1>
${
  list.stations.length > MANY &&
  html`<p class="controls">
  <input type="search" id="search" class="scripted" aria-label="${words.search}"
  placeholder="${words.search}"> <a class="button tomap" href="#map">${words.map}</a>
  <span role="status" hidden>${words.notListed}</span></p>`
}
<div data-live="list">${
      cities.length > 0 &&
      html`<p
  class="summary">${overviewSentence(locale, cities, (city) => regionPath(locale, city))}</p>`
    }
${
  top.length > 0 &&
  html`<p class="when">
  ${when}${words.worstFirst}</p>`
}
${list.stations.length === 0 && html`<p>${words.noStations}</p>`}
<ul class="regions">${top.map(line)}</ul>
${stationList(locale, words.withoutCity, elsewhere, '')}
${!isShort && html`<p>${words.listedInCity}</p>`}</div>
</section>
${mapPart(locale, { regions, stations: list.stations, hours }, groundOf(site))}
</div>
<section class="card">
  <h2>${words.network}</h2>
  <p>${siteTitle}. ${providersPart(words, list.providers)}</p></section>
${list.stations.length > 0 && computedPart(locale, 'overview', used)}`,
  };
}

const isHidden = (region: Region) => 'is_hidden' in region && region.is_hidden;
const cityOf = (region: Region) => ('city_slug' in region ? region.city_slug : undefined);
