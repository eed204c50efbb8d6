/** The tiles of a page: each parameter in one group, in the order in which people look for them. */
import { expect, it } from 'vitest';
import { keyOf, PARAMETER_NAMES } from '../../../src/contract/parameters.ts';
import { GROUPS } from '../../../src/extras/pages/now.ts';

it('every parameter has a tile in exactly one group', () => {
  const keys = GROUPS.flatMap((group) => group.keys);
  expect([...keys].sort()).toEqual(PARAMETER_NAMES.map(keyOf).sort());
});

it('particles come first, then gases, then the weather', () => {
  const text = GROUPS.map(({ title, keys }) => `${title}: ${keys.join(' ')}`);
  expect(text).toEqual([
    'particles: pm2.5 pm10 pm1 pm2.5_raw dust',
    'gases: no2 o3 so2',
    'weather: temperature humidity pressure wind_speed wind_direction rain uv usvh',
  ]);
});
