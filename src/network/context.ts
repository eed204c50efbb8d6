/** What the checks of a network file share: what exists, in the file or in the database, and the list of issues found so far. */
import { distance } from 'fastest-levenshtein';
import type { Sql } from '../database/client.ts';
import { readInstant } from '../ingest/validate.ts';
import { makePeriodReader, type PeriodReader } from './periods.ts';
import type { Issue, Listed, ParsedNetwork } from './read.ts';
import type { Correction, Flag, Region, Sensor, Station } from './schema.ts';
import { PLACEHOLDER_ID, PLACEHOLDER_NAME } from './usableParts.ts';

type Kind = Region['kind'];

export type CheckContext = {
  parsed: ParsedNetwork;
  existing: ExistingNetwork;
  /** Slug to kind, of the file and the database. */
  kinds: ReadonlyMap<string, Kind>;
  /** District to city, of the file and the database. */
  cities: ReadonlyMap<string, string>;
  providers: ReadonlySet<unknown>;
  regions: ReadonlySet<unknown>;
  stations: ReadonlySet<unknown>;
  reader: PeriodReader;
  /** Adds an issue unless the same is listed already. */
  addIssue(position: string, message: string): void;
};

/** Appends to `issues`. Invalid elements count as existing, because references to them would otherwise be reported too. */
export function makeContext(parsed: ParsedNetwork, existing: ExistingNetwork, issues: Issue[]): CheckContext {
  const addIssue = (position: string, message: string) => {
    // the corrections of a kind are read again for each of its sensors
    if (!issues.some((issue) => issue.position === position && issue.message === message))
      issues.push({ position, message });
  };
  // of a duplicate slug, which is an issue of its own, the first element counts
  const regions = new Map<string, { kind: Kind; city?: string | null | undefined }>([
    ...existing.regions,
    ...parsed.regions.toReversed().map(({ item }) => [item.slug, item] as const),
  ]);
  const kinds = new Map([...regions].map(([slug, { kind }]) => [slug, kind]));
  return {
    parsed,
    existing,
    kinds,
    cities: new Map([...regions].flatMap(([slug, { city }]) => (city == null ? [] : [[slug, city]]))),
    providers: new Set<unknown>([
      ...existing.providers,
      ...parsed.providers.map(({ item }) => item.id),
      ...parsed.invalid.providers,
    ]),
    regions: new Set<unknown>([...kinds.keys(), ...parsed.invalid.regions]),
    stations: new Set<unknown>([
      ...existing.stations.keys(),
      ...parsed.stations.map(({ item }) => item.id),
      ...parsed.invalid.stations,
    ]),
    reader: makePeriodReader(existing.instants, addIssue),
    addIssue,
  };
}

/** The message for a reference to something that does not exist; `known` are the names that do. */
export function unknownName(kind: string, name: string | number, known: ReadonlySet<unknown>): string {
  const names = [...known].filter((each) => typeof each === 'string' && each !== PLACEHOLDER_NAME) as string[];
  const meant = names.find((known) => distance(known, String(name)) <= 2);
  const remedy = meant === undefined ? 'add it, or correct the name' : `did you mean ${meant}?`;
  return `there is no ${kind} ${name}, neither in the file nor in the database: ${remedy}`;
}

/** Every sensor of the file, with the station it is listed under. */
export function sensorsOf({ stations }: ParsedNetwork): (Listed<Sensor> & { station: Station })[] {
  return stations.flatMap(({ position, item: station }) =>
    station.sensors.map((item, index) => ({ position: `${position}.sensors[${index}]`, item, station })),
  );
}

/** Adds an issue for every name that occurs again; `key` is the key of the name in the file. */
export function addDuplicates<T>(
  list: readonly Listed<T>[],
  name: (item: T) => string | number,
  key: string,
  { addIssue }: CheckContext,
): void {
  const first = new Map<string | number, string>();
  for (const { position, item } of list) {
    if (name(item) === PLACEHOLDER_NAME || name(item) === PLACEHOLDER_ID) continue;
    const earlier = first.get(name(item));
    if (earlier === undefined) first.set(name(item), position);
    else addIssue(`${position}.${key}`, `${name(item)} is there already, at ${earlier}: name each once`);
  }
}

