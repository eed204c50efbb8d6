/**
 * Networks of invented stations in databases of their own, with readings that are refreshed and
 * compressed as they would be at rest.
 */
import { makeDigest } from '../../../../src/aggregate/digest.ts';
import { maintain, refresh } from '../../../../src/aggregate/refresh.ts';
import { makeLog } from '../../../../src/base/log.ts';
import { importNetwork } from '../../../../src/network/importNetwork.ts';
import { makeDatabase, type TestDatabase } from '../../../support/makeDatabase.ts';
import type { Context } from './measure.ts';
import { addReadings, networkOf, type Pace, type Shape, TIME_ZONE } from './network.ts';

/** The instant of every measurement: late in a month, so that the running month counts. */
export const NOW = new Date('2026-11-20T00:00:30Z');

export type World = { database: TestDatabase; stations: number };

/** An empty one, which goes with the measure. */
export async function openDatabase({ targets, engine, after }: Context): Promise<TestDatabase> {
  const database = await makeDatabase(targets, engine, TIME_ZONE);
  after(database.drop);
  return database;
}

export async function makeWorld(context: Context, shape: Shape, pace: Pace): Promise<World> {
  const database = await openDatabase(context);
  await importNetwork(database.as(), JSON.stringify(networkOf(shape)), { log: makeLog('silent') });
  await addReadings(database.superuser(), shape, pace);
  await settle(database);
  return { database, stations: shape.stations };
}

/** Everything computed, compressed and vacuumed, with a digest of now. */
export async function settle({ target, superuser }: TestDatabase): Promise<void> {
  await refresh(target, () => NOW);
  await maintain(target, NOW);
  await makeDigest(target, NOW);
  await superuser()`vacuum (analyze)`;
}

/** An instant that many days before now, on a full hour. */
export function daysAgo(days: number): Date {
  return new Date(Math.floor(NOW.getTime() / 3_600_000) * 3_600_000 - days * 86_400_000);
}
