/** Reads from the database what the check of a network file compares it with. */
import type { Sql } from '../database/client.ts';
import { readInstant } from '../ingest/reading/instants.ts';
import type { Region } from './schema.ts';

type Row = {
  time_zone: string;
  providers: string[];
  sensors: number[];
  sources: string[];
  regions: Record<string, Pick<Region, 'kind' | 'city'>>;
  devices: {
    sensor: number;
    device: string;
    station: number;
    since: number | null;
    until: number | null;
  }[];
  stations: {
    id: number;
    latitude: number;
    longitude: number;
    regions: string[];
    hidden: boolean;
  }[];
  instants: Record<string, number>;
};

export type ExistingNetwork = Awaited<ReturnType<typeof readExisting>>;

/**
 * The contents of a database that is still to be made. Local times stand for themselves: only their
 * order matters to a check.
 */
export const nothingExisting = (timeZone: string, times: readonly string[]): ExistingNetwork => ({
  timeZone,
  providers: new Set(),
  sensors: new Set(),
  sources: new Set(),
  regions: new Map(),
  stations: new Map(),
  devices: [],
  instants: new Map(
    times.flatMap((text) => {
      const instant = readInstant(text);
      return instant === undefined ? [] : [[text, instant.microseconds]];
    }),
  ),
});

/**
 * The time zone, names that a file may refer to, and what the times of the file mean. `sql` is a
 * pool of the owner.
 */
export async function readExisting(sql: Sql, times: readonly string[]) {
  const instants = new Map([...new Set(times)].map((text) => [text, readInstant(text)]));
  const local = [...instants].flatMap(([text, instant]) =>
    instant?.local ? [[text, instant.microseconds]] : [],
  );
  const [row] = await sql<[Row]>`
    select i.time_zone,
      (select coalesce(jsonb_agg(id), '[]') from raw.provider) as providers,
      (select coalesce(jsonb_agg(id), '[]') from raw.sensor) as sensors,
      (select coalesce(jsonb_agg(name order by name), '[]') from raw.source) as sources,
      (select coalesce(jsonb_object_agg(slug, json_strip_nulls(json_build_object('kind', kind, 'city', city_slug))), '{}') from raw.region) as regions,
      (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'latitude', s.latitude, 'longitude', s.longitude, 'regions',
          array(select distinct r.region_slug from raw.station_region r where r.station_id = s.id),
          'hidden', exists(select from raw.hidden_period h where h.station_id = s.id and h.until = 'infinity'))), '[]')
        from raw.station s) as stations,
      (select coalesce(jsonb_agg(jsonb_build_object('sensor', s.id, 'device', s.device, 'station', l.station_id,
          'since', case when isfinite(l.since) then extract(epoch from l.since) * 1000000 end,
          'until', case when isfinite(l.until) then extract(epoch from l.until) * 1000000 end)), '[]')
        from raw.sensor s join raw.sensor_station l on l.sensor_id = s.id where s.device is not null) as devices,
      (select coalesce(jsonb_object_agg(local ->> 0, extract(epoch from
          (timestamp 'epoch' + (local ->> 1)::float8 * interval '1 microsecond') at time zone i.time_zone) * 1000000), '{}')
        from jsonb_array_elements(${JSON.stringify(local)}::text::jsonb) local) as instants
    from raw.installation i`;
  return {
    timeZone: row.time_zone,
    providers: new Set(row.providers),
    sensors: new Set(row.sensors),
    sources: new Set(row.sources),
    regions: new Map(Object.entries(row.regions)),
    stations: new Map(row.stations.map((station) => [station.id, station])),
    /** Where sensors with a device were and when, in microseconds since 1970. */
    devices: row.devices.map(({ since, until, ...device }) => ({
      ...device,
      since: since ?? Number.NEGATIVE_INFINITY,
      until: until ?? Number.POSITIVE_INFINITY,
    })),
    /** In microseconds since 1970, without texts that are not a time. */
    instants: new Map(
      [...instants].flatMap(([text, instant]) =>
        instant === undefined ? [] : [[text, row.instants[text] ?? instant.microseconds]],
      ),
    ),
  };
}
