/**
 * A country: a network as large as the run asks for, as it is after a month: 31 days of hourly
 * readings, aggregated in one first build, and three days of readings every five minutes. Figures
 * that are measured on the way are kept for the measures that report them.
 */
import { refreshAndDigest } from '../../../../src/aggregate/digest.ts';
import { rebuild } from '../../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../../src/base/log.ts';
import { onConnection } from '../../../../src/database/client.ts';
import { importNetwork } from '../../../../src/network/importNetwork.ts';
import type { TestDatabase } from '../../../support/makeDatabase.ts';
import type { Context } from './measure.ts';
import { addReadings, networkOf, type Pace, type Shape, TIME_ZONE } from './network.ts';
import { seconds } from './statistics.ts';
import { daysAgo, NOW, openDatabase, settle } from './world.ts';

export const STATIONS_OF_A_CITY = 100;

export type Country = {
  database: TestDatabase;
  stations: number;
  regions: number;
  readings: number;
  networkFile: string;
  /** Seconds. */
  networkImport: number;
  firstBuild: { readings: number; seconds: number };
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

export async function makeCountry(context: Context, stations: number): Promise<Country> {
  const { quick, progress } = context;
  const shape = { stations, stationsOfACity: STATIONS_OF_A_CITY, isCountry: true };
  const network = networkOf(shape);
  const networkFile = JSON.stringify(network, null, 1);
  const watcher = { log: makeLog('info'), terminal: process.stderr.isTTY === true };
  const database = await openDatabase(context);
  const { target } = database;
  const { first, later } = pacesOf(quick);
  progress(`importing the network: ${stations} stations`);
  const networkImport = await seconds(async () => {
    await importNetwork(database.as(), networkFile, { log: watcher.log });
    await refreshAndDigest(target, () => later.from);
  });
  progress('loading the readings of the first build');
  const built = await load(database, shape, first);
  progress(`first build of ${built.toLocaleString('en')} readings`);
  const span = { from: first[0]?.from, to: first.at(-1)?.to };
  const building = await seconds(() => rebuild(target, () => later.from, span, watcher));
  progress(`loading the readings after it, every ${later.every}`);
  const after = await load(database, shape, [later]);
  progress('refreshing, compressing and analyzing');
  await rebuild(target, () => NOW, later, watcher);
  await settle(database);
  const counts = { stations, regions: network.regions.length, readings: built + after };
  const firstBuild = { readings: built, seconds: building };
  return { database, ...counts, networkFile, networkImport, firstBuild };
}

/**
 * In pieces of six hours, as they would have come. Nothing is noted: the caller has the whole time
 * recomputed. Returns how many there are.
 */
async function load({ target }: TestDatabase, shape: Shape, paces: readonly Pace[]) {
  return await onConnection(target, { timeZone: TIME_ZONE }, async (sql) => {
    await sql`set session_replication_role = replica`; // without triggers
    let readings = 0;
    for (const { from, to, every } of paces) {
      for (let since = from.getTime(); since < to.getTime(); since += 6 * HOUR) {
        const until = new Date(Math.min(since + 6 * HOUR, to.getTime()));
        readings += await addReadings(sql, shape, { from: new Date(since), to: until, every });
      }
    }
    return readings;
  });
}
