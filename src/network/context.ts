/** What the checks of a network file share: what exists in the file or in the database, and where problems are noted. */

import type { Sql } from '../database/client.ts';
import { readInstant } from '../ingest/time.ts';
import { makePeriodReader, type PeriodReader } from './periods.ts';
import type { Draft, Listed, Problem } from './read.ts';
import type { Correction, Flag, Sensor, Station } from './schema.ts';

export type Context = {
  draft: Draft;
  known: Known;
  /** Slug to kind, of the file and the database. */
  kinds: ReadonlyMap<string, 'city' | 'district'>;
  providers: ReadonlySet<unknown>;
  regions: ReadonlySet<unknown>;
  stations: ReadonlySet<unknown>;
  reader: PeriodReader;
  note(place: string, what: string): void;
};

/** Elements with a fault of their own count as existing, or each of them would be complained of twice. */
export function makeContext(draft: Draft, known: Known, problems: Problem[]): Context {
  const note = (place: string, what: string) => {
    // what is said of a kind is met at each of its sensors
    if (!problems.some((known) => known.place === place && known.what === what)) problems.push({ place, what });
  };
  // a slug given twice is noted; until then it means the first
  const kinds = new Map([
    ...known.regions,
    ...draft.regions.toReversed().map(({ item }) => [item.slug, item.kind] as const),
  ]);
  return {
    draft,
    known,
    kinds,
    providers: new Set<unknown>([
      ...known.providers,
      ...draft.providers.map(({ item }) => item.id),
      ...draft.faulty.providers,
    ]),
    regions: new Set<unknown>([...kinds.keys(), ...draft.faulty.regions]),
    stations: new Set<unknown>([
      ...known.stations.keys(),
      ...draft.stations.map(({ item }) => item.id),
      ...draft.faulty.stations,
    ]),
    reader: makePeriodReader(known.instants, note),
    note,
  };
}

export function unknownName(kind: string, name: string | number): string {
  return `there is no ${kind} ${name}, neither in the file nor in the database: add it, or correct the name`;
}

/** Every sensor with the station it is listed under. */
export function sensorsOf({ stations }: Draft): (Listed<Sensor> & { station: Station })[] {
  return stations.flatMap(({ place, item: station }) =>
    station.sensors.map((item, index) => ({ place: `${place}.sensors[${index}]`, item, station })),
  );
}

/** Names that must occur once. */
export function noteTwice<T>(
  list: readonly Listed<T>[],
  name: (item: T) => string | number,
  key: string,
  { note }: Context,
): void {
  const first = new Map<string | number, string>();
  for (const { place, item } of list) {
    const earlier = first.get(name(item));
    if (earlier === undefined) first.set(name(item), place);
    else note(`${place}.${key}`, `${name(item)} is there already, at ${earlier}: name each once`);
  }
}

/** What checking a network file needs to hear from the database: its zone, what it holds already, and what local times mean. */

export type Known = {
  timeZone: string;
  providers: ReadonlySet<string>;
  /** Slug to kind. */
  regions: ReadonlyMap<string, 'city' | 'district'>;
  stations: ReadonlyMap<number, { latitude: number; longitude: number; regions: readonly string[] }>;
  /** Local time on the wall to instant, both in microseconds. */
  instants: ReadonlyMap<number, number>;
};

type Row = {
  time_zone: string;
  providers: string[];
  regions: Record<string, 'city' | 'district'>;
  stations: { id: number; latitude: number; longitude: number; regions: string[] }[];
  instants: [number, number][];
};

export async function readKnown(sql: Sql, draft: Draft): Promise<Known> {
  const local = JSON.stringify([...new Set(localTimes(draft))]);
  const [row] = await sql<[Row]>`
    select i.time_zone,
      (select coalesce(jsonb_agg(id), '[]') from raw.provider) as providers,
      (select coalesce(jsonb_object_agg(slug, kind), '{}') from raw.region) as regions,
      (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'latitude', s.latitude, 'longitude', s.longitude, 'regions',
          array(select distinct r.region_slug from raw.station_region r where r.station_id = s.id))), '[]')
        from raw.station s) as stations,
      (select coalesce(jsonb_agg(jsonb_build_array(local, extract(epoch from
          (timestamp 'epoch' + local::text::float8 * interval '1 microsecond') at time zone i.time_zone) * 1000000)), '[]')
        from jsonb_array_elements(${local}::text::jsonb) local) as instants
    from raw.installation i`;
  return {
    timeZone: row.time_zone,
    providers: new Set(row.providers),
    regions: new Map(Object.entries(row.regions)),
    stations: new Map(row.stations.map((station) => [station.id, station])),
    instants: new Map(row.instants),
  };
}

/** All times of the file that were given without an offset. */
function localTimes({ stations, corrections }: Draft): number[] {
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
