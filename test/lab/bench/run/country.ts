/**
 * A country: a network as large as the run asks for, as it is after a month: 31 days of hourly
 * readings, aggregated in one first build, and three days of readings every five minutes. Figures
 * that are measured on the way are kept for the measures that report them.
 */
import { refreshAndDigest } from '../../../../src/aggregate/digest.ts';
import { rebuild, type Watcher } from '../../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../../src/base/log.ts';
import { makeProgress } from '../../../../src/base/progress.ts';
import type { DatabaseAddress } from '../../../../src/database/address.ts';
import { onConnection } from '../../../../src/database/client.ts';
import { importNetwork } from '../../../../src/network/importNetwork.ts';
import { makeDatabase, type TestDatabase } from '../../../support/makeDatabase.ts';
import { type ServerMemory, watchServer } from '../load/memory.ts';
import { countryNetwork } from './countryNetwork.ts';
import type { Context } from './measure.ts';
import { daysAgo, NOW, type Pace, settle, TIME_ZONE } from './world.ts';

export type Country = {
  database: TestDatabase;
  stations: number;
  regions: number;
  readings: number;
  networkFile: string;
  /** Seconds. */
  networkImport: number;
  firstBuild: { readings: number; seconds: number; memory: ServerMemory };
};

const HOUR = 3_600_000;

/** The paces of the first build, in the order of time, and the pace after it. */
function pacesOf(quick: boolean): { first: Pace[]; later: Pace } {
  const recent = quick ? new Date(daysAgo(0).getTime() - 8 * HOUR) : daysAgo(3);
  const hourly = (from: Date, to: Date) => ({ from, to, every: '1 hour' });
  const before = (days: number) => new Date(recent.getTime() - days * 24 * HOUR);
  return {
    // without a day of the month before there would be nothing compressed
    first: quick
      ? [hourly(daysAgo(21), daysAgo(20)), hourly(before(3), recent)]
      : [hourly(before(31), recent)],
    later: { from: recent, to: daysAgo(0), every: '5 minutes' },
  };
}

/** The caller drops the database. */
export async function makeCountry(
  { targets, engine, quick, progress }: Pick<Context, 'targets' | 'engine' | 'quick' | 'progress'>,
  stations: number,
): Promise<Country> {
  const network = countryNetwork(stations);
  const networkFile = JSON.stringify(network, null, 1);
  const watcher = { log: makeLog('info'), terminal: process.stderr.isTTY === true };
  const database = await makeDatabase(targets, engine, TIME_ZONE);
  try {
    const { target } = database;
    const { first, later } = pacesOf(quick);
    progress(`importing the network: ${stations} stations`);
    const networkImport = await seconds(async () => {
      await importNetwork(database.as(), networkFile, { log: watcher.log });
      await refreshAndDigest(target, () => later.from);
    });
    progress('loading the readings of the first build');
    const built = await load(target, stations, first, watcher);
    progress(`first build of ${built.toLocaleString('en')} readings`);
    const watch = watchServer(target);
    const building = await seconds(() => rebuild(target, () => later.from, spanOf(first), watcher));
    const firstBuild = { readings: built, seconds: building, memory: await watch.end() };
    progress(`loading the readings after it, every ${later.every}`);
    const after = await load(target, stations, [later], watcher);
    progress('refreshing');
    await rebuild(target, () => NOW, later, watcher);
    progress('compressing and analyzing');
    await settle(database);
    const counts = { stations, regions: network.regions.length, readings: built + after };
    return { database, ...counts, networkFile, networkImport, firstBuild };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

const spanOf = (paces: readonly Pace[]) => ({ from: paces[0]?.from, to: paces.at(-1)?.to });

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

/**
 * In pieces of six hours, as they would have come. Nothing is noted: the caller has the whole time
 * recomputed. Returns how many there are.
 */
async function load(
  target: DatabaseAddress,
  stations: number,
  paces: readonly Pace[],
  { log, terminal }: Watcher,
) {
  const pieces = paces.flatMap(({ from, to, every }) =>
    Array.from({ length: Math.ceil((to.getTime() - from.getTime()) / (6 * HOUR)) }, (_, n) => {
      const since = from.getTime() + n * 6 * HOUR;
      return {
        from: new Date(since),
        to: new Date(Math.min(since + 6 * HOUR, to.getTime())),
        every,
      };
    }),
  );
  const shown = makeProgress('loading', log, terminal);
  return await onConnection(target, { timeZone: TIME_ZONE }, async (sql) => {
    await sql`set session_replication_role = replica`; // without triggers
    let readings = 0;
    for (const [index, { from, to, every }] of pieces.entries()) {
      // both sensors of a station at one second, as in one device; rounded as instruments report
      const { count } = await sql`
        insert into raw.readings (measured_at, sensor_id, temperature, humidity, pressure, pm25, pm10)
        select at, sensor,
          case when not is_air then round((8 + 12 * sin(day / 58.1) + 4 * sin(day * 6.283) + noise) * 10) / 10 end,
          case when not is_air then round(60 + 20 * cos(day * 6.283 + place) + noise) end,
          case when not is_air then round(90000 + 300 * sin(day + place) + 10 * noise) end,
          case when is_air then round((15 + 9 * sin(day * 4.3 + place) + noise) * 10) / 10 end,
          case when is_air then round((27 + 14 * sin(day * 4.1 + place) + 2 * noise) * 10) / 10 end
        from generate_series(${from}::timestamptz, ${to}::timestamptz - interval '1 second', ${every}::text::interval) as step
        cross join generate_series(1, ${2 * stations}::int) as sensor
        cross join lateral (select step + (sensor + 1) / 2 * 17 % 300 * interval '1 second' as at, sensor % 2 = 1 as is_air,
          extract(epoch from step)::float8 / 86400 as day, sensor % 997 as place,
          (hashint8(extract(epoch from step)::bigint * 4096 + sensor) & 1023) / 200.0::float8 as noise) made`;
      readings += count;
      shown.show(readings, (index + 1) / pieces.length);
    }
    shown.hide();
    return readings;
  });
}
