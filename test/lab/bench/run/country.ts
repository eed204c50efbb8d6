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
  /** In words. */
  size: string;
  networkFile: string;
  /** Seconds. */
  networkImport: number;
  firstBuild: { readings: number; seconds: number };
};

const HOUR = 3_600_000;

/** The pace of the first build, and the one after it. */
function pacesOf(quick: boolean): { first: Pace; later: Pace } {
  const recent = quick ? new Date(daysAgo(0).getTime() - 8 * HOUR) : daysAgo(3);
  return {
    // some of it in the month before, or nothing would be compressed
    first: quick
      ? { from: daysAgo(21), to: recent, every: '6 hours' }
      : { from: daysAgo(34), to: recent, every: '1 hour' },
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
  const building = await seconds(() => rebuild(target, () => later.from, first, watcher));
  progress(`loading the readings after it, every ${later.every}`);
  const after = await load(database, shape, later);
  progress('refreshing, compressing and analyzing');
  await rebuild(target, () => NOW, later, watcher);
  await settle(database);
  const regions = network.regions.length;
  const millions = `${((built + after) / 1e6).toFixed(1)} M readings`;
  const size = `${stations.toLocaleString('en')} stations, ${regions} regions, ${millions}`;
  const firstBuild = { readings: built, seconds: building };
  return { database, stations, regions, size, networkFile, networkImport, firstBuild };
}

/**
 * In pieces of six hours, as they would have come. Nothing is noted: the caller has the whole time
 * recomputed. Returns how many there are.
 */
async function load({ target }: TestDatabase, shape: Shape, { from, to, every }: Pace) {
  return await onConnection(target, { timeZone: TIME_ZONE }, async (sql) => {
    await sql`set session_replication_role = replica`; // without triggers
    let readings = 0;
    for (let since = from.getTime(); since < to.getTime(); since += 6 * HOUR) {
      const until = new Date(Math.min(since + 6 * HOUR, to.getTime()));
      readings += await addReadings(sql, shape, { from: new Date(since), to: until, every });
    }
    return readings;
  });
}
