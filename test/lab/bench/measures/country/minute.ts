/**
 * S8: a minute in which every sensor sends a reading: imported, refreshed as each minute, and a
 * digest made.
 */
import { makeDigest } from '../../../../../src/aggregate/digest.ts';
import { watchServer } from '../../load/memory.ts';
import { seconds } from '../../run/country.ts';
import { type Context, figure, type Measure, type Row } from '../../run/measure.ts';
import { NOW } from '../../run/world.ts';
import { partsOf, reading, sensorsOf, type Taken, take } from './readings.ts';
import { countryRow } from './row.ts';

async function run(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const taken: (Taken & { digest: number })[] = [];
  const watch = watchServer(database.target);
  // eleven: the running month, every ten minutes, is in one of them
  const minutes = context.quick ? 3 : 11;
  for (let minute = 1; minute <= minutes; minute++) {
    const at = new Date(NOW.getTime() + minute * 60_000);
    const lines = sensorsOf(stations).map((sensor) =>
      reading(sensor, at.getTime() - 1_000 - ((sensor * 17) % 55) * 1_000),
    );
    const parts = await take(database, lines, at);
    taken.push({ ...parts, digest: await seconds(() => makeDigest(database.target, at)) });
    context.progress(`S8 minute ${minute} of ${minutes}: ${partsOf(taken.slice(-1))}`);
  }
  const memory = await watch.end();
  return [
    countryRow(stations, {
      id: 'S8',
      title: 'a minute of 2 readings a station',
      unit: 's',
      values: taken.map((parts) => parts.import + parts.refresh + parts.digest),
      bounds: { 10000: { must: 3.5, goal: 2 }, 50000: { must: 30 } },
      detail: `${figure(2 * stations)} readings: ${partsOf(taken)}`,
    }),
    countryRow(stations, {
      id: 'S8',
      title: 'a minute of 2 readings a station, memory',
      unit: 'MiB',
      values: [memory.largest],
      detail: "the database's largest process",
    }),
  ];
}

export const minute: Measure = { ids: ['S8'], title: 'a minute of everybody', run };
