/** The map of a parameter: the last 24 hours of all places, as their histories have them. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { keyOf } from '../../src/contract/parameters.ts';
import { makeExplore } from '../../src/serve/explore.ts';
import { onEveryEngineInAll, onOneEngine } from '../support/database.ts';
import {
  type Body,
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { seeded } from '../support/random.ts';
import { request } from '../support/request.ts';
import { NOW } from './network.ts';
import { type Served, serve } from './serve.ts';

const HOUR = 3_600_000;
const FIRST = Date.parse('2026-11-19T09:00:00Z');

onEveryEngineInAll('the map of a parameter', (engine) => {
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
  const mapOf = (parameter: string) => get(`/en/explore/v1/map/${parameter}.json`);
  const stationIn = (map: Body, id: number) => map.stations.find((one: Body) => one.id === id);

  it.each([
    ['temperature', '°C'],
    ['pm25', 'µg/m³'],
    ['pm10', 'µg/m³'],
    ['no2', 'ppb'],
    ['o3', 'µg/m³'],
    ['pressure', 'Pa'],
  ])('every value is published in the history of its place too: %s', async (name, unit) => {
    const map = await mapOf(keyOf(name));
    expect(map).toMatchObject({ parameter: keyOf(name), unit });
    expect(map.hours.map((hour: string) => Date.parse(hour))).toEqual(
      Array.from({ length: 24 }, (_, n) => FIRST + n * HOUR),
    );
    expect(map.hours[0]).toBe('2026-11-19T13:00:00+04:00');
    const { stations, regions } = await get('/en/air-quality-app/v1/stations.json');
    for (const [subject, found] of [
      ...stations.map(({ id }: Body) => [`station/${id}`, stationIn(map, id)]),
      ...regions.map(({ slug }: Body) => [
        `region/${slug}`,
        map.regions.find((one: Body) => one.slug === slug),
      ]),
    ]) {
      const history = await get(`/en/air-quality-app/v1/${subject}-history.json`);
      const means = new Map(
        history['24h'].map((hour: Body) => [Date.parse(hour.timestamp), hour[`avg_${name}`]]),
      );
      const values = map.hours.map((hour: string) => means.get(Date.parse(hour)) ?? null);
      const isMeasured = values.some((value: number | null) => value !== null);
      expect(found?.values, subject).toEqual(isMeasured ? values : undefined);
    }
    expect(stationIn(map, 1)).toBeDefined();
  });

  it('a hidden station is absent, and so is one without a value', async () => {
    const { stations, regions } = await mapOf('pm2.5');
    expect(stations.map(({ id }: Body) => id)).toEqual([1, 2]);
    expect(regions.map(({ slug }: Body) => slug)).toEqual(['alpha', 'alpha-north']);
  });

  it('the band of the last hour is the one of now.json, and temperature has none (X1)', async () => {
    const { european_index: index } = await get('/en/explore/v1/station/1/now.json');
    for (const key of ['pm2.5', 'pm10', 'no2', 'o3', 'so2'])
      expect(stationIn(await mapOf(key), 1).bands.at(-1), key).toBe(index.pollutants[key]);
    expect(stationIn(await mapOf('temperature'), 1).bands).toBeNull();
  });

  it('hours of a flag of the parameter are marked, whole (C5, C9)', async () => {
    const all = Array.from({ length: 24 }, (_, n) => n);
    expect(stationIn(await mapOf('temperature'), 2).suspect).toEqual(all);
    expect(stationIn(await mapOf('pm2.5'), 2).suspect).toEqual([]);
    const sql = served.database.as();
    await sql`insert into raw.flag_period (station_id, kind, since, until)
      values (1, 'pm', '2026-11-20 02:30Z', '2026-11-20 04:10Z')`;
    for (const key of ['pm2.5', 'pm10'])
      expect(stationIn(await mapOf(key), 1).suspect).toEqual([17, 18, 19]);
    for (const key of ['o3', 'temperature'])
      expect(stationIn(await mapOf(key), 1).suspect).toEqual([]);
    // an outlier of one hour is marked, and not left out of regions
    await sql`insert into raw.screened_period (station_id, kind, reason, since, until, hours)
      values (1, 'pm', 'outlier', '2026-11-20 04:30Z', '2026-11-20 06:00Z', '{2026-11-20 04:30Z}')`;
    expect(stationIn(await mapOf('pm2.5'), 1)).toMatchObject({
      suspect: [17, 18, 19, 20],
      left_out: [17, 18, 19],
    });
  });

  it('the map holds until the hour closes, or a station is hidden before', async () => {
    const explore = makeExplore({ db: served.db, wholeNetwork: served.db, clock: () => NOW });
    const until = async () => {
      const values = { locale: 'en', parameter: 'pm2.5', id: 0, slug: '', year: 0 } as const;
      return (await explore.parameterMap({ ...values, from: '', to: '', hour: '' })).validUntil;
    };
    expect(await until()).toEqual(new Date('2026-11-20T10:00:00Z'));
    const sql = served.database.as();
    await sql`insert into raw.hidden_period values (2, '2026-11-20 09:40Z', 'infinity')`;
    expect(await until()).toEqual(new Date('2026-11-20T09:40:00Z'));
  });
});

onOneEngine('bands on the map of a parameter', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town']));
  });
  afterAll(() => here.close());

  it('the hours of 300 stations take less than 30 KB', async () => {
    const random = seeded(1);
    const slugs = Array.from(
      { length: 300 },
      (_, n) => `t-${'abcdefghij'[n % 10]}${'x'.repeat(n / 10)}`,
    );
    const large = await install(engine, citiesOfOneStation(slugs));
    onTestFinished(() => large.close());
    const readings = slugs.flatMap((_, id) =>
      Array.from({ length: 24 }, (_, n) =>
        reading(id + 1, FIRST + n * HOUR + 600_000, { pm25: 5 + random.next() * 60 }),
      ),
    );
    await large.accept(readings, NOW);
    await large.refresh(NOW);
    const map = await large.get('/en/explore/v1/map/pm2.5.json', NOW);
    expect(map.stations).toHaveLength(300);
    expect(gzipSync(JSON.stringify({ ...map, regions: [] })).length).toBeLessThan(30_000);
  });

  it('a band is of the mean before it is rounded to publish it, and missing hours have none (X1)', async () => {
    // 5.49 is published as 5.5, which would round up into the next band
    await here.accept([reading(1, '2026-11-20T08:30:00Z', { pm25: 5.49, no2: 5.49 })]);
    await here.refresh(NOW);
    const map = await here.get('/en/explore/v1/map/pm2.5.json', NOW);
    const nulls = Array(23).fill(null);
    const hours = { values: [...nulls, 5.5], bands: [...nulls, 'good'] };
    expect(map.stations).toEqual([{ id: 1, ...hours, suspect: [], left_out: [] }]);
    expect(map.regions).toEqual([{ slug: 'town', ...hours }]);
    const gas = await here.get('/en/explore/v1/map/no2.json', NOW);
    // 10.5 µg/m³, though 5.5 ppb would be in the lowest band
    expect(gas.stations).toMatchObject([{ values: [...nulls, 5.5], bands: [...nulls, 'good'] }]);
  });
});
