/** The regions of a network file as rows, and the stations' memberships in them. */
import type { CheckContext } from './context.ts';
import { addOverlaps, type Period } from './periods.ts';
import type { ParsedRegion, ParsedStation } from './read.ts';
import type { Flag } from './schema.ts';

/**
 * A row of raw.region; `places` are the places of its stations. To be called after `memberships` of
 * all stations.
 */
export function regionRow(
  region: ParsedRegion,
  context: CheckContext,
  places: readonly Place[],
): object {
  const { issues, addIssue, checkName } = context;
  const { position, slug, kind, city, title, is_hidden } = region;
  if (kind === 'city' && city !== undefined)
    addIssue(`${position}.city`, 'a city is in no other: leave the key out, or make it a district');
  if (kind === 'district') {
    if (city === undefined)
      addIssue(position, 'a district needs the key city, the slug of its city');
    else if (context.regions.get(city)?.kind === 'district')
      addIssue(`${position}.city`, `${city} is a district itself: give the slug of a city`);
    else checkName(`${position}.city`, 'region', city);
  }
  const map = region.map ?? centre(places);
  // a map with an issue is not missing, and a station with one may be meant to be in the region
  const isDoubtful = issues.some((issue) =>
    [`${position}.map`, 'stations'].some((of) => issue.position.startsWith(of)),
  );
  if (map === undefined && slug !== undefined && !isDoubtful) {
    addIssue(
      `${position}.map`,
      'it is missing, and no station is in the region whose centre could stand for it: ' +
        'add the region to its stations, or write "map": {"latitude": …, "longitude": …}',
    );
  }
  return {
    slug,
    kind,
    city_slug: city ?? null,
    title,
    map_latitude: map?.latitude,
    map_longitude: map?.longitude,
    map_delta: map?.delta,
    is_hidden,
  };
}

/** The regions that a station names and, behind them, the cities of its districts. */
function regionsOf(station: ParsedStation, { regions }: CheckContext): unknown[] {
  const named = station.regions.map((given) => (typeof given === 'object' ? given.slug : given));
  return [...new Set([...named, ...named.flatMap((slug) => regions.get(slug)?.city ?? [])])];
}

const DELTA = 0.2;

type Place = {
  latitude?: number | undefined;
  longitude?: number | undefined;
  hidden?: Flag | undefined;
};

/**
 * Coordinates of all stations, past and present, by region: from the file, and of other stations
 * from the database.
 */
export function placesByRegion(context: CheckContext): ReadonlyMap<unknown, readonly Place[]> {
  const { parsed, existing } = context;
  const places = new Map<unknown, Place[]>();
  const add = (slug: unknown, place: Place) => {
    const others = places.get(slug);
    if (others === undefined) places.set(slug, [place]);
    else others.push(place);
  };
  const listed = new Set(parsed.stations.map(({ id }) => id));
  for (const station of parsed.stations)
    for (const slug of regionsOf(station, context)) add(slug, station);
  for (const [id, station] of existing.stations) {
    if (!listed.has(id)) for (const slug of station.regions) add(slug, station);
  }
  return places;
}

/**
 * A station that is far from all others of its region; `swapped`: with latitude and longitude
 * exchanged it would be near one.
 */
export type FarStation = { id: number | undefined; region: unknown; km: number; swapped: boolean };

/** No region is as wide. */
const FAR_KM = 100;

/**
 * The stations of the file that are farther than 100 km from every other of a region they are in.
 */
export function farStations(
  context: CheckContext,
  places: ReadonlyMap<unknown, readonly Place[]>,
): FarStation[] {
  return context.parsed.stations.flatMap((station) => {
    const { id, latitude, longitude } = station;
    for (const region of regionsOf(station, context)) {
      const others = (places.get(region) ?? []).filter((other) => other !== station);
      if (others.length === 0 || others.some((other) => kilometres(station, other) <= FAR_KM))
        continue;
      const km = Math.round(Math.min(...others.map((other) => kilometres(station, other))));
      const exchanged = { latitude: longitude, longitude: latitude };
      return [
        { id, region, km, swapped: others.some((other) => kilometres(exchanged, other) <= FAR_KM) },
      ];
    }
    return [];
  });
}

/** On a sphere; 0 where a coordinate is invalid, which is an issue of its own. */
function kilometres(one: Place, other: Place): number {
  const radians = [one.latitude, other.latitude, one.longitude, other.longitude].map(
    (of) => ((of ?? Number.NaN) * Math.PI) / 180,
  );
  const [a, b, c, d] = radians as [number, number, number, number];
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(c - d);
  return Number.isNaN(cosine) ? 0 : 6_371 * Math.acos(Math.min(1, cosine));
}

