/** Where places are: the map, and what is nearest to a station. */
import type { Region, Station } from '../../contract/current.ts';
import type { Locale } from '../../contract/endpoints.ts';
import { fill } from './format.ts';
import { type Html, html } from './html.ts';
import { formatNumber } from './numbers.ts';
import {
  isLarge,
  type ListedRegion,
  type ListedStation,
  legend,
  type MapGround,
  stationLine,
} from './parts.ts';
import type { Grade } from './scale.ts';
import { WORDS } from './words.ts';

/** A station near another one, or near a region. */
export type Neighbour = ListedStation & { distance_km: number };

/** A station farther away says nothing about the air here. */
const NEAR_KM = 25;

/** The neighbours in a document that are near. */
export const nearOf = <One extends Station>(
  neighbours: readonly { id: number; distance_km: number }[],
  stations: readonly One[],
): (One & { distance_km: number })[] =>
  neighbours.flatMap(({ id, distance_km }) => {
    const found = stations.find((one) => one.id === id);
    return found !== undefined && distance_km <= NEAR_KM ? [{ ...found, distance_km }] : [];
  });

/**
 * Each place: its level (0 city, 1 district, 2 station, 3 suspect station, 4 district with
 * only its name), key, the position of the place that it is in, coordinates, grade (-1:
 * offline), name.
 */
type Place = readonly [0 | 1 | 2 | 3 | 4, string | number, number, number, number, Grade, string?];

/**
 * `names`: districts that the map names; `own`: the station whose page it is;
 * `hasLegend`: false where another part of the page has the legend of the index that INDEX names;
 * `hours`: what else it can show (`mapHours.ts`).
 */
type Shown = {
  regions: readonly ListedRegion[];
  stations: readonly ListedStation[];
  names?: readonly Region[];
  own?: number;
  hasLegend?: boolean;
  hours?: Html;
};

/**
 * The map, which the browser draws (`browser/drawnMap.ts`), and what is on it. Without a script there is
 * none; the list has the same.
 */
export function mapPart(
  locale: Locale,
  { regions, stations, names = [], own, hasLegend = own === undefined, hours = html`` }: Shown,
  { tiles, ground }: MapGround,
): Html {
  const words = WORDS[locale];
  if (stations.length === 0 && regions.length === 0) return html`<div data-live="places"></div>`;
  const sorted = regions.toSorted((a, b) => Number('city_slug' in a) - Number('city_slug' in b));
  const at = new Map(sorted.map(({ slug }, n) => [slug, n]));
  const digits = isLarge(stations) ? 1_000 : 100_000;
  const round = (degrees: number) => Math.round(degrees * digits) / digits;
  const placeOf = (region: Region, level: 0 | 1 | 4, parent: number, grade: Grade): Place => {
    const { slug, map_latitude: lat, map_longitude: lng, title } = region;
    return [level, slug, parent, round(lat), round(lng), grade, title];
  };
  const places: Place[] = [
    ...sorted.map((one) =>
      'city_slug' in one
        ? placeOf(one, 1, at.get(one.city_slug) ?? -1, one.verdict.grade)
        : placeOf(one, 0, -1, one.verdict.grade),
    ),
    ...names.map((one) => placeOf(one, 4, -1, null)),
    ...stations.map((one): Place => {
      const parent = at.get(one.district_slug ?? '') ?? at.get(one.city_slug ?? '') ?? -1;
      const { look, grade, isSuspect } = one.verdict;
      const level = isSuspect ? 3 : 2;
      const position = [round(one.latitude), round(one.longitude)] as const;
      const shown = look === 'offline' ? -1 : grade;
      const plain = [level, one.id, parent, ...position, shown] as const;
      return isLarge(stations) ? plain : [...plain, one.title];
    }),
  ];
  const json = JSON.stringify(places).replaceAll('<', '\\u003c');
  const verdicts = [...regions, ...stations]
    .map(({ verdict }) => verdict)
    .filter(({ isOther }) => hasLegend || isOther);
  const onTiles =
    tiles !== undefined &&
    html` data-tiles="${tiles.url}" data-attribution="${tiles.attribution}" data-link="${tiles.link}"`;
  return html`<section class="card side scripted" id="map"><h2>${words.map}</h2>
<div class="map${tiles !== undefined && ' tiled'}" data-locale="${locale}"
  data-places="${words.places}" data-near="${words.nearest}"
  data-none="${words.noPosition}"${own !== undefined && html` data-own="${own}"`}${onTiles}${ground !== undefined && html` data-ground="${ground}"`}></div>
<p class="controls">
  <button type="button" id="near">${words.nearMe}</button> <small
  role="status"><span class="unseen">${words.mapHint}</span></small> ${hours}</p>
<div data-live="places"><script type="application/json" id="places">${{ text: json }}</script></div>
<div data-live="legend">${legend(locale, verdicts)}</div></section>`;
}

/** Where a station is: the stations that are nearest, as a list and a map, and its coordinates. */
export function wherePart(
  locale: Locale,
  station: ListedStation,
  neighbours: readonly Neighbour[],
  ground: MapGround,
): Html {
  const words = WORDS[locale];
  return html`<div class="overview">
<section class="card" data-live="where"><h2>${words.where}</h2>
${nearestList(locale, neighbours)}
<p class="when">${positionOf(locale, station)}</p></section>
${mapPart(locale, { regions: [], stations: [station, ...neighbours], own: station.id }, ground)}
</div>`;
}

/** The same for a region that measures nothing. */
export const nearestPart = (locale: Locale, neighbours: readonly Neighbour[]): Html | false =>
  neighbours.length > 0 &&
  html`<h3>${WORDS[locale].neighbours}</h3>
${nearestList(locale, neighbours)}`;

/** The nearest stations, with their distance. */
function nearestList(locale: Locale, neighbours: readonly Neighbour[]): Html | false {
  const away = ({ distance_km: km }: Neighbour) =>
    fill(WORDS[locale].km, { km: formatNumber(locale, km, km < 10 ? 1 : 0) });
  return (
    neighbours.length > 0 &&
    html`<ul>${neighbours.map((one) => stationLine(locale, one, away(one)))}</ul>`
  );
}

const DIGITS = 5;

/** As maps take it: `45.118, -39.1757`, with a link that opens them on phones. */
function positionOf(locale: Locale, { latitude, longitude }: Station): Html {
  const position = [latitude, longitude]
    .map((one) => String(Number(one.toFixed(DIGITS))))
    .join(', ');
  return html`${WORDS[locale].coordinates}: <a href="geo:${latitude},${longitude}">${position}</a>`;
}
