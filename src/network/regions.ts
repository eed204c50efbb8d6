/** The regions of a network file as rows, and the stations' memberships in them. */
import { type CheckContext, unknownName } from './context.ts';
import { overlap } from './periods.ts';
import type { Listed } from './read.ts';
import type { Region, Station } from './schema.ts';
import { PLACEHOLDER_NAME } from './usableParts.ts';

/** A row of raw.region. */
export function regionRow({ position, item: region }: Listed<Region>, context: CheckContext): object {
  const { kinds, regions, addIssue } = context;
  const { slug, kind, city, title, is_hidden } = region;
  if (kind === 'district') {
    if (city === undefined) addIssue(position, 'a district needs the key city, the slug of its city');
    else if (!regions.has(city)) addIssue(`${position}.city`, unknownName('region', city, regions));
    else if (kinds.get(city) === 'district')
      addIssue(`${position}.city`, `${city} is a district itself: give the slug of a city`);
  } else if (city !== undefined) {
    addIssue(`${position}.city`, 'a city is in no other: leave the key out, or make it a district');
  }
  const map = region.map ?? centre(slug, context);
  if (map === undefined && slug !== PLACEHOLDER_NAME && !hasDoubtfulStations(context)) {
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

/** An invalid station, or one whose region does not exist, may be meant to be in a region that seems to be empty. */
function hasDoubtfulStations({ parsed, regions }: CheckContext): boolean {
  return (
    parsed.invalid.stations.size > 0 ||
    parsed.stations.some(({ item }) => item.regions.some((given) => !regions.has(slugOf(given))))
  );
}

const slugOf = (given: Station['regions'][number]) => (typeof given === 'string' ? given : given.slug);

/** The regions that a station names and, behind them, the cities of its districts. */
function regionsOf({ regions }: Station, { cities }: CheckContext): string[] {
  const named = regions.map(slugOf);
  return [...new Set([...named, ...named.flatMap((slug) => cities.get(slug) ?? [])])];
}

const DELTA = 0.2;

/** The mean position of the stations that are or ever were in the region: those of the file, and others of the database. */
function centre(slug: string, context: CheckContext) {
  const { parsed, existing } = context;
  const listed = new Set(parsed.stations.map(({ item }) => item.id));
  const inFile = parsed.stations
    .map(({ item }) => item)
    .filter((station) => regionsOf(station, context).includes(slug));
  const others = [...existing.stations].filter(([id, { regions }]) => !listed.has(id) && regions.includes(slug));
  const stations = [...inFile, ...others.map(([, station]) => station)];
  if (stations.length === 0) return undefined;
  const mean = (numbers: number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
  return {
    latitude: mean(stations.map(({ latitude }) => latitude)),
    longitude: mean(stations.map(({ longitude }) => longitude)),
    delta: DELTA,
  };
}

/**
 * The periods of a station in regions. In the city of a district it is for the periods that it is in the district, beside those that the
 * file gives for the city; the database merges them, and subtracts those in which the station is hidden.
 */
export function memberships({ position, item: station }: Listed<Station>, context: CheckContext) {
  const { regions, cities, reader, addIssue } = context;
  const order = regionsOf(station, context);
  const all = station.regions.flatMap((given, index) => {
    const here = `${position}.regions[${index}]`;
    const { slug, ...ends } = typeof given === 'string' ? { slug: given } : given;
    if (slug === PLACEHOLDER_NAME) return [];
    if (!regions.has(slug)) addIssue(here, unknownName('region', slug, regions));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ slug, position: here, ...period }];
  });
  for (const slug of new Set(all.map((membership) => membership.slug))) {
    const both = overlap(all.filter((membership) => membership.slug === slug));
    if (both) addIssue(both[1], `the station is in ${slug} at the same time by ${both[0]}: name it once`);
  }
  return all.flatMap(({ slug, since, until }) =>
    [slug, cities.get(slug) ?? slug].map((region_slug) => ({
      station_id: station.id,
      region_slug,
      position: order.indexOf(region_slug),
      since,
      until,
    })),
  );
}
