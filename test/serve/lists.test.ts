/** What lists need of many places at once equals the documents of each. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEveryEngineInAll } from '../support/database.ts';
import { type Body, citiesOfOneStation, install } from '../support/installation.ts';
import { request } from '../support/request.ts';
import { NOW } from './network.ts';
import { type Served, serve } from './serve.ts';

const HOUR = 3_600_000;

onEveryEngineInAll('the documents of lists', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(engine);
  });
  afterAll(() => served.close());

  async function get(path: string): Promise<Body> {
    const { status, body } = await request(served.app).get(path);
    expect(status, path).toBe(200);
    return body;
  }
  const list = () => get('/en/air-quality-app/v1/stations.json');
  const idsOf = (body: Body) => body.stations.map((one: Body) => one.id);
  const slugsOf = (body: Body) => body.regions.map((one: Body) => one.slug);

  it('the last day of all listed places equals their histories, with the trend of each', async () => {
    const day = await get('/en/explore/v1/last-day.json');
    const all = await list();
    expect(idsOf(day)).toEqual(idsOf(all));
    expect(slugsOf(day)).toEqual(slugsOf(all).toSorted());
    const lines: [string, Body][] = [
      ...day.stations.map((one: Body) => [`station/${one.id}`, one]),
      ...day.regions.map((one: Body) => [`region/${one.slug}`, one]),
    ];
    for (const [subject, line] of lines) {
      const history = await get(`/en/air-quality-app/v1/${subject}-history.json`);
      const hours = new Map<number, number | null>(
        history['24h'].map((one: Body) => [Date.parse(one.timestamp), one.avg_pm25]),
      );
      const first = Date.parse('2026-11-19T09:00:00Z');
      const means = Array.from({ length: 24 }, (_, n) => hours.get(first + n * HOUR) ?? null);
      expect(line['pm2.5'], subject).toEqual(means);
      const { trend } = await get(`/en/explore/v1/${subject}/now.json`);
      expect(line.trend, subject).toBe(trend);
    }
  });

  it('the last day of a region has its listed stations and its districts', async () => {
    const { stations, regions } = await list();
    const day = await get('/en/explore/v1/last-day.json');
    for (const { slug } of regions) {
      const own = await get(`/en/explore/v1/region/${slug}/last-day.json`);
      const isIn = (one: Body) => one.city_slug === slug || one.district_slug === slug;
      expect(idsOf(own), slug).toEqual(idsOf({ stations: stations.filter(isIn) }));
      expect(slugsOf(own), slug).toEqual(
        slugsOf({ regions: regions.filter((one: Body) => one.city_slug === slug) }),
      );
      for (const one of own.stations) expect(day.stations).toContainEqual(one);
    }
  });

  it('a network of more stations than lists draw has no lines of stations', async () => {
    const [row] = await served.database.as('airseries_reader')`
      select stations, json_array_length(regions::json) as regions from api.last_day_json(${NOW}, 2)`;
    expect(row).toMatchObject({ stations: '[]', regions: (await list()).regions.length });
  });

  it('the list of now has the European index of each place, as its own document has', async () => {
    const now = await get('/en/explore/v1/now.json');
    const all = await list();
    expect(idsOf(now)).toEqual(idsOf(all));
    expect(slugsOf(now)).toEqual(slugsOf(all));
    for (const one of [...now.stations, ...now.regions]) {
      const subject = one.id === undefined ? `region/${one.slug}` : `station/${one.id}`;
      const { european_index: own } = await get(`/en/explore/v1/${subject}/now.json`);
      if (one.is_bad_pm !== true) expect(one.european_index, subject).toBe(own.index);
      if (own.index !== null) {
        expect(own.timestamp).toBe(now.timestamp);
        expect(one.has_measured, subject).toBe(true);
      }
      if (one.pollutant !== null)
        expect([own.pollutants[one.pollutant], own.concentrations[one.pollutant]], subject).toEqual(
          [one.european_index, one.concentration],
        );
      if (one.pollutant !== null) expect(one['pm2.5'], subject).toBe(own.values['pm2.5']);
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
