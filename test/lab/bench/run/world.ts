/**
 * Networks of invented stations with readings at a steady pace, made in the database, refreshed and
 * compressed as they would be at rest.
 */
import { makeDigest } from '../../../../src/aggregate/digest.ts';
import { maintain, refresh } from '../../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../../src/base/log.ts';
import type { Sql } from '../../../../src/database/client.ts';
import { importNetwork } from '../../../../src/network/importNetwork.ts';
import type { Engine } from '../../../../src/schema/aggregates.ts';
import { makeDatabase, type TestDatabase } from '../../../support/makeDatabase.ts';
import type { Targets } from '../../../support/run/servers.ts';

/** The instant of every measurement: late in a month, so that the running month counts. */
export const NOW = new Date('2026-11-20T00:00:30Z');
export const TIME_ZONE = 'Asia/Yerevan';

/**
 * Regions take stations by number: `big` the first 200, and so on. A station is in one city and at
 * most one district.
 */
type Shape = {
  stations: number;
  /** City of each station; default: all in `town`. */
  cityOf?: (id: number) => string;
  districtOf?: (id: number) => string | undefined;
};

export type World = { database: TestDatabase; stations: number; readings: number };

/** As a network file: one sensor a station, numbered alike. */
export function networkOf({
  stations,
  cityOf = () => 'town',
  districtOf = () => undefined,
}: Shape) {
  const ids = Array.from({ length: stations }, (_, n) => n + 1);
  const districts = new Map(
    ids.flatMap((id) => (districtOf(id) === undefined ? [] : [[districtOf(id), cityOf(id)]])),
  );
  return {
    time_zone: TIME_ZONE,
    providers: [{ id: 'p', title: 'P', stale_after: '3 hours' }],
    regions: [
      ...[...new Set(ids.map(cityOf))].map((slug) => ({
        slug,
        kind: 'city',
        title: { en: slug, hy: slug, ru: slug },
      })),
      ...[...districts].map(([slug, city]) => ({
        slug,
        kind: 'district',
        city,
        title: { en: slug },
      })),
    ],
    stations: ids.map((id) => ({
      id,
      provider: 'p',
      title: { en: `Station ${id}` },
      latitude: 40 + id / 10_000,
      longitude: 44 + id / 10_000,
      screening: false,
      regions: [cityOf(id), ...(districtOf(id) === undefined ? [] : [districtOf(id)])],
      sensors: [{ id }],
    })),
  };
}

/**
 * Readings of all sensors from one instant to another, without the last, at an interval as
 * PostgreSQL writes it.
 */
export type Pace = { from: Date; to: Date; every: string };

/**
 * Adds readings, and returns their number. Values are rounded as instruments report them, and
 * differ from hour to hour and station to station.
 */
export async function addReadings(
  sql: Sql,
  stations: number,
  { from, to, every }: Pace,
): Promise<number> {
  const result = await sql`
    insert into raw.readings (measured_at, sensor_id, temperature, humidity, pressure, pm25, pm10)
    select at, sensor, round((8 + 12 * sin(day / 58.1) + 4 * sin(day * 6.283) + noise)::numeric, 1),
      round((60 + 20 * cos(day * 6.283 + sensor) + noise)::numeric, 1), round((90000 + 300 * sin(day + sensor) + noise)::numeric),
      round((15 + 9 * sin(day * 4.3 + sensor) + noise)::numeric, 1), round((27 + 14 * sin(day * 4.1 + sensor) + 2 * noise)::numeric, 1)
    from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 second', ${every}::text::interval) as at
    cross join generate_series(1, ${stations}::int) as sensor
    cross join lateral (select extract(epoch from at)::float8 / 86400 as day,
      (hashint8(extract(epoch from at)::bigint * 4096 + sensor) & 1023) / 200.0::float8 as noise) as made
    on conflict do nothing`;
  return result.count;
}

/**
 * A network in a database of its own with readings at one or several paces. The caller drops the
 * database.
 */
export async function makeWorld(
  targets: Targets,
  engine: Engine,
  shape: Shape,
  paces: readonly Pace[],
): Promise<World> {
  const database = await makeDatabase(targets, engine, TIME_ZONE);
  await importNetwork(database.as(), JSON.stringify(networkOf(shape)), { log: makeLog('silent') });
  let readings = 0;
  for (const pace of paces)
    readings += await addReadings(database.superuser(), shape.stations, pace);
  await settle(database);
  return { database, stations: shape.stations, readings };
}

/** Everything computed, compressed and vacuumed, with a digest of now. */
export async function settle({ target, superuser }: TestDatabase): Promise<void> {
  await refresh(target, () => NOW);
  await maintain(target, NOW);
  await makeDigest(target, NOW);
  await superuser()`vacuum (analyze)`;
}

/** So many days before now, on a full hour. */
export function daysAgo(days: number): Date {
  return new Date(Math.floor(NOW.getTime() / 3_600_000) * 3_600_000 - days * 86_400_000);
}
