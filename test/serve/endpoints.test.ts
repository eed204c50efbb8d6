/**
 * The five endpoints on a real database: every answer matches the strict contract in three locales,
 * and has the network's values.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { makeClock } from '../../src/base/clock.ts';
import { region, station } from '../../src/contract/current.ts';
import { LOCALES, stationsList } from '../../src/contract/endpoints.ts';
import { regionHistory, stationHistory } from '../../src/contract/history.ts';
import { makeApp } from '../../src/serve/app.ts';
import * as order from '../contract/keyOrder.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { request } from '../support/request.ts';
import { NOW } from './network.ts';
import { type Served, serve } from './serve.ts';

type Json = Record<string, unknown>;

onEveryEngineInAll('the five endpoints', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(engine);
  });
  afterAll(() => served.close());

  async function get(path: string, locale = 'en') {
    const res = await request(served.app).get(`/${locale}/air-quality-app/v1/${path}`);
    expect(res.status, path).toBe(200);
    return res.body;
  }

  const list = async (locale = 'en'): Promise<z.infer<typeof stationsList>> =>
    await get('stations.json', locale);
  const history = async (path: string): Promise<Record<string, Json[]>> =>
    await get(`${path}-history.json`);

  describe.each(LOCALES)('locale %s', (locale) => {
    it.each([
      ['stations.json', stationsList],
      ...[1, 2, 3, 4, 5, 6].flatMap((id): [string, z.ZodType][] => [
        [`station/${id}.json`, station],
        [`station/${id}-history.json`, stationHistory],
      ]),
      ...['alpha', 'beta', 'zeta', 'alpha-north', 'beta-old'].flatMap(
        (slug): [string, z.ZodType][] => [
          [`region/${slug}.json`, region],
          [`region/${slug}-history.json`, regionHistory],
        ],
      ),
    ] satisfies [string, z.ZodType][])('%s matches the contract', async (path, schema) => {
      const parsed = schema.safeParse(await get(path, locale));
      expect(parsed.error).toBeUndefined();
    });
  });

  it('every document has its keys in the order of the specification', async () => {
    const all = await list();
    expect(Object.keys(all)).toEqual(['providers', 'stations', 'regions']);
    for (const one of all.providers) expect(Object.keys(one)).toEqual(order.PROVIDER);
    for (const one of all.stations) expect(Object.keys(one)).toEqual(order.STATION);
    for (const one of all.regions)
      expect(Object.keys(one)).toEqual('is_hidden' in one ? order.CITY : order.DISTRICT);
    for (const [path, hour, day] of [
      ['station/1', order.STATION_HOUR, order.STATION_DAY],
      ['region/alpha', order.REGION_HOUR, order.REGION_DAY],
    ] as const) {
      const windows = await history(path);
      expect(Object.keys(windows)).toEqual(order.HISTORY);
      for (const [key, points] of Object.entries(windows)) {
        for (const point of points)
          expect(Object.keys(point)).toEqual(key === '24h' || key === '7d' ? hour : day);
      }
    }
  });

  it('the list has every listed station with its provider, and every region', async () => {
    const all = await list();
    expect(all.providers.map(({ id }) => id)).toEqual(['ours']);
    expect(all.stations.map(({ id }) => id)).toEqual([1, 2, 3, 5, 6]);
    expect(all.regions.map(({ slug }) => slug)).toEqual([
      'alpha',
      'beta',
      'zeta',
      'alpha-north',
      'beta-old',
    ]);
    const hidden = all.regions.filter((one) => 'is_hidden' in one && one.is_hidden);
    expect(hidden.map(({ slug }) => slug)).toEqual(['beta']);
  });

  it('the list has stations and regions with the same values as their own documents', async () => {
    const all = await list('ru');
    for (const one of all.stations) expect(await get(`station/${one.id}.json`, 'ru')).toEqual(one);
    for (const one of all.regions) expect(await get(`region/${one.slug}.json`, 'ru')).toEqual(one);
  });

  it('the document of a station has its current values', async () => {
    expect(await get('station/1.json')).toMatchObject({
      status: 'online',
      title: 'First street',
      city: 'Alpha',
      city_slug: 'alpha',
      district: 'North',
      district_slug: 'alpha-north',
      latitude: 40.51,
      longitude: 44.51,
      is_bad_thp: false,
      measurement_time: '2026-11-20T13:00:00+04:00',
      humidity: 50,
      pressure: 90000,
      'pm2.5_raw': 20,
      pm10: 30,
      pm1: 5,
      wind_speed: 2.5,
      wind_direction: 'N',
      uv: null,
      rain: 0.2,
      no2: 14.3,
      dust: null,
      usvh: 0.12,
      lux: null,
      provider: 'ours',
      url: 'https://air.example/en/air-quality/station/1',
    });
  });

  it('a flagged station shows its values, and its region excludes them', async () => {
    const flagged = await get('station/2.json');
    expect(flagged).toMatchObject({ is_bad_thp: true, temperature: 60, 'pm2.5': 20, aqi: 71 });
    const first = await get('station/1.json');
    const alpha = await get('region/alpha.json');
    expect(alpha).toMatchObject({
      station_count: 2,
      temperature: first.temperature,
      measurement_time: '2026-11-20T13:15:00+04:00',
    });
  });

  it('an offline station has nulls and no measurement time, and keeps its history', async () => {
    const offline = await get('station/3.json', 'hy');
    expect(offline).toMatchObject({
      status: 'offline',
      measurement_time: null,
      aqi: null,
      'pm2.5': null,
      temperature: null,
    });
    const windows = await history('station/3');
    expect(windows['24h']).toEqual([]);
    expect(windows['7d']).toEqual([]);
    expect(windows['30d']).toHaveLength(10);
    expect(windows['1y']).toHaveLength(1);
    expect(windows['2y']).toHaveLength(1);
  });

  it('a hidden station is served at its own two paths (C6)', async () => {
    expect(await get('station/4.json')).toMatchObject({
      status: 'online',
      title: 'Hidden',
      'pm2.5': 99,
    });
    expect((await history('station/4'))['24h']).toHaveLength(24);
  });

  it('a station or region without readings has empty history windows', async () => {
    const empty = Object.fromEntries(order.HISTORY.map((key) => [key, []]));
    for (const path of ['station/5', 'station/6', 'region/zeta'])
      expect(await history(path), path).toEqual(empty);
  });

  it('a region without data has nulls (C6)', async () => {
    expect(await get('region/zeta.json')).toEqual({
      slug: 'zeta',
      title: 'zeta',
      measurement_time: null,
      temperature: null,
      humidity: null,
      pressure: null,
      aqi: null,
      'pm2.5': null,
      pm10: null,
      no2: null,
      station_count: null,
      'who_daily_pm2.5': null,
      who_daily_exceedance: null,
      'who_year_pm2.5': null,
      who_yearly_exceedance: null,
      'who_pm2.5_exceedance_days': 0,
      month_cigarettes: null,
      url: 'https://air.example/en/air-quality/zeta',
      map_latitude: 39, // to five decimals
      map_longitude: 46.00001,
      map_delta: 0.2,
      is_hidden: false,
    });
  });

  it.each([
    ['en', 'First street', 'Alpha', 'North'],
    ['ru', 'Первая улица', 'Альфа', 'North'],
    ['hy', 'Առաջին փողոց', 'Ալֆա', 'Hyusis'],
  ])(
    'titles in %s are in that language, else in English, and links lead to its pages (C7)',
    async (locale, title, city, district) => {
      expect(await get('station/1.json', locale)).toMatchObject({ title, city, district });
      expect(await get('region/alpha-north.json', locale)).toMatchObject({
        title: district,
        city,
        city_slug: 'alpha',
        url: `https://air.example/${locale}/air-quality/alpha/alpha-north`,
      });
    },
  );

  it('a missing English title is replaced by any other, and without any by the slug or id', async () => {
    expect(await get('station/3.json')).toMatchObject({
      title: 'Молчит',
      city: 'Бета',
      district: 'Հին',
    });
    expect(await get('station/5.json')).toMatchObject({
      title: '5',
      city: null,
      city_slug: null,
      district: null,
      district_slug: null,
    });
    expect(await get('region/beta-old.json')).toMatchObject({ title: 'Հին', city: 'Бета' });
  });

  it('a range is the pair of minimum and maximum, and null exactly if these are', async () => {
    for (const path of ['station/1', 'station/3', 'region/alpha']) {
      const windows = await history(path);
      for (const point of [...(windows['30d'] ?? []), ...(windows['2y'] ?? [])]) {
        for (const name of ['temperature', 'pm25', 'pm10', 'dust', 'wind_speed']) {
          const [low, high] = [point[`min_${name}`], point[`max_${name}`]];
          expect(point[`range_${name}`]).toEqual(low === null ? null : [low, high]);
          expect(low === null).toBe(high === null);
        }
      }
    }
    expect((await history('station/1'))['30d']?.at(-1)).toMatchObject({
      range_dust: null,
      min_dust: null,
      range_pm10: [30, 30],
    });
  });

  it('links are empty if no site is configured', async () => {
    const app = makeApp({ db: served.db, clock: makeClock(NOW), siteBaseUrl: '', log: served.log });
    const all = stationsList.parse(
      (await request(app).get('/en/air-quality-app/v1/stations.json')).body,
    );
    expect([...all.stations, ...all.regions].map(({ url }) => url)).toEqual(Array(10).fill(''));
  });
});
