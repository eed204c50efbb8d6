/** S10: screening the hours of the last eight days (C5, C9), as a job does every ten minutes. */
import { screen } from '../../../../../src/network/screening.ts';
import type { Context, Measure, Row } from '../../run/measure.ts';
import { NOW } from '../../run/world.ts';
import { countryRow } from './row.ts';

async function run(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const values: number[] = [];
  for (const _ of [1, 2, 3]) {
    const startedAt = performance.now();
    await screen(database.target, NOW);
    values.push((performance.now() - startedAt) / 1000);
  }
  const bounds = { 10000: { must: 30 } };
  return [
    countryRow(stations, {
      id: 'S10',
      title: 'screening of eight days',
      unit: 's',
      values,
      bounds,
    }),
  ];
}

export const screening: Measure = { ids: ['S10'], title: 'screening', run };