/**
 * The middle of the listed stations, or of all if none is listed. No region is wider than half the
 * globe.
 */
function centre(places: readonly Place[]) {
  if (places.length === 0) return undefined;
  const listed = places.filter(({ hidden }) => !isHiddenForGood(hidden));
  const shown = listed.length === 0 ? places : listed;
  const longitudes = shown.map((place) => place.longitude ?? 0);
  const crossesDateLine = Math.max(...longitudes) - Math.min(...longitudes) > 180;
  const longitude = mean(
    longitudes.map((each) => (crossesDateLine && each < 0 ? each + 360 : each)),
  );
  return {
    latitude: mean(shown.map((place) => place.latitude ?? 0)),
    longitude: longitude > 180 ? longitude - 360 : longitude,
    delta: DELTA,
  };
}

const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Always, or from some day on. */
const isHiddenForGood = (hidden: Flag = false) =>
  typeof hidden === 'boolean' ? hidden : hidden.some(({ until }) => until == null);

/** A row of raw.station_region. */
type Membership = Period & {
  station_id: number | undefined;
  region_slug: string | undefined;
  position: number;
};

/** A station that is in several cities at the same time. */
export type InCities = { id: number | undefined; cities: string[] };

/** The stations that are in two cities at the same time, each with these. */
export function stationsInCities(
  rows: readonly Membership[],
  { regions }: CheckContext,
): InCities[] {
  const byStation = new Map<number | undefined, Membership[]>();
  for (const row of rows) {
    if (regions.get(row.region_slug)?.kind !== 'city') continue;
    byStation.set(row.station_id, [...(byStation.get(row.station_id) ?? []), row]);
  }
  return [...byStation].flatMap(([id, all]) => {
    const meets = (one: Membership) =>
      all.some(
        (other) =>
          other.region_slug !== one.region_slug &&
          one.since < other.until &&
          other.since < one.until,
      );
    const cities = new Set(all.filter(meets).map(({ region_slug: slug }) => String(slug)));
    return cities.size === 0 ? [] : [{ id, cities: [...cities] }];
  });
}

/**
 * The periods of a station in regions. In the city of a district it is for the periods that it is
 * in the district, beside those that the file gives for the city; the database merges them, and
 * subtracts those in which the station is hidden.
 */
export function memberships(station: ParsedStation, context: CheckContext): Membership[] {
  const { regions, existing, periods, addIssue, checkName } = context;
  const key = `${station.position}.regions`;
  const given = station.regions.map((region) =>
    typeof region === 'string' ? { slug: region } : region,
  );
  for (const [index, region] of given.entries())
    checkName(`${key}[${index}]`, 'region', region?.slug);
  const all = periods.list(key, given);
  addOverlaps(
    all,
    ({ slug }) => slug,
    ({ slug }, earlier) =>
      `the station is in ${slug} at the same time by ${earlier.position}: name it once`,
    addIssue,
  );
  for (const { slug, since, until } of all) {
    const before = existing.regions.get(slug)?.city;
    if (before === undefined || before === regions.get(slug)?.city) continue;
    const left = all.find(
      (other) => other.slug === before && other.since < until && since < other.until,
    );
    if (left === undefined) continue;
    addIssue(
      left.position,
      `${slug} is no longer in ${before}, and the station would be in both: leave ${before} out`,
    );
  }
  const order = regionsOf(station, context);
  return all.flatMap(({ slug, since, until }) =>
    [slug, regions.get(slug)?.city ?? []].flat().map((region_slug) => ({
      station_id: station.id,
      region_slug,
      position: order.indexOf(region_slug),
      since,
      until,
    })),
  );
}

/**
 * Adds an issue for each region that the file puts into another city while it does not list all of
 * its stations: the others would stay in the old city.
 */
export function checkMovedRegions({ parsed, existing, addIssue }: CheckContext): void {
  const listed = new Set(parsed.stations.map(({ id }) => id));
  for (const { position, slug, kind, city } of parsed.regions) {
    const before = slug === undefined ? undefined : existing.regions.get(slug);
    const isIncomplete = kind === 'district' && city === undefined;
    if (before === undefined || before.city === city || isIncomplete) continue;
    const unlisted = [...existing.stations.values()]
      .filter((station) => !listed.has(station.id) && station.regions.includes(slug as string))
      .map(({ id }) => id)
      .sort((a, b) => a - b);
    if (unlisted.length === 0) continue;
    const was = before.city === undefined ? 'was a city' : `was in ${before.city}`;
    addIssue(
      position,
      `${slug} ${was}, and stations ${unlisted.join(', ')} of the database are in it: list them too, so that their cities follow`,
    );
  }
}
