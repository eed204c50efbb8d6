/** S1, S2: how long a network file and the first build of its aggregates take. */
import { refreshAndDigest } from '../../../../../src/aggregate/digest.ts';
import { makeLog } from '../../../../../src/base/log.ts';
import { importNetwork } from '../../../../../src/network/importNetwork.ts';
import { seconds } from '../../run/country.ts';
import { type Context, figure, type Measure, type Row } from '../../run/measure.ts';
import { NOW } from '../../run/world.ts';
import { countryRow } from './row.ts';

/** As the command does it, with the refresh and the digest after it. */
async function importing(context: Context): Promise<Row[]> {
  const { database, stations, regions, networkFile, networkImport } = await context.country();
  context.progress('S1 the same network file again');
  const again = await seconds(async () => {
    await importNetwork(database.as(), networkFile, { log: makeLog('silent') });
    await refreshAndDigest(database.target, () => NOW);
  });
  const size = `${(networkFile.length / 1e6).toFixed(1)} MB, ${regions} regions`;
  const row = { id: 'S1', unit: 's' } as const;
  return [
    countryRow(stations, {
      ...row,
      title: 'network file, new',
      values: [networkImport],
      bounds: { 10000: { must: 3 } },
      detail: size,
    }),
    countryRow(stations, {
      ...row,
      title: 'network file, again without a change',
      values: [again],
      bounds: { 10000: { must: 3, goal: 1 } },
      detail: size,
    }),
  ];
}

async function building(context: Context): Promise<Row[]> {
  const { stations, firstBuild } = await context.country();
  const { readings, seconds: took, memory } = firstBuild;
  return [
    countryRow(stations, {
      id: 'S2',
      title: 'first build',
      unit: 's',
      values: [took],
      bounds: { 10000: { must: 120, goal: 60 } },
      detail: `${figure(readings / 1e6)} M readings, ${figure(readings / took)} a second`,
    }),
    countryRow(stations, {
      id: 'S2',
      title: 'first build, memory',
      unit: 'MiB',
      values: [memory.largest],
      detail: "the database's largest process",
    }),
  ];
}

export const build: readonly Measure[] = [
  { ids: ['S1'], title: 'the network file', run: importing },
  { ids: ['S2'], title: 'the first build', run: building },
];
