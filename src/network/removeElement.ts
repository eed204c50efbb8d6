/**
 * Removes a sensor, a station, a region or a provider, for good. An import never removes anything,
 * and this refuses while other records depend on the element, unless they are to be deleted as
 * well.
 */

import { InputError } from '../base/inputError.ts';
import { arrayLiteral } from '../database/arrays.ts';
import type { Sql } from '../database/client.ts';
import { requireElement } from '../ingest/store/requireElement.ts';

export const REMOVABLE = ['station', 'sensor', 'region', 'provider'] as const;
export type Removable = (typeof REMOVABLE)[number];

type Transaction = Parameters<Parameters<Sql['begin']>[1]>[0];

/** Records that depend on elements of a kind: the rows of `found` name them. */
type Dependents = {
  found(sql: Transaction, id: string): PromiseLike<{ problem: string | null }[]>;
  remedy: string;
};

const DEPENDENTS: Record<Removable, Dependents[]> = {
  sensor: [
    {
      found: (sql, id) => sql`
        select 'it has ' || nullif(count(*), 0) || ' readings' as problem from raw.readings where sensor_id = ${id}::text::int
        union all
        select 'it has ' || nullif(count(*), 0) || ' hours whose readings retention has deleted'
        from logic.kept_hours_of(${id}::text::int)`,
      remedy:
        'Add --with-readings to delete them too. To keep its history, end its period in the network file instead: "stations": [{"id": …, "until": "2026-11-20"}].',
    },
  ],
  station: [
    {
      found: (sql, id) => sql`
        select 'sensors ' || string_agg(sensor_id::text, ', ' order by sensor_id) || ' are or were there' as problem
        from (select distinct sensor_id from raw.sensor_station where station_id = ${id}::text::int) located`,
      remedy:
        'Remove them first, or add --with-readings to delete them with their readings. ' +
        'To retire a station and keep its history, hide it from a day on: "hidden": [{"since": "2026-11-20"}].',
    },
  ],
  region: [
    {
      found: (sql, slug) => sql`
        select 'it is the city of ' || string_agg(slug, ', ' order by slug) as problem from raw.region where city_slug = ${slug}`,
      remedy: 'Remove these districts first, or give them another city.',
    },
    {
      found: (sql, slug) => sql`
        select 'stations ' || string_agg(station_id::text, ', ' order by station_id) || ' are or were in it' as problem
        from (select distinct station_id from raw.station_region where region_slug = ${slug}) members`,
      remedy:
        'Take it out of their regions in the network file and import that, or remove them first.',
    },
  ],
  provider: [
    {
      found: (sql, id) => sql`
        select 'stations ' || string_agg(id::text, ', ' order by id) || ' are its own' as problem
        from raw.station where provider_id = ${id}
        union all
        select 'tokens ' || string_agg(name, ', ' order by name) || ' are in force'
        from raw.token where provider_id = ${id} and revoked_at is null`,
      remedy:
        'Remove the stations, or give them another provider in the network file, and revoke the tokens; or add --with-readings to delete all of them.',
    },
  ],
};

/** How many were deleted. */
export type Removed = {
  providers: number;
  regions: number;
  stations: number;
  sensors: number;
  readings: number;
  /**
   * Hours of sensors whose readings retention had deleted before: they count for nothing from now
   * on.
   */
  kept_hours: number;
};

const REMOVE: Record<Removable, (sql: Transaction, id: string, removed: Removed) => Promise<void>> =
  {
    sensor: (sql, id, removed) => deleteSensors(sql, [Number(id)], removed),
    station: deleteStation,
    async region(sql, slug, removed) {
      removed.regions += (await sql`delete from raw.region where slug = ${slug}`).count;
    },
    async provider(sql, id, removed) {
      const stations = await sql<
        { id: number }[]
      >`select id from raw.station where provider_id = ${id}`;
      for (const station of stations) await deleteStation(sql, String(station.id), removed);
      removed.providers += (await sql`delete from raw.provider where id = ${id}`).count;
    },
  };

/**
 * Removes the element and, `withReadings`, what depends on it, but never the stations or districts
 * of a region. `sql` is a pool of the owner. Rejects with InputError, and removes nothing, if there
 * is no such element or something keeps it. The aggregates follow at the next refresh.
 */
export async function removeElement(
  sql: Sql,
  kind: Removable,
  id: string,
  withReadings: boolean,
): Promise<Removed> {
  const removed: Removed = {
    providers: 0,
    regions: 0,
    stations: 0,
    sensors: 0,
    readings: 0,
    kept_hours: 0,
  };
  await sql.begin(async (transaction) => {
    // retention refreshes the hours that it keeps: none of a sensor may be kept after its removal
    // has looked for them
    await transaction`select logic.pause_refresh()`;
    await transaction`lock table raw.network_lock in exclusive mode`;
    await requireElement(transaction, kind, id);
    for (const { found, remedy } of withReadings && kind !== 'region' ? [] : DEPENDENTS[kind]) {
      const problems = (await found(transaction, id)).flatMap(({ problem }) => problem ?? []);
      if (problems.length > 0)
        throw new InputError(`${kind} ${id}`, problems.join(', and '), remedy);
    }
    await REMOVE[kind](transaction, id, removed);
    await transaction`select logic.apply_periods(), logic.raise_data_version()`;
  });
  return removed;
}

async function deleteSensors(
  sql: Transaction,
  sensors: readonly number[],
  removed: Removed,
): Promise<void> {
  const ids = arrayLiteral(sensors);
  await removeKeptHours(sql, { sensors, station: null }, removed);
  removed.readings += (
    await sql`delete from raw.readings where sensor_id = any (${ids}::text::int[])`
  ).count;
  removed.sensors += (await sql`delete from raw.sensor where id = any (${ids}::text::int[])`).count;
}

/** Removes the hours of `sensors` or, with a station, of all sensors while they were there. */
async function removeKeptHours(
  sql: Transaction,
  { sensors, station }: { sensors: readonly number[]; station: string | null },
  removed: Removed,
): Promise<void> {
  const [row] = await sql<[{ hours: number }]>`
    select logic.remove_kept_hours(${arrayLiteral(sensors)}::text::int[], ${station}::text::int)::int as hours`;
  removed.kept_hours += row.hours;
}

/** A sensor that was elsewhere too loses only what it measured here. */
async function deleteStation(sql: Transaction, id: string, removed: Removed): Promise<void> {
  const onlyHere = await sql<{ id: number }[]>`
    select sensor_id as id from raw.sensor_station group by 1
    having bool_and(station_id = ${id}::text::int)`;
  await deleteSensors(
    sql,
    onlyHere.map((sensor) => sensor.id),
    removed,
  );
  await removeKeptHours(sql, { sensors: [], station: id }, removed);
  // it derives the next amount of rain anew (A6), which the sensor measured elsewhere
  const [here] = await sql<[{ deleted: number }]>`
    select coalesce(sum(logic.delete_readings(sensor_id, since, until)), 0)::int as deleted
    from raw.sensor_station where station_id = ${id}::text::int`;
  removed.readings += here.deleted;
  removed.stations += (await sql`delete from raw.station where id = ${id}::text::int`).count;
}
