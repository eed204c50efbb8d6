/** A network file as rows of our tables. */
import { type Context, makeContext, noteTwice, sensorsOf, unknownName } from './context.ts';
import type { Known } from './existing.ts';
import type { Draft, Listed, Problem } from './read.ts';
import type { Region } from './schema.ts';
import { correctionPeriods, memberships, sensorPeriods, stationRow } from './stationRows.ts';

/** The argument of logic.replace_network: rows by table. */
export type NetworkRows = {
  providers: object[];
  regions: object[];
  stations: object[];
  sensors: object[];
  station_region: object[];
  hidden_period: object[];
  flag_period: object[];
  sensor_station: object[];
  suspicious_period: object[];
  correction: object[];
};

/** The rows are of use only if no problem was found, in reading or here. */
export function makeRows(draft: Draft, known: Known): { rows: NetworkRows; problems: Problem[] } {
  const problems: Problem[] = [...draft.problems];
  const context = makeContext(draft, known, problems);
  const { reader, note } = context;
  const { providers, regions, stations, timeZone } = draft;
  const sensors = sensorsOf(draft);

  if (timeZone !== undefined && timeZone !== known.timeZone) {
    note(
      'time_zone',
      `this network is of ${timeZone}, but the database was made for ${known.timeZone}, and its days and months are of that zone: ` +
        `correct the file, or make a new database with TIME_ZONE=${timeZone}`,
    );
  }
  noteTwice(providers, ({ id }) => id, 'id', context);
  noteTwice(regions, ({ slug }) => slug, 'slug', context);
  noteTwice(stations, ({ id }) => id, 'id', context);
  noteTwice(sensors, ({ id }) => id, 'id', context);

  const rows = {
    providers: providers.map(({ item }) => item),
    regions: regions.map((region) => regionRow(region, context)),
    stations: stations.map((station) => stationRow(station, context)),
    sensors: sensors.map(({ item: { id, kind = null, device = null } }) => ({ id, kind, device })),
    station_region: stations.flatMap((station) => memberships(station, context)),
    hidden_period: stations.flatMap(({ place, item }) =>
      reader.flag(`${place}.hidden`, item.hidden).map((period) => ({ station_id: item.id, ...period })),
    ),
    flag_period: stations.flatMap(({ place, item }) =>
      reader.flag(`${place}.is_bad_thp`, item.is_bad_thp).map((period) => ({ station_id: item.id, ...period })),
    ),
    sensor_station: sensors.flatMap((sensor) => sensorPeriods(sensor, context)),
    suspicious_period: sensors.flatMap(({ place, item }) =>
      reader.flag(`${place}.suspicious`, item.suspicious).map((period) => ({ sensor_id: item.id, ...period })),
    ),
    correction: sensors.flatMap((sensor) => correctionPeriods(sensor, context)),
  };
  return { rows, problems };
}

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
