/**
 * The five endpoints and the documents of lists on a real database: every answer matches the strict
 * contract, has the network's values, and agrees with the other documents.
 */
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import { LOCALES, type StationsList } from '../../src/contract/endpoints.ts';
import { WINDOWS } from '../../src/contract/windows.ts';
import { makeApp } from '../../src/serve/app.ts';
import * as order from '../contract/keyOrder.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { type Body, citiesOfOneStation, install, reading } from '../support/installation.ts';
import { request } from '../support/request.ts';
import { NOW, REGIONS, STATIONS } from './network.ts';
import { type Served, serve } from './serve.ts';

const HOUR = 3_600_000;
const API = 'air-quality-app/v1';

onEveryEngineInAll('documents', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(engine);
    return () => served.close();
  });

  async function get(path: string, locale = 'en', room = API): Promise<Body> {
    const { status, body } = await request(served.app).get(`/${locale}/${room}/${path}`);
    expect(status, path).toBe(200);
    return body;
  }
  const explore = (path: string) => get(path, 'en', 'explore/v1');
  const list = (locale?: string): Promise<StationsList> => get('stations.json', locale);
  const history = (path: string) => get(`${path}-history.json`);
  const idsOf = (body: Body) => body.stations.map((one: Body) => one.id);
  const slugsOf = (body: Body) => body.regions.map((one: Body) => one.slug);

  it.each(LOCALES)('every document matches the contract in %s', async (locale) => {
    const places = [
      ...STATIONS.map((id) => `station/${id}`),
      ...REGIONS.map((one) => `region/${one}`),
    ];
    const paths = places.flatMap((place) => [`${place}.json`, `${place}-history.json`]);
    for (const path of ['stations.json', ...paths]) await get(path, locale); // which compares them
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
      for (const { key, unit } of WINDOWS)
        for (const point of windows[key])
          expect(Object.keys(point)).toEqual(unit === 'hour' ? hour : day);
    }
  });

  it('the list has every listed station with its provider, and every region', async () => {
    const all = await list();
    expect(all.providers.map(({ id }) => id)).toEqual(['ours']);
    expect([idsOf(all), slugsOf(all)]).toEqual([[1, 2, 3, 5, 6], REGIONS]);
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
      ...{ status: 'online', latitude: 40.51, longitude: 44.51, is_bad_thp: false },
      ...{ city: 'Alpha', city_slug: 'alpha', district: 'North', district_slug: 'alpha-north' },
      measurement_time: '2026-11-20T13:00:00+04:00',
      ...{ humidity: 50, pressure: 90000, 'pm2.5_raw': 20, pm10: 30, pm1: 5, no2: 14.3 },
      ...{ wind_speed: 2.5, wind_direction: 'N', rain: 0.2, usvh: 0.12 },
      ...{ uv: null, dust: null, lux: null },
      url: 'https://air.example/en/air-quality/station/1',
    });
  });

  it('a flagged station shows its values, and its region excludes them', async () => {
    const flagged = { is_bad_thp: true, temperature: 60, 'pm2.5': 20, aqi: 71 };
    expect(await get('station/2.json')).toMatchObject(flagged);
    expect(await get('region/alpha.json')).toMatchObject({
      station_count: 2,
      temperature: (await get('station/1.json')).temperature,
      measurement_time: '2026-11-20T13:15:00+04:00',
    });
  });

  it('an offline station has nulls and no measurement time, and keeps its history', async () => {
    expect(await get('station/3.json', 'hy')).toMatchObject({
      ...{ status: 'offline', measurement_time: null, aqi: null, 'pm2.5': null, temperature: null },
    });
    const windows = await history('station/3');
    const lengths = WINDOWS.map(({ key }) => [key, windows[key].length]);
    expect(Object.fromEntries(lengths)).toEqual({ '24h': 0, '7d': 0, '30d': 10, '1y': 1, '2y': 1 });
  });

  it('a hidden station is served at its own two paths (C6)', async () => {
    const hidden = { status: 'online', title: 'Hidden', 'pm2.5': 99 };
    expect(await get('station/4.json')).toMatchObject(hidden);
    expect((await history('station/4'))['24h']).toHaveLength(24);
  });

  it('a place without data has empty history windows, and a region nulls (C6)', async () => {
    const empty = Object.fromEntries(order.HISTORY.map((key) => [key, []]));
    for (const path of ['station/5', 'station/6', 'region/zeta'])
      expect(await history(path), path).toEqual(empty);
    const values = await get('region/zeta.json');
    const known = Object.entries(values).filter(([, value]) => value !== null);
    expect(Object.fromEntries(known)).toEqual({
      ...{ slug: 'zeta', title: 'zeta', is_hidden: false, 'who_pm2.5_exceedance_days': 0 },
      url: 'https://air.example/en/air-quality/zeta',
      ...{ map_latitude: 39, map_longitude: 46.00001, map_delta: 0.2 }, // to five decimals
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
    const [third, fifth] = [await get('station/3.json'), await get('station/5.json')];
    expect(third).toMatchObject({ title: 'Молчит', city: 'Бета', district: 'Հին' });
    expect(fifth).toMatchObject({ title: '5', city: null, city_slug: null, district: null });
    expect(await get('region/beta-old.json')).toMatchObject({ title: 'Հին', city: 'Бета' });
  });

  it('a range is the pair of minimum and maximum, and null exactly if these are', async () => {
    for (const path of ['station/1', 'station/3', 'region/alpha']) {
      const windows = await history(path);
      for (const point of [...windows['30d'], ...windows['2y']]) {
        for (const name of ['temperature', 'pm25', 'pm10', 'dust', 'wind_speed']) {
          const pair = [point[`min_${name}`], point[`max_${name}`]];
          expect(point[`range_${name}`]).toEqual(pair[0] === null ? null : pair);
          expect(pair[0] === null).toBe(pair[1] === null);
        }
      }
    }
    const last = (await history('station/1'))['30d'].at(-1);
    expect(last).toMatchObject({ range_dust: null, min_dust: null, range_pm10: [30, 30] });
  });

  it('days and months have the lowest and the highest of their hours (A5)', async () => {
    const here = await install(engine, citiesOfOneStation(['town']));
    onTestFinished(() => here.close());
    const lowest = { temperature: -3, pm25: 10, pm10: 20, dust: 0.2, wind_speed: 1 };
    const highest = { temperature: 7, pm25: 50, pm10: 60, dust: 0.4, wind_speed: 5 };
    await here.accept([
      reading(1, '2026-11-19T08:30:00Z', lowest),
      reading(1, '2026-11-19T09:30:00Z', highest),
    ]);
    await here.refresh(NOW);
    const ranges = Object.entries(lowest).map(([name, low]) => [
      `range_${name}`,
      [low, highest[name as keyof typeof highest]],
    ]);
    for (const path of ['station/1', 'region/town']) {
      const windows = await here.get(`${path}-history.json`, NOW);
      for (const point of [windows['30d'].at(-1), windows['2y'].at(-1)])
        expect(point).toMatchObject({ ...Object.fromEntries(ranges), range_aqi: [53, 137] });
    }
  });

  it('links are empty if no site is configured', async () => {
    const app = makeApp({ db: served.db, clock: makeClock(NOW), siteBaseUrl: '', log: served.log });
    const { body } = await request(app).get(`/en/${API}/stations.json`);
    const urls = [...body.stations, ...body.regions].map(({ url }: Body) => url);
    expect(urls).toEqual(Array(10).fill(''));
  });

  it('the last day of all listed places equals their histories, with the trend of each', async () => {
    const [day, all] = [await explore('last-day.json'), await list()];
    expect([idsOf(day), slugsOf(day)]).toEqual([idsOf(all), slugsOf(all).toSorted()]);
    for (const line of [...day.stations, ...day.regions]) {
      const subject = line.id === undefined ? `region/${line.slug}` : `station/${line.id}`;
      const points = (await history(subject))['24h'].map((one: Body) => [
        Date.parse(one.timestamp),
        one.avg_pm25,
      ]);
      const hours = new Map<number, number | null>(points);
      const first = Date.parse('2026-11-19T09:00:00Z');
      const means = Array.from({ length: 24 }, (_, n) => hours.get(first + n * HOUR) ?? null);
      const { trend } = await explore(`${subject}/now.json`);
      expect([line['pm2.5'], line.trend], subject).toEqual([means, trend]);
    }
  });

  it('the last day of a region has its listed stations and its districts', async () => {
    const { stations, regions } = await list();
    const day = await explore('last-day.json');
    for (const { slug } of regions) {
      const own = await explore(`region/${slug}/last-day.json`);
      const isIn = (one: Body) => one.city_slug === slug || one.district_slug === slug;
      expect(idsOf(own), slug).toEqual(idsOf({ stations: stations.filter(isIn) }));
      const districts = regions.filter((one) => 'city_slug' in one && one.city_slug === slug);
      expect(slugsOf(own), slug).toEqual(slugsOf({ regions: districts }));
      for (const one of own.stations) expect(day.stations).toContainEqual(one);
    }
  });

  it('a network of more stations than lists draw has no lines of stations', async () => {
    const [row] = await served.database.as('airseries_reader')`
      select stations, json_array_length(regions::json) as regions from api.last_day_json(${NOW}, 2)`;
    expect(row).toMatchObject({ stations: '[]', regions: REGIONS.length });
  });

  it('the list of now has the European index of each place, as its own document has (X1)', async () => {
    const [now, all] = [await explore('now.json'), await list()];
    expect([idsOf(now), slugsOf(now)]).toEqual([idsOf(all), slugsOf(all)]);
    for (const one of [...now.stations, ...now.regions]) {
      const subject = one.id === undefined ? `region/${one.slug}` : `station/${one.id}`;
      const { european_index: own } = await explore(`${subject}/now.json`);
      if (one.is_bad_pm !== true) expect(one.european_index, subject).toBe(own.index);
      if (own.index !== null)
        expect([own.timestamp, one.has_measured], subject).toEqual([now.timestamp, true]);
      if (one.pollutant !== null)
        expect(
          [own.pollutants[one.pollutant], own.concentrations[one.pollutant], own.values['pm2.5']],
          subject,
        ).toEqual([one.european_index, one.concentration, one['pm2.5']]);
    }
  });
});

it('the neighbours of a region are the nearest stations that are not in it', async () => {
  const here = await install('plain', citiesOfOneStation(['a', 'b', 'c', 'd'])); // 11 km apart
  const { neighbours } = await here.get('/en/explore/v1/region/b/neighbours.json', NOW);
  expect(neighbours.map(({ id }: Body) => id)).toEqual([1, 3, 4]);
  expect(neighbours[2].distance_km).toBeCloseTo(22.2, 1);
  await here.close();
});
