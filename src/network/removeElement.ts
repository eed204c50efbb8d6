/**
 * Removes a sensor, a station, a region or a provider, for good. An import never removes anything, and this refuses while something hangs
 * on the element, unless its readings are to be deleted as well.
 */
import { arrayLiteral, type Sql } from '../database/client.ts';
import { InputError } from '../inputError.ts';

export const REMOVABLE = ['station', 'sensor', 'region', 'provider'] as const;
export type Removable = (typeof REMOVABLE)[number];

/** How many were deleted. */
export type Removed = { providers: number; regions: number; stations: number; sensors: number; readings: number };

type Transaction = Parameters<Parameters<Sql['begin']>[1]>[0];

/**
 * Removes the element and, `withReadings`, what depends on it. `sql` is a pool of the owner. Rejects with InputError, and removes nothing,
 * if there is no such element or something keeps it. The aggregates follow at the next refresh.
 */
export async function removeElement(sql: Sql, kind: Removable, id: string, withReadings: boolean): Promise<Removed> {
  const removed: Removed = { providers: 0, regions: 0, stations: 0, sensors: 0, readings: 0 };
  await sql.begin(async (transaction) => {
    await transaction`lock table raw.network_lock in exclusive mode`;
    await REMOVE[kind](transaction, await existing(transaction, kind, id), removed, withReadings);
    await transaction`select logic.apply_periods(), logic.raise_data_version()`;
  });
  return removed;
}

type Remove = (sql: Transaction, id: string, removed: Removed, withReadings: boolean) => Promise<void>;

const REMOVE: Record<Removable, Remove> = {
  sensor: removeSensor,
  station: removeStation,
  region: removeRegion,
  provider: removeProvider,
};

/** The id as the database has it. */
async function existing(sql: Transaction, kind: Removable, id: string): Promise<string> {
  const key = kind === 'region' ? sql`slug` : sql`id`;
  const [found] = await sql`select from ${sql(`raw.${kind}`)} where ${key}::text = ${id}`;
  if (found !== undefined) return id;
  throw new InputError(`${kind} ${id}`, `the network has no such ${kind}`, 'network export lists what there is.');
}

async function removeSensor(sql: Transaction, id: string, removed: Removed, withReadings: boolean): Promise<void> {
  const [{ n } = { n: 0 }] = await sql<{ n: number }[]>`
    select count(*)::int as n from raw.readings where sensor_id = ${id}::text::int`;
  if (n > 0 && !withReadings) {
    throw new InputError(
      `sensor ${id}`,
      `it has ${n} readings`,
      'Add --with-readings to delete them too. To keep its history, end its period in the network file instead: "stations": [{"id": …, "until": "2026-11-20"}].',
    );
  }
  await deleteSensors(sql, [Number(id)], removed);
}

async function deleteSensors(sql: Transaction, sensors: readonly number[], removed: Removed): Promise<void> {
  const ids = arrayLiteral(sensors);
  removed.readings += (await sql`delete from raw.readings where sensor_id = any (${ids}::text::int[])`).count;
  removed.sensors += (await sql`delete from raw.sensor where id = any (${ids}::text::int[])`).count;
}

async function removeStation(sql: Transaction, id: string, removed: Removed, withReadings: boolean): Promise<void> {
  const sensors = await sql<{ id: number; elsewhere: boolean }[]>`
    select sensor_id as id, exists (select from raw.sensor_station other
      where other.sensor_id = located.sensor_id and other.station_id <> located.station_id) as elsewhere
    from raw.sensor_station located where station_id = ${id}::text::int group by 1, 2 order by 1`;
  if (sensors.length > 0 && !withReadings) {
    throw new InputError(
      `station ${id}`,
      `sensors ${sensors.map((sensor) => sensor.id).join(', ')} are or were there`,
      'Remove them first, or add --with-readings to delete them with their readings. ' +
        'To retire a station and keep its history, hide it from a day on: "hidden": [{"since": "2026-11-20"}].',
    );
  }
  // of a sensor that was elsewhere too, only what it measured here is deleted
  const here = await sql`
    delete from raw.readings r using raw.sensor_station located
    where located.station_id = ${id}::text::int and r.sensor_id = located.sensor_id and r.measured_at >= located.since and r.measured_at < located.until`;
  removed.readings += here.count;
  await deleteSensors(
    sql,
    sensors.flatMap((sensor) => (sensor.elsewhere ? [] : [sensor.id])),
    removed,
  );
  removed.stations += (await sql`delete from raw.station where id = ${id}::text::int`).count;
}

async function removeRegion(sql: Transaction, slug: string, removed: Removed): Promise<void> {
  const districts = await sql<{ slug: string }[]>`select slug from raw.region where city_slug = ${slug} order by 1`;
  if (districts.length > 0) {
    const names = districts.map((district) => district.slug).join(', ');
    throw new InputError(
      `region ${slug}`,
      `it is the city of ${names}`,
      'Remove these districts first, or give them another city.',
    );
  }
  const members = await sql<{ id: number }[]>`
    select distinct station_id as id from raw.station_region where region_slug = ${slug} order by 1`;
  if (members.length > 0) {
    throw new InputError(
      `region ${slug}`,
      `stations ${members.map(({ id }) => id).join(', ')} are or were in it`,
      'Take it out of their regions in the network file and import that, or remove them first.',
    );
  }
  removed.regions += (await sql`delete from raw.region where slug = ${slug}`).count;
}

async function removeProvider(sql: Transaction, id: string, removed: Removed, withReadings: boolean): Promise<void> {
  const stations = await sql<{ id: number }[]>`select id from raw.station where provider_id = ${id} order by 1`;
  const tokens = await sql<{ name: string }[]>`
    select name from raw.token where provider_id = ${id} and revoked_at is null order by 1`;
  if (!withReadings && stations.length + tokens.length > 0) {
    const kept = [
      ...(stations.length > 0 ? [`stations ${stations.map((station) => station.id).join(', ')} are its own`] : []),
      ...(tokens.length > 0 ? [`tokens ${tokens.map(({ name }) => name).join(', ')} are in force`] : []),
    ];
    throw new InputError(
      `provider ${id}`,
      kept.join(', and '),
      'Remove the stations, or give them another provider in the network file, and revoke the tokens; or add --with-readings to delete all of them.',
    );
  }
  for (const station of stations) await removeStation(sql, String(station.id), removed, withReadings);
  removed.providers += (await sql`delete from raw.provider where id = ${id}`).count;
}
