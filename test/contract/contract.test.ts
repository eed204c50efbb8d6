/** The contract matches the specification: keys in its order, each with a meaning and, where there is one, a unit. */
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { city, district, provider, station } from '../../src/contract/current.ts';
import { ENDPOINTS } from '../../src/contract/endpoints.ts';
import {
  regionDay,
  regionHistory,
  regionHour,
  stationDay,
  stationHistory,
  stationHour,
} from '../../src/contract/history.ts';
import { WINDOWS } from '../../src/contract/windows.ts';
import * as order from './keyOrder.ts';

const OBJECTS: [string, z.ZodObject, string[]][] = [
  ['provider', provider, order.PROVIDER],
  ['station', station, order.STATION],
  ['city', city, order.CITY],
  ['district', district, order.DISTRICT],
  ['station hour', stationHour, order.STATION_HOUR],
  ['station day', stationDay, order.STATION_DAY],
  ['region hour', regionHour, order.REGION_HOUR],
  ['region day', regionDay, order.REGION_DAY],
];

describe.each(OBJECTS)('the contract of a %s', (_name, schema, keys) => {
  it('has the keys of the specification in its order', () => {
    expect(Object.keys(schema.shape), 'written out again in test/contract/keyOrder.ts').toEqual(keys);
  });

  it('gives every field a meaning', () => {
    for (const [key, field] of Object.entries(schema.shape)) {
      expect((field as z.ZodType).meta()?.description, key).toMatch(/\w/);
    }
  });
});

describe('the contract', () => {
  it('has the five windows in both histories', () => {
    const keys = WINDOWS.map(({ key }) => key);
    expect(Object.keys(stationHistory.shape)).toEqual(keys);
    expect(Object.keys(regionHistory.shape)).toEqual(keys);
  });

  it('has the five endpoints of the specification', () => {
    expect(
      Object.values(ENDPOINTS)
        .map(({ path }) => path.replace('/{locale}/air-quality-app', ''))
        .sort(),
    ).toEqual([
      '/v1/region/{slug}-history.json',
      '/v1/region/{slug}.json',
      '/v1/station/{id}-history.json',
      '/v1/station/{id}.json',
      '/v1/stations.json',
    ]);
  });

  it('carries units', () => {
    expect(station.shape.no2.meta()).toMatchObject({
      'x-unit': '[ppb]',
      description: expect.stringMatching(/ \[ppb\]$/),
    });
    expect(stationDay.shape.range_pm25.meta()).toMatchObject({ 'x-unit': 'ug/m3' });
    expect(city.shape.month_cigarettes.meta()).toMatchObject({ 'x-unit': '{cigarettes}' });
  });
});
