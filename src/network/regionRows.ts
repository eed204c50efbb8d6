/** Regions of a network file as rows of raw.region. */
import { type Context, unknownName } from './context.ts';
import type { Listed } from './read.ts';
import type { Region } from './schema.ts';

export function regionRow({ place, item: region }: Listed<Region>, context: Context): object {
  const { draft, kinds, regions, note } = context;
  const { slug, kind, city, title, is_hidden } = region;
  if (kind === 'district') {
    if (city === undefined) note(place, 'a district needs the key city, the slug of its city');
    else if (!regions.has(city)) note(`${place}.city`, unknownName('region', city));
    else if (kinds.get(city) === 'district')
      note(`${place}.city`, `${city} is a district itself: give the slug of a city`);
  } else if (city !== undefined) {
    note(`${place}.city`, 'a city is in no other: leave the key out, or make it a district');
  }
  const map = region.map ?? centre(slug, context);
  // a station that could not be read may be in it
  if (map === undefined && draft.faulty.stations.size === 0)
    note(`${place}.map`, 'it is missing, and no station is in the region whose centre could stand for it: give it');
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

const DELTA = 0.2;

/** The mean place of the stations that are or were ever in it, of the file and of what the file does not name. */
function centre(slug: string, { draft, known }: Context) {
  const named = new Set(draft.stations.map(({ item }) => item.id));
  const inFile = draft.stations
    .map(({ item }) => item)
    .filter(({ regions }) => regions.some((region) => (typeof region === 'string' ? region : region.slug) === slug));
  const others = [...known.stations].filter(([id, { regions }]) => !named.has(id) && regions.includes(slug));
  const stations = [...inFile, ...others.map(([, station]) => station)];
  if (stations.length === 0) return undefined;
  const mean = (numbers: number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
  return {
    latitude: mean(stations.map(({ latitude }) => latitude)),
    longitude: mean(stations.map(({ longitude }) => longitude)),
    delta: DELTA,
  };
}
