/** Q2: the categories of the index, their colours, and the concentrations at which they end. */
import { expect, it } from 'vitest';
import { EPA } from '../../../grafana/source/colours.ts';
import { surfaceOf } from '../../../src/extras/pages/colours.ts';
import {
  BANDS,
  BOUNDS,
  bandOf,
  boundsOf,
  CATEGORIES,
  categoryOf,
} from '../../../src/extras/pages/scale.ts';
import { engines, testDatabase } from '../../support/database.ts';

it.each([
  [50, 'good'],
  [51, 'moderate'],
  [100, 'moderate'],
  [101, 'sensitive'],
  [150, 'sensitive'],
  [151, 'unhealthy'],
  [200, 'unhealthy'],
  [201, 'very-unhealthy'],
  [300, 'very-unhealthy'],
  [301, 'hazardous'],
  [null, 'unknown'],
] as const)('an index of %s is in category %s (Q2)', (aqi, category) => {
  expect(categoryOf(aqi)).toBe(category);
});

it('a category ends at the concentration at which the index of the database leaves it', async () => {
  const database = await testDatabase(engines[0] ?? 'plain');
  const sql = database.as();
  const steps = { 'pm2.5': 0.1, pm10: 1 };
  for (const [key, step] of Object.entries(steps)) {
    for (const [n, end] of (BOUNDS[key] ?? []).entries()) {
      const index = (value: number) =>
        key === 'pm10' ? `rollup.aqi(null, ${value})` : `rollup.aqi(${value}, null)`;
      const [row] = await sql.unsafe(`select ${index(end)} as at, ${index(end + step)} as above`);
      const names = CATEGORIES.map(({ name }) => name);
      expect([row?.at, row?.above].map(categoryOf), `${key} ${end}`).toEqual(names.slice(n, n + 2));
    }
  }
  const pollutants = { 'pm2.5': 'pm25', pm10: 'pm10', o3: 'o3', no2: 'no2', so2: 'so2' };
  for (const [key, name] of Object.entries(pollutants))
    for (const [n, end] of boundsOf('eaqi', {
      key,
      ...(key === 'no2' && { mass: 1.9125 }),
    }).entries()) {
      const [row] = await sql.unsafe<{ at: string; above: string }[]>(
        `select api.european_index(${name} => ${end} - 0.01) as at, api.european_index(${name} => ${end} + 0.01) as above`,
      );
      expect([bandOf(row?.at ?? ''), bandOf(row?.above ?? '')], `${key} ${end}`).toEqual(
        BANDS.slice(n, n + 2),
      );
    }
  await sql.end();
  await database.drop();
});

it('the yellow of the dashboards is the yellow of the pages', () => {
  const [red, green, blue] = [1, 3, 5].map((at) =>
    Number.parseInt(surfaceOf('moderate')[0].slice(at, at + 2), 16),
  );
  expect(EPA.moderate).toBe(`rgb(${red}, ${green}, ${blue})`);
});
