/** Presentation is a pure function from rows to the specification's JSON. */
import { describe, expect, it } from 'vitest';
import { makeSiteUrls, presentRegion, presentStation } from '../../src/api/current.ts';
import { presentHistory } from '../../src/api/history.ts';
import { city, district, station } from '../../src/contract/current.ts';
import * as order from '../contract/keyOrder.ts';
import { regionRow, stationRow } from './rows.ts';

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
  it('has the five windows in their order, as the database wrote them', () => {
    const windows = { '2y': '[{"aqi":1}]', '30d': '[]', '7d': '[{"aqi":2}]', '1y': '[]', '24h': '[]' };
    const text = presentHistory({ ...windows, valid_until: '2026-11-20T14:00:00+04:00', data_version: 1 });
    expect(text).toBe('{"24h":[],"7d":[{"aqi":2}],"30d":[],"1y":[],"2y":[{"aqi":1}]}');
  });
});

describe('links to the site', () => {
  it('are empty without a site', () => {
    const none = makeSiteUrls('');
    expect([none.city('en', 'a'), none.district('en', 'a', 'b'), none.station('en', 1)]).toEqual(['', '', '']);
  });

  it('accept a base with a path and a trailing slash', () => {
    const own = makeSiteUrls('https://air.example/app/');
    expect(own.city('ru', 'a')).toBe('https://air.example/app/ru/air-quality/a');
  });
});
