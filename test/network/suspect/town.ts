/**
 * A town of six stations whose air a test decides hour by hour, and what screening finds there.
 */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { screen, screenedPeriods } from '../../../src/network/screening.ts';
import type { Engine } from '../../../src/schema/aggregates.ts';
import { NOW } from '../../support/clock.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { bringIn, type Json } from '../../support/smallNetwork.ts';

export const HOUR = 3_600_000;
export const hoursAgo = (n: number) => new Date(NOW.getTime() - n * HOUR);

export const LATITUDE = 40.078;
/**
 * Stations 1 to 5 are within 10 km of one another, station 6 is 11 km from the next of them;
 * station 1 has sensors 11 and 12, the others one each.
 */
export const PLACES = [1, 2, 3, 4, 5, 6].map((id) => ({
  id,
  latitude: id === 6 ? 40.25 : LATITUDE + (id - 1) * 0.018,
  longitude: 44,
}));
export const SENSORS = [11, 12, 21, 31, 41, 51, 61];

/** The network file, in which some stations differ in these keys. */
export const network = (stations: Readonly<Record<number, Json>> = {}) => ({
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: 'Us' }],
  regions: [{ slug: 'town', kind: 'city', title: { en: 'Town' } }],
  stations: PLACES.map((place) => ({
    ...place,
    provider: 'us',
    title: { en: `No. ${place.id}` },
    regions: ['town'],
    sensors: SENSORS.filter((id) => Math.floor(id / 10) === place.id).map((id) => ({ id })),
    ...stations[place.id],
  })),
});

/** Some stations are trusted. */
export const trusting = (...ids: number[]) =>
  network(Object.fromEntries(ids.map((id) => [id, { trusted: true }])));

type Particles = { pm25: number; pm10?: number };
/** A sensor's values in the hour that begins this many hours ago; null: nothing. */
export type Air = (sensor: number, ago: number) => Particles | null;

/** Air in which nothing is suspect. */
export const clean: Air = (sensor, ago) => ({
  pm25: 8 + ((ago * 7 + sensor) % 5),
  pm10: 15 + ((ago + sensor) % 7),
});
/** PM2.5 in which no hour is like the one before. */
export const varying = (ago: number) => 10 + (ago % 5);
/** True if an hour is in the period that began `since` hours ago and ended `until` hours ago. */
export const during = (ago: number, since: number, until = 0) => ago <= since && ago > until;
/** Sensor 31, at station 3, gives 80 µg/m³ too much while it fails. */
export const failing =
  (fails: (ago: number) => boolean): Air =>
  (sensor, ago) => ({ pm25: varying(ago) + (sensor === 31 && fails(ago) ? 80 : 0) });

/** A period that screening found, in hours ago; `until` is null while it is open. */
export type Flag = { station: number; reason: string; since: number; until: number | null };

/** The town of a suite: one database, in which each test begins without readings and periods. */
export function useTown(engine: Engine) {
  // its sessions are in UTC
  const town = {} as { db: TestDatabase; owner: Sql };
  beforeAll(async () => {
    town.db = await testDatabase(engine);
    town.owner = town.db.as('airseries_owner', 'UTC');
  });
  beforeEach(async () => {
    await town.owner`truncate raw.readings, raw.screened_period, rollup.digest`;
    await bringIn(town.owner, network());
  });
  afterAll(() => town.db.drop());
  /** Stores a reading an hour, and refreshes. */
  const measure = async (air: Air, from = 72, to = 1, sensors: readonly number[] = SENSORS) => {
    const rows = sensors.flatMap((sensor) =>
      Array.from({ length: from - to + 1 }, (_, n) => from - n).flatMap((ago) => {
        const values = air(sensor, ago);
        return values === null
          ? []
          : [{ measured_at: hoursAgo(ago), sensor_id: sensor, pm10: null, ...values }];
      }),
    );
    await town.owner`
      insert into raw.readings ${town.owner(rows)}
      on conflict (sensor_id, measured_at) do update set pm25 = excluded.pm25, pm10 = excluded.pm10`;
    await town.db.refresh(NOW);
  };
  /** The periods that have been found so far, the latest first. */
  const flags = async (): Promise<Flag[]> =>
    (await screenedPeriods(town.db.target, 'UTC')).map(({ station_id, reason, since, until }) => ({
      station: station_id,
      reason,
      since: hoursSince(since),
      until: until === null ? null : hoursSince(until),
    }));
  /** The periods that are found in the air of three days. */
  const screened = async (air: Air) => {
    await measure(air);
    await screen(town.db.target, NOW);
    return await flags();
  };
  /** The same for several airs at once, each in a town of its own, 85 km from the next. */
  const screenedApart = async (airs: readonly Air[]) => {
    const { stations, ...one } = network();
    const copies = airs.flatMap((_, n) =>
      stations.map(({ sensors, ...station }) => ({
        ...station,
        ...{ id: 100 * n + station.id, longitude: 44 + n },
        sensors: sensors.map(({ id }) => ({ id: 1_000 * n + id })),
      })),
    );
    await bringIn(town.owner, { ...one, stations: copies });
    const airOf: Air = (sensor, ago) =>
      airs[Math.floor(sensor / 1_000)]?.(sensor % 1_000, ago) ?? null;
    const sensors = airs.flatMap((_, n) => SENSORS.map((id) => 1_000 * n + id));
    await measure(airOf, 72, 1, sensors);
    await screen(town.db.target, NOW);
    const all = await flags();
    return airs.map((_, n) =>
      all
        .filter(({ station }) => Math.floor(station / 100) === n)
        .map((flag) => ({ ...flag, station: flag.station % 100 })),
    );
  };
  return Object.assign(town, { measure, flags, screened, screenedApart });
}

const hoursSince = (time: string) => (NOW.getTime() - Date.parse(time)) / HOUR;
