/** Turns a parsed network file into rows of the database's tables, and checks what its elements say about each other. */
import {
  addDuplicates,
  type CheckContext,
  type ExistingNetwork,
  makeContext,
  sensorsOf,
  unknownName,
} from './context.ts';
import { overlap } from './periods.ts';
import type { Issue, Listed, ParsedNetwork } from './read.ts';
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

/** `issues` are those of parsing and of checking; the rows can be used only if there are none. */
export function makeRows(parsed: ParsedNetwork, existing: ExistingNetwork): { rows: NetworkRows; issues: Issue[] } {
  const issues: Issue[] = [...parsed.issues];
  const context = makeContext(parsed, existing, issues);
  const { reader, addIssue } = context;
  const { providers, regions, stations, timeZone } = parsed;
  const sensors = sensorsOf(parsed);

  if (timeZone !== undefined && timeZone !== existing.timeZone) {
    addIssue(
      'time_zone',
      `this network is of ${timeZone}, but the database was made for ${existing.timeZone}, and its days and months are of that zone: ` +
        `correct the file, or make a new database with TIME_ZONE=${timeZone}`,
    );
  }
  addDuplicates(providers, ({ id }) => id, 'id', context);
  addDuplicates(regions, ({ slug }) => slug, 'slug', context);
  addDuplicates(stations, ({ id }) => id, 'id', context);
  addDuplicates(sensors, ({ id }) => id, 'id', context);

  const rows = {
    providers: providers.map(({ item }) => item),
    regions: regions.map((region) => regionRow(region, context)),
    stations: stations.map((station) => stationRow(station, context)),
    sensors: sensors.map(({ item: { id, kind = null, device = null } }) => ({ id, kind, device })),
    station_region: stations.flatMap((station) => memberships(station, context)),
    hidden_period: stations.flatMap(({ position, item }) =>
      reader.flag(`${position}.hidden`, item.hidden).map((period) => ({ station_id: item.id, ...period })),
    ),
    flag_period: stations.flatMap(({ position, item }) =>
      reader.flag(`${position}.is_bad_thp`, item.is_bad_thp).map((period) => ({ station_id: item.id, ...period })),
    ),
    sensor_station: sensors.flatMap((sensor) => sensorPeriods(sensor, context)),
    suspicious_period: sensors.flatMap(({ position, item }) =>
      reader.flag(`${position}.suspicious`, item.suspicious).map((period) => ({ sensor_id: item.id, ...period })),
    ),
    correction: sensors.flatMap((sensor) => correctionPeriods(sensor, context)),
  };
  return { rows, issues };
}

function regionRow({ position, item: region }: Listed<Region>, context: CheckContext): object {
  const { parsed, kinds, regions, addIssue } = context;
  const { slug, kind, city, title, is_hidden } = region;
  if (kind === 'district') {
    if (city === undefined) addIssue(position, 'a district needs the key city, the slug of its city');
    else if (!regions.has(city)) addIssue(`${position}.city`, unknownName('region', city));
    else if (kinds.get(city) === 'district')
      addIssue(`${position}.city`, `${city} is a district itself: give the slug of a city`);
  } else if (city !== undefined) {
    addIssue(`${position}.city`, 'a city is in no other: leave the key out, or make it a district');
  }
  const map = region.map ?? centre(slug, context);
  // an invalid station may be in it
  if (map === undefined && parsed.invalid.stations.size === 0)
    addIssue(
      `${position}.map`,
      'it is missing, and no station is in the region whose centre could stand for it: give it',
    );
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

/** The mean position of the stations that are or ever were in the region: those of the file, and others of the database. */
function centre(slug: string, { parsed, existing }: CheckContext) {
  const listed = new Set(parsed.stations.map(({ item }) => item.id));
  const inFile = parsed.stations
    .map(({ item }) => item)
    .filter(({ regions }) => regions.some((region) => (typeof region === 'string' ? region : region.slug) === slug));
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

function stationRow(
  { position, item: station }: Listed<Station>,
  { kinds, providers, addIssue }: CheckContext,
): object {
  if (!providers.has(station.provider)) addIssue(`${position}.provider`, unknownName('provider', station.provider));
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

/** The periods in regions as the file has them; the database subtracts those in which the station is hidden. */
function memberships({ position, item: station }: Listed<Station>, { regions, reader, addIssue }: CheckContext) {
  const all = station.regions.flatMap((given, index) => {
    const here = `${position}.regions[${index}]`;
    const { slug, ...ends } = typeof given === 'string' ? { slug: given } : given;
    if (!regions.has(slug)) addIssue(here, unknownName('region', slug));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ slug, position: here, ...period }];
  });
  for (const slug of new Set(all.map((membership) => membership.slug))) {
    const both = overlap(all.filter((membership) => membership.slug === slug));
    if (both) addIssue(both[1], `the station is in ${slug} at the same time by ${both[0]}: name it once`);
  }
  return all.map(({ slug, since, until }) => ({ station_id: station.id, region_slug: slug, since, until }));
}

/** The periods of a sensor at stations; without any of its own, it is always at the station it is listed under. */
function sensorPeriods(
  { position, item: sensor, station }: Listed<Sensor> & { station: Station },
  { stations, reader, addIssue }: CheckContext,
) {
  const given = sensor.stations ?? [{ id: station.id }];
  const all = given.flatMap(({ id, ...ends }, index) => {
    const here = sensor.stations === undefined ? position : `${position}.stations[${index}]`;
    if (!stations.has(id)) addIssue(`${here}.id`, unknownName('station', id));
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ id, position: here, ...period }];
  });
  const both = overlap(all);
  if (both)
    addIssue(both[1], `the sensor is somewhere at the same time by ${both[0]}: end one before the other begins`);
  return all.map(({ id, since, until }) => ({ sensor_id: sensor.id, station_id: id, since, until }));
}

/** The periods in which a formula corrects the sensor (S5): its own, else those of its kind, else none. */
function correctionPeriods(
  { position, item: { id, kind, correction } }: Listed<Sensor>,
  { parsed, reader, addIssue }: CheckContext,
) {
  const ofKind = kind == null ? undefined : parsed.corrections[kind];
  const given = correction ?? ofKind ?? 'none';
  const key = correction === undefined ? `corrections.${kind}` : `${position}.correction`;
  const pieces = typeof given === 'string' ? [{ formula: given }] : given;
  const all = pieces.flatMap(({ formula, ...ends }, index) => {
    const here = `${key}[${index}]`;
    const period = reader.period(here, ends);
    return period === undefined ? [] : [{ formula, position: here, ...period }];
  });
  const both = overlap(all);
  if (both)
    addIssue(both[1], `another formula applies at the same time, by ${both[0]}: end one before the other begins`);
  return all.flatMap(({ formula, since, until }) =>
    formula === 'none' ? [] : [{ sensor_id: id, formula, since, until }],
  );
}
