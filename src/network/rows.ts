/** A network file as rows of our tables. */
import { type Context, type Known, makeContext, noteTwice, sensorsOf, unknownName } from './context.ts';
import { overlap } from './periods.ts';
import type { Draft, Listed, Problem } from './read.ts';
import type { Region, Sensor, Station } from './schema.ts';

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

/** The stations of a network file and their sensors as rows. */

export function stationRow({ place, item: station }: Listed<Station>, { kinds, providers, note }: Context): object {
  if (!providers.has(station.provider)) note(`${place}.provider`, unknownName('provider', station.provider));
  const slugs = station.regions.map((region) => (typeof region === 'string' ? region : region.slug));
  const first = (kind: string) => slugs.find((slug) => kinds.get(slug) === kind) ?? null;
  return {
    id: station.id,
    provider_id: station.provider,
    title: station.title,
    latitude: station.latitude,
    longitude: station.longitude,
    altitude: station.altitude ?? null,
    city_slug: first('city'),
    district_slug: first('district'),
    screening: station.screening,
  };
}

/** The periods in regions as the file has them; hidden ones are taken out by the database. */
export function memberships({ place, item: station }: Listed<Station>, { regions, reader, note }: Context) {
  const all = station.regions.flatMap((given, index) => {
    const here = `${place}.regions[${index}]`;
    const { slug, ...ends } = typeof given === 'string' ? { slug: given } : given;
    if (!regions.has(slug)) note(here, unknownName('region', slug));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ slug, place: here, ...period }];
  });
  for (const slug of new Set(all.map((membership) => membership.slug))) {
    const both = overlap(all.filter((membership) => membership.slug === slug));
    if (both) note(both[1], `the station is in ${slug} at the same time by ${both[0]}: name it once`);
  }
  return all.map(({ slug, since, until }) => ({ station_id: station.id, region_slug: slug, since, until }));
}

export function sensorPeriods(
  { place, item: sensor, station }: Listed<Sensor> & { station: Station },
  { stations, reader, note }: Context,
) {
  const given = sensor.stations ?? [{ id: station.id }];
  const all = given.flatMap(({ id, ...ends }, index) => {
    const here = sensor.stations === undefined ? place : `${place}.stations[${index}]`;
    if (!stations.has(id)) note(`${here}.id`, unknownName('station', id));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ id, place: here, ...period }];
  });
  const both = overlap(all);
  if (both) note(both[1], `the sensor is somewhere at the same time by ${both[0]}: end one before the other begins`);
  return all.map(({ id, since, until }) => ({ sensor_id: sensor.id, station_id: id, since, until }));
}

/** When a formula corrects the sensor (S5): as the sensor says, else as its kind does, else never. At other times none does. */
export function correctionPeriods(
  { place, item: { id, kind, correction } }: Listed<Sensor>,
  { draft, reader, note }: Context,
) {
  const ofKind = kind == null ? undefined : draft.corrections[kind];
  const given = correction ?? ofKind ?? 'none';
  const key = correction === undefined ? `corrections.${kind}` : `${place}.correction`;
  const pieces = typeof given === 'string' ? [{ formula: given }] : given;
  const all = pieces.flatMap(({ formula, ...ends }, index) => {
    const here = `${key}[${index}]`;
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ formula, place: here, ...period }];
  });
  const both = overlap(all);
  if (both) note(both[1], `another formula holds at the same time, by ${both[0]}: end one before the other begins`);
  return all.flatMap(({ formula, since, until }) =>
    formula === 'none' ? [] : [{ sensor_id: id, formula, since, until }],
  );
}
