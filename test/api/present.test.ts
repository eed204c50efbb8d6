/** Presentation is a pure function from rows to the specification's JSON. */
import { describe, expect, it } from 'vitest';
import { makeSiteUrls, presentRegion, presentStation } from '../../src/api/current.ts';
import { presentRegionHistory, presentStationHistory } from '../../src/api/history.ts';
import { city, district, station } from '../../src/contract/current.ts';
import * as order from '../contract/keyOrder.ts';
import { regionBucket, regionRow, stationBucket, stationRow, windows } from './rows.ts';

const site = makeSiteUrls('https://air.example');

describe('a station', () => {
  it('has the specified keys in order, whatever the order of the row and with extra columns', () => {
    const backwards = Object.fromEntries(Object.entries(stationRow).reverse()) as typeof stationRow;
    const shown = presentStation(backwards, 'ru', site);
    expect(Object.keys(shown)).toEqual(order.STATION);
    expect(station.parse(shown)).toMatchObject({ title: 'Улица', city: 'Город', district: null, lux: null });
    expect(shown.url).toBe('https://air.example/ru/air-quality/station/7');
  });
});

describe('a region', () => {
  it('is a city with is_hidden', () => {
    const shown = presentRegion({ ...regionRow, is_hidden: true }, 'hy', site);
    expect(Object.keys(shown)).toEqual(order.CITY);
    expect(city.parse(shown)).toMatchObject({
      title: 'Քաղաք',
      is_hidden: true,
      url: 'https://air.example/hy/air-quality/town',
    });
  });

  it('is a district with its city and without is_hidden', () => {
    const row = {
      ...regionRow,
      slug: 'east',
      kind: 'district' as const,
      city_slug: 'town',
      city: 'Town',
      is_hidden: null,
    };
    const shown = presentRegion(row, 'en', site);
    expect(Object.keys(shown)).toEqual(order.DISTRICT);
    expect(district.parse(shown)).toMatchObject({
      city: 'Town',
      city_slug: 'town',
      url: 'https://air.example/en/air-quality/town/east',
    });
  });
});

describe('a history', () => {
  const history = <Bucket>(buckets: Bucket[]) => ({ ...windows, buckets, data_version: 1 });
  const hour = (timestamp: string) => ({ ...stationBucket, unit: 'hour', timestamp });
  const month = (timestamp: string) => ({ ...stationBucket, unit: 'month', timestamp });

  it('has all five windows, empty or not', () => {
    const empty = { '24h': [], '7d': [], '30d': [], '1y': [], '2y': [] };
    expect(presentStationHistory(history([]))).toEqual(empty);
    expect(Object.keys(presentRegionHistory(history([])))).toEqual(Object.keys(empty));
  });

  it('puts each bucket into every window of its unit that holds its start, and no bucket of another unit', () => {
    const shown = presentStationHistory(
      history([
        hour('2026-11-13T12:00:00+04:00'),
        hour('2026-11-13T13:00:00+04:00'),
        hour('2026-11-19T12:00:00+04:00'),
        hour('2026-11-19T13:00:00+04:00'),
        hour('2026-11-20T12:00:00+04:00'),
        hour('2026-11-20T13:00:00+04:00'),
        stationBucket,
        month('2025-11-01T00:00:00+04:00'),
        month('2025-12-01T00:00:00+04:00'),
        month('2026-11-01T00:00:00+04:00'),
        month('2026-12-01T00:00:00+04:00'),
      ]),
    );
    const starts = Object.entries(shown).map(([key, points]) => [key, points.map(({ timestamp }) => timestamp)]);
    expect(Object.fromEntries(starts)).toEqual({
      '24h': ['2026-11-19T13:00:00+04:00', '2026-11-20T12:00:00+04:00'],
      '7d': [
        '2026-11-13T13:00:00+04:00',
        '2026-11-19T12:00:00+04:00',
        '2026-11-19T13:00:00+04:00',
        '2026-11-20T12:00:00+04:00',
      ],
      '30d': ['2026-11-19T00:00:00+04:00'],
      '1y': ['2025-12-01T00:00:00+04:00', '2026-11-01T00:00:00+04:00'],
      '2y': ['2025-11-01T00:00:00+04:00', '2025-12-01T00:00:00+04:00', '2026-11-01T00:00:00+04:00'],
    });
  });

  it('has ranges and extremes in days and months only', () => {
    const shown = presentStationHistory(history([hour('2026-11-20T12:00:00+04:00'), stationBucket]));
    expect(Object.keys(shown['24h'][0] ?? {})).toEqual(order.STATION_HOUR);
    expect(Object.keys(shown['30d'][0] ?? {})).toEqual(order.STATION_DAY);
  });

  it('has the uncorrected value for stations and the station count for regions', () => {
    const hourOfRegion = { ...regionBucket, unit: 'hour', timestamp: '2026-11-20T12:00:00+04:00' };
    const shown = presentRegionHistory(history([hourOfRegion, regionBucket]));
    expect(Object.keys(shown['7d'][0] ?? {})).toEqual(order.REGION_HOUR);
    expect(Object.keys(shown['30d'][0] ?? {})).toEqual(order.REGION_DAY);
  });

  it('pairs minimum and maximum, null if these are null, zero if these are zero', () => {
    const zeros = {
      min_temperature: -3.5,
      max_temperature: 0,
      min_pm25: 0,
      max_pm25: 0,
      min_dust: null,
      max_dust: null,
    };
    const [point] = presentStationHistory(history([{ ...stationBucket, ...zeros }]))['30d'];
    expect(point).toMatchObject({ range_temperature: [-3.5, 0], range_pm25: [0, 0], range_dust: null, min_dust: null });
  });
});

describe('links to the site', () => {
  it('are empty without a site', () => {
    const none = makeSiteUrls('');
    expect([none.city('en', 'a'), none.district('en', 'a', 'b'), none.station('en', 1)]).toEqual(['', '', '']);
  });

  it('accept a base with a path and a trailing slash, and custom templates', () => {
    const paths = { city: '/{city}/{locale}', district: '/{city}/{district}', station: '/s/{id}' };
    const own = makeSiteUrls('https://air.example/app/', paths);
    expect([own.city('ru', 'a'), own.station('ru', 1)]).toEqual([
      'https://air.example/app/a/ru',
      'https://air.example/app/s/1',
    ]);
  });
});