/** What the database holds: its time zone, names that a file may refer to, and what local times of the file mean. */
export type ExistingNetwork = {
  timeZone: string;
  providers: ReadonlySet<string>;
  regions: ReadonlyMap<string, { kind: Kind; city: string | null }>;
  stations: ReadonlyMap<number, { latitude: number; longitude: number; regions: readonly string[] }>;
  /** Where sensors with a device were and when, in microseconds since 1970. */
  devices: readonly { sensor: number; device: string; station: number; since: number; until: number }[];
  /** Local time to instant, both in microseconds since 1970. */
  instants: ReadonlyMap<number, number>;
};

type Row = {
  time_zone: string;
  providers: string[];
  regions: Record<string, { kind: Kind; city: string | null }>;
  devices: { sensor: number; device: string; station: number; since: number | null; until: number | null }[];
  stations: { id: number; latitude: number; longitude: number; regions: string[] }[];
  instants: [number, number][];
};

/** What the database holds that matters to checking this file. `sql` is a pool of the owner. */
export async function readExisting(sql: Sql, parsed: ParsedNetwork): Promise<ExistingNetwork> {
  const local = JSON.stringify([...new Set(localTimes(parsed))]);
  const [row] = await sql<[Row]>`
    select i.time_zone,
      (select coalesce(jsonb_agg(id), '[]') from raw.provider) as providers,
      (select coalesce(jsonb_object_agg(slug, jsonb_build_object('kind', kind, 'city', city_slug)), '{}') from raw.region) as regions,
      (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'latitude', s.latitude, 'longitude', s.longitude, 'regions',
          array(select distinct r.region_slug from raw.station_region r where r.station_id = s.id))), '[]')
        from raw.station s) as stations,
      (select coalesce(jsonb_agg(jsonb_build_object('sensor', s.id, 'device', s.device, 'station', l.station_id,
          'since', case when isfinite(l.since) then extract(epoch from l.since) * 1000000 end,
          'until', case when isfinite(l.until) then extract(epoch from l.until) * 1000000 end)), '[]')
        from raw.sensor s join raw.sensor_station l on l.sensor_id = s.id where s.device is not null) as devices,
      (select coalesce(jsonb_agg(jsonb_build_array(local, extract(epoch from
          (timestamp 'epoch' + local::text::float8 * interval '1 microsecond') at time zone i.time_zone) * 1000000)), '[]')
        from jsonb_array_elements(${local}::text::jsonb) local) as instants
    from raw.installation i`;
  return {
    timeZone: row.time_zone,
    providers: new Set(row.providers),
    regions: new Map(Object.entries(row.regions)),
    stations: new Map(row.stations.map((station) => [station.id, station])),
    devices: row.devices.map(({ since, until, ...device }) => ({
      ...device,
      since: since ?? Number.NEGATIVE_INFINITY,
      until: until ?? Number.POSITIVE_INFINITY,
    })),
    instants: new Map(row.instants),
  };
}

/** All times of the file that were given without an offset, in microseconds. */
function localTimes({ stations, corrections }: ParsedNetwork): number[] {
  const flags = (flag: Flag) => (typeof flag === 'boolean' ? [] : flag);
  const formulas = (correction: Correction | undefined) => (typeof correction === 'object' ? correction : []);
  const ofStations = stations.flatMap(({ item: station }) => [
    ...flags(station.hidden),
    ...flags(station.is_bad_thp),
    ...station.regions.filter((region) => typeof region === 'object'),
    ...station.sensors.flatMap((sensor) => [
      ...(sensor.stations ?? []),
      ...flags(sensor.suspicious),
      ...formulas(sensor.correction),
    ]),
  ]);
  return [...ofStations, ...Object.values(corrections).flatMap(formulas)]
    .flatMap(({ since, until }) => [since, until])
    .map((text) => (text == null ? undefined : readInstant(text)))
    .flatMap((instant) => (instant?.local ? [instant.microseconds] : []));
}
