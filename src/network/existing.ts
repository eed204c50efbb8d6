/** What checking a network file needs to hear from the database: its zone, what it holds already, and what local times mean. */
import type { Sql } from '../database/client.ts';
import { readInstant } from '../ingest/time.ts';
import type { Draft } from './read.ts';
import type { Correction, Flag } from './schema.ts';

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
