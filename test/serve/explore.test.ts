/**
 * The documents of `explore/v1`: their content, and the requests that they refuse. Every answer is
 * compared with the OpenAPI document too.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { CSV_HEADERS } from '../../src/contract/csv.ts';
import { EXPLORE } from '../../src/contract/explore.ts';
import { keyOf } from '../../src/contract/parameters.ts';
import { connect } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { makeApp } from '../../src/serve/app.ts';
import { makeExplore } from '../../src/serve/explore.ts';
import { BANDS, bandOf, nowcast, trend, UPPER_ENDS } from '../schema/indices.ts';
import { whereComplete } from '../support/complete.ts';
import { emptyDatabase, onEveryEngineInAll, onOneEngine } from '../support/database.ts';
import { READING_FORMATS } from '../support/formats.ts';
import {
  type Body,
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { request } from '../support/request.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { needs } from '../support/tools.ts';
import { NOW, REGIONS, STATIONS } from './network.ts';
import { type Served, serve } from './serve.ts';

const BASE = '/en/explore/v1';
const HOUR = 3_600_000;

const NOTHING = { 'pm2.5': null, pm10: null, o3: null, no2: null, so2: null };

/** The European index of a point's published means, and the first pollutant that has it. */
function european(point: Body) {
  const graded = (Object.keys(UPPER_ENDS) as (keyof typeof UPPER_ENDS)[]).flatMap((name) => {
    const mean = point[`avg_${name}`];
    return mean === null ? [] : [{ band: bandOf(name, mean), key: name.replace('pm25', 'pm2.5') }];
  });
  const [worst] = graded.toSorted((a, b) => b.band - a.band);
  return { european_index: BANDS[worst?.band ?? -1] ?? null, pollutant: worst?.key ?? null };
}

async function bodyOf({ app }: Served, path: string): Promise<Body> {
  const { status, body } = await request(app).get(path);
  expect(status, path).toBe(200);
  return body;
}

onOneEngine('the documents of the front page', (engine) => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(engine, { path: 'kept' });
    return () => served.close();
  });

  const send = (path: string, locale = 'en') =>
    request(served.app).get(`/${locale}/explore/v1/${path}`).set('Accept-Encoding', 'identity');

  const get = (path: string) => bodyOf(served, path.startsWith('/') ? path : `${BASE}/${path}`);
  const historyOf = (subject: string) => get(`/en/air-quality-app/v1/${subject}-history.json`);

  it('every document of every station and region, hidden or empty, matches the contract', async () => {
    const ofBoth = ['now', 'days/2026', 'days/2000', 'days/2100', 'months', 'completeness'];
    ofBoth.push('limits', 'limits/2026');
    const ofStation = ['readings/2026-11-20T08Z', 'flags', 'neighbours', 'gaps/2026'];
    for (const subject of [
      ...STATIONS.map((id) => `station/${id}`),
      ...REGIONS.map((slug) => `region/${slug}`),
    ]) {
      const own = subject.startsWith('station') ? ofStation : ['stations/2026-11-20T08Z'];
      for (const name of [...ofBoth, ...own]) await get(`${subject}/${name}.json`);
      expect((await send(`${subject}/hours/2026-11-19/2026-11-20.csv`)).status).toBe(200);
    }
  });

  it('now.json has the trend, NowCast, European index and completeness of a station', async () => {
    expect(await get('station/1/now.json')).toMatchObject({
      nowcast: { 'pm2.5': expect.any(Number), pm10: 30, aqi: expect.any(Number), hours: 12 },
      european_index: {
        index: 'moderate', // by NO2: 14.25 ppb are 27.3 µg/m³
        timestamp: '2026-11-20T12:00:00+04:00',
        pollutants: { pm10: 'fair', o3: 'good', no2: 'moderate', so2: 'good' },
        values: { pm10: 30, no2: 14.3 },
        concentrations: { pm10: 30, no2: 27 },
      },
      completeness: { measured_hours: 24, expected_hours: 24 },
    });
    expect(await get('station/2/now.json')).toMatchObject({
      trend: 'steady',
      nowcast: { 'pm2.5': 20, pm10: null, aqi: 71, hours: 12 },
      european_index: { index: 'moderate', pollutants: { pm10: null, no2: null } },
    });
    const index = { index: null, timestamp: null, hours: [] };
    expect(await get('station/3/now.json')).toEqual({
      trend: null,
      nowcast: { 'pm2.5': null, pm10: null, aqi: null, hours: 0 },
      european_index: { ...index, pollutants: NOTHING, values: NOTHING, concentrations: NOTHING },
      completeness: { measured_hours: 0, expected_hours: 24 },
    });
    const never = { measured_hours: 0, expected_hours: 0 };
    expect((await get('station/5/now.json')).completeness).toEqual(never);
  });

  it.each(['station/1', 'region/alpha'])(
    'the days and months of %s have the values of its history, with their completeness',
    async (subject) => {
      const history = await historyOf(subject);
      const { hours } = (await get(`${subject}/now.json`)).european_index;
      const times = (points: Body) => points.map(({ timestamp }: Body) => timestamp);
      expect(times(hours)).toEqual(times(history['24h']));
      const { year, days } = await get(`${subject}/days/2026.json`);
      expect([year, days.length, days[0].timestamp]).toEqual([
        2026,
        323,
        '2026-01-01T00:00:00+04:00',
      ]);
      expect(days.slice(-30).map(({ hours: _, expected_hours: __, ...day }: Body) => day)).toEqual(
        history['30d'].map((day: Body) => ({ ...day, ...european(day) })),
      );
      expect(days.at(-1)).toMatchObject({
        hours: { 'pm2.5': 24, wind_sin: 24, uv: 0 },
        expected_hours: 24,
      });
      const last = (await get(`${subject}/days/2025.json`)).days.at(-1);
      expect(last.timestamp).toBe('2025-12-31T00:00:00+04:00');
      expect((await get(`${subject}/days/2027.json`)).days).toEqual([]);

      const complete = await get(`${subject}/completeness.json`);
      expect(times(complete.days)).toEqual(times(history['30d']));
      const { months } = await get(`${subject}/months.json`);
      expect(months).toHaveLength(14);
      expect(months).toEqual(
        history['2y'].map((month: Body) => {
          const { timestamp, avg_pm25, aqi } = month;
          const { hours, expected_hours } = complete.months.find(
            (one: Body) => one.timestamp === timestamp,
          );
          const { european_index, pollutant } = european(month);
          return {
            ...{ timestamp, avg_pm25, aqi, european_index, pollutant, expected_hours },
            measured_hours: hours['pm2.5'],
            pollutant_hours: hours[pollutant ?? ''],
          };
        }),
      );
    },
  );

  it('months.json has months before the two years of a history', async () => {
    expect((await get('station/6/months.json')).months).toMatchObject([
      { timestamp: '2024-01-01T00:00:00+04:00', avg_pm25: 10, aqi: 53, expected_hours: 740 },
    ]);
    expect((await get('station/5/months.json')).months).toEqual([]);
  });

  it('a closed hour of a region has the hours of its stations, and an open one has none', async () => {
    const hour = await get('region/alpha/stations/2026-11-20T08:30Z.json');
    expect(hour).toMatchObject({ timestamp: '2026-11-20T12:00:00+04:00', complete: true });
    expect(hour.stations.map(({ id, is_bad_thp: isFlagged }: Body) => [id, isFlagged])).toEqual([
      [1, false], // the hidden station does not belong to it
      [2, true],
    ]);
    const { mean } = hour.stations[0];
    expect(mean).toEqual((await get('station/1/readings/2026-11-20T08Z.json')).station);
    expect(hour.region.temperature).toBe(mean.temperature);
    expect(hour.region['pm2.5']).toBe((mean['pm2.5'] + 20) / 2);
    const open = await get('region/alpha/stations/2026-11-20T09Z.json');
    expect([open.hour, open.region, open.stations]).toEqual([null, null, []]);
  });

  it('the flags of a station tell since when and by which test', async () => {
    const nothing = { sensor_id: null, until: null, 'pm2.5': null, median: null };
    const since = '2026-11-01T00:00:00+04:00';
    expect(await get('station/2/flags.json')).toMatchObject({
      flags: [{ ...nothing, kind: 'thp', test: 'operator', since, is_left_out: true }],
      pairs: [],
    });
  });

  it('the neighbours of a station are the listed stations, the nearest first', async () => {
    const { neighbours } = await get('station/1/neighbours.json');
    expect(neighbours.map(({ id }: Body) => id)).toEqual([2, 6, 3, 5]);
    // a hundredth of a degree of latitude is 1.11 km, of longitude 0.85 km
    expect(neighbours[0].distance_km).toBeCloseTo(Math.hypot(1.112, 0.845), 2);
    expect(neighbours[3].distance_km).toBeGreaterThan(10_000);
    const ofHidden = (await get('station/4/neighbours.json')).neighbours;
    expect(ofHidden.map(({ id }: Body) => id)).toEqual([2, 1, 6, 3, 5]);
  });

  it('a closed hour of a station has its readings, and an open one has none', async () => {
    const hour = await get('station/1/readings/2026-11-20T08:30Z.json');
    for (const same of [
      '2026-11-20T08Z',
      hour.timestamp,
      encodeURIComponent(hour.timestamp),
      '2026-11-20T04:59:59-04:00',
    ])
      expect(await get(`station/1/readings/${same}.json`), same).toEqual(hour);
    expect(hour).toMatchObject({
      ...{ timestamp: '2026-11-20T12:00:00+04:00', kept: true, complete: true },
      sensors: [{ id: 11, formula: null, mean: hour.station }],
    });
    const { readings } = hour.sensors[0];
    expect(readings).toMatchObject([
      { time: '2026-11-20T12:00:00+04:00', 'pm2.5_raw': 20, no2: 14.25, usvh: 0.123, uv: null },
      { time: '2026-11-20T12:30:00+04:00' },
    ]);
    const open = await get('station/1/readings/2026-11-20T09Z.json');
    expect(open).toMatchObject({ hour: null, sensors: [], station: null });
    const before = await get('station/1/readings/2010-01-01T00Z.json');
    expect(before).toMatchObject({ sensors: [{ id: 11, readings: [], mean: null }] });
  });

  it.each([
    ['station/1', 'station', 'station-1'],
    ['region/alpha', 'region', 'alpha'],
  ] as const)(
    'a CSV of hours of %s has the values of its history, a name to be saved under, and a link to the description of its columns',
    async (subject, kind, file) => {
      const path = `${subject}/hours/2026-11-18/2026-11-20.csv`;
      const { headers, text } = await send(path);
      const link = '<2026-11-20.csv-metadata.json>; rel="describedby"; type="application/json"';
      expect(headers).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${file}_hours_2026-11-18_2026-11-20.csv"`,
        'cache-control': 'max-age=60, stale-while-revalidate=240, stale-if-error=600',
        link,
      });
      const [header = '', ...lines] = text.trimEnd().split('\n');
      expect([header, lines.length]).toEqual([CSV_HEADERS[kind], 24 + 24 + 13]);
      const points = (await historyOf(subject))['7d'].slice(-61);
      const id = subject.split('/')[1];
      expect(lines).toEqual(points.map((point: Body) => [id, ...Object.values(point)].join(',')));
      const head = await request(served.app).head(`${BASE}/${path}`);
      const again = await send(path).set('If-None-Match', String(headers.etag));
      expect([head, again].map((one) => [one.status, one.headers.link])).toEqual([
        [200, link],
        [304, link],
      ]);

      const described = await get(`${path}-metadata.json`);
      expect(described).toMatchObject({
        '@context': 'http://www.w3.org/ns/csvw',
        url: '2026-11-20.csv',
        'schema:scheduleTimezone': 'Asia/Yerevan',
      });
      const { columns } = described.tableSchema;
      expect(columns.map(({ titles }: Body) => titles).join()).toBe(header);
      expect(columns[2]).toEqual({
        ...{ name: 'temperature', titles: 'temperature', datatype: 'number' },
        'dc:description': 'air temperature, mean of the bucket',
        'schema:unitText': '°C',
        'http://qudt.org/schema/qudt/ucumCode': 'Cel',
      });
      const units = columns.map((one: Body) => [one.titles, one.datatype, one['schema:unitText']]);
      expect(units).toContainEqual(['no2', 'number', 'ppb']);
      expect(units).toContainEqual(['timestamp', 'dateTime', null]);
      expect(units.at(-1)).toEqual(['aqi', 'integer', 'US EPA AQI']);
    },
  );

  it('the header of a CSV is as users know it, and stands alone where there are no hours', async () => {
    const gases = 'no2,usvh,dust,so2,o3,wind_direction,wind_speed,rain';
    expect(CSV_HEADERS).toEqual({
      station: `station_id,timestamp,temperature,humidity,pressure,pm2.5,pm10,pm2.5_raw,${gases},aqi`,
      region: `city_slug,timestamp,temperature,humidity,pressure,pm2.5,pm10,${gases},station_count,aqi`,
    });
    const { text } = await send('station/5/hours/2026-11-18/2026-11-20.csv');
    expect(text).toBe(`${CSV_HEADERS.station}\n`);
  });

  it.each([
    ['en', ',', '.', 'Pressure (hPa)'],
    ['ru', ';', ',', 'Давление (гПа)'],
    ['hy', ';', ',', 'Ճնշում (հՊա)'],
  ])(
    'the same hours for Excel have the form of the language: %s',
    async (locale, separator, point, pressure) => {
      const { headers, text } = await send('region/alpha/excel/2026-11-18/2026-11-20.csv', locale);
      expect(headers['content-disposition']).toContain('alpha_excel_2026-11-18_2026-11-20.csv');
      expect(headers).not.toHaveProperty('link');
      const [heads = '', ...lines] = text.trimEnd().split('\r\n');
      expect(heads).toMatch(/^\uFEFF"[^"]+ \(UTC\)"/);
      expect(heads).toContain(`${separator}"${pressure}"${separator}`);
      const csv = (await send('region/alpha/hours/2026-11-18/2026-11-20.csv')).text;
      const expected = csv.trimEnd().split('\n').slice(1);
      expect(lines).toEqual(
        expected.map((line) => {
          const [, time = '', temperature, humidity, pascals, ...rest] = line.split(',');
          const hpa = pascals && (Number(pascals) / 100).toFixed(1);
          const start = time.slice(0, 16).replace('T', ' ');
          const cells = [start, temperature, humidity, hpa, ...rest];
          return cells.join(separator).replaceAll('.', point);
        }),
      );
      expect(heads.split(separator)).toHaveLength((lines[0] as string).split(separator).length);
    },
  );

  it.each([
    ['station/01/now.json', /"01" cannot be a station id/],
    ['station/1/gaps/2030.json', /year 2030 has not begun.*ask for 2026 or earlier/],
    // the cache has the document by now
    ['station/1/months.json?since=2026-01-01', /without a query, found "since": leave it out/],
    ['station/1/hours/2026-11-20/2026-11-20.csv?a=1', /found "a"/],
    ['map/pollen.json', /"pollen" cannot be a parameter, one of temperature, .*pm2\.5/],
    ['map/pm25.json', /no parameter "pm25"\. Did you mean pm2\.5\?/],
    ['station/1/days/1899.json', /"1899" cannot be a year from 1900 to 2100/],
    ['station/1/days/2101.json', /cannot be a year/],
    ['station/1/days/02026.json', /cannot be a year/],
    [
      'station/1/hours/2026-02-30/2026-03-01.csv',
      /"2026-02-30" cannot be a local date.*2026-11-22/,
    ],
    ['station/1/hours/2026-2-3/2026-03-01.csv', /cannot be a local date/],
    ['station/1/hours/1899-12-31/2026-11-20.csv', /cannot be a local date/],
    ['station/1/hours/2026-11-20/2026-11-31.csv', /"2026-11-31" cannot be a local date.*last one/],
    ['station/1/hours/2026-11-20/2026-11-19.csv', /no period of 1 to 400 days/],
    ['station/1/hours/2025-01-01/2026-02-05.csv', /no period of 1 to 400 days/],
    ['station/1/readings/2026-11-20T24Z.json', /a time in the hour .*T13:00:00\+04:00.*T09Z/],
    ['station/1/readings/2026-11-20T13:00:00+15:00.json', /cannot be a time in the hour/],
    ['station/1/readings/2026-02-30T09Z.json', /cannot be a time in the hour/],
    ['station/1/readings/2026-11-20T09.json', /cannot be a time in the hour/],
    ['region/alpha/readings/2026-11-20T09Z.json', /nothing at .*station\/\{id\}\/readings/],
    ['region/alpha/limit.json', /mean \/en\/explore\/v1\/region\/alpha\/limits\.json\?/],
    ['stations.json', /mean \/en\/air-quality-app\/v1\/stations\.json\?/],
    [
      'months.json',
      /mean \/en\/explore\/v1\/station\/\{id\}\/months\.json or \/en\/.*\{slug\}\/months\.json\?/,
    ],
  ])('a request for %s is 404, and its detail tells why', async (path, detail) => {
    if (path.includes('?')) await send(path.split('?', 1)[0] as string);
    const res = await send(path);
    expect([res.status, res.body.title]).toEqual([404, 'Not Found']);
    expect(res.body.detail).toMatch(detail);
  });

  const OF_PLACES = Object.values(EXPLORE)
    .map(({ path }): string => path)
    .filter((path) => /\{(id|slug)\}/.test(path) && !path.endsWith('.atom'));

  it.each(OF_PLACES)('an unknown station or region has no %s', async (path) => {
    const values: Record<string, string> = {
      ...{ locale: 'en', id: '999', slug: 'nowhere', year: '2026', hour: '2026-11-20T08Z' },
      ...{ from: '2026-11-19', to: '2026-11-20' },
    };
    const url = path.replace(/\{(\w+)\}/g, (_, key: string) => values[key] as string);
    const { status, body } = await request(served.app).get(url);
    expect(status, url).toBe(404);
    expect(body.detail).toMatch(/no station 999\b.*stations\[\]\.id|no region "nowhere".*regions/);
  });

  it('a file of hours may have 400 days', async () => {
    expect((await send('station/1/hours/2025-01-01/2026-02-04.csv')).status).toBe(200);
  });

  it.each(['station/1', 'region/alpha'])(
    'NowCast and trend of %s are of the last twelve hours (X2)',
    async (subject) => {
      const { '24h': points } = await historyOf(subject);
      const newestFirst = points
        .slice(-12)
        .map((one: Body) => one.avg_pm25)
        .toReversed();
      const now = await get(`${subject}/now.json`);
      expect(now.trend).toBe(trend(newestFirst));
      // which is computed from hours before they are rounded
      expect(now.nowcast['pm2.5']).toBeCloseTo(nowcast(newestFirst, 1) as number, 0);
    },
  );

  it('an hour begins by the local clock (Z3)', async () => {
    const zone = 'Asia/Kolkata';
    const here = await install(engine, citiesOfOneStation(['town'], { timeZone: zone }), zone);
    const hourAt = async (instant: string) => {
      const path = `${BASE}/station/1/readings/${instant}.json`;
      return (await here.get(path, new Date('2026-06-02T00:00Z'))).timestamp;
    };
    expect(await hourAt('2026-06-01T04:15Z')).toBe('2026-06-01T09:00:00+05:30');
    expect(await hourAt('2026-06-01T03:30Z')).toBe('2026-06-01T09:00:00+05:30');
    expect(await hourAt('2026-06-01T03:29Z')).toBe('2026-06-01T08:00:00+05:30');
    await here.close();
  });

  describe('of one hour', () => {
    const eight = '2026-11-20T08:00:00Z';
    const closed = new Date('2026-11-20T09:00:00Z');
    let here: Installation;
    beforeAll(async () => {
      const network = citiesOfOneStation(['town', 'other', 'third', 'old', 'full']);
      const own: object[] = [
        { regions: [{ slug: 'town', since: eight }] },
        { regions: [{ slug: 'town', until: eight }] },
        { regions: ['town'] },
        {},
        {
          sensors: [
            { id: 5, correction: 'epa-2021' },
            { id: 6, stations: [{ id: 5, until: closed.toISOString() }] },
            { id: 7, stations: [{ id: 5, since: '2026-11-20T08:30:00Z' }] },
          ],
        },
      ];
      const stations = network.stations.map((one, n) => ({ ...one, ...own[n] }));
      const regions = network.regions.filter(({ slug }) => !['other', 'third'].includes(slug));
      here = await install(engine, { ...network, regions, stations });
      await here.accept([
        ...[3, 2, 1].map((id) => reading(id, '2026-11-20T08:10:00Z', { pm25: 10 * id })),
        reading(4, '2026-03-02T09:10:00Z', { pm25: 10 }),
      ]);
      await here.database.as()`
        insert into raw.readings (measured_at, sensor_id, pm25)
        select ${eight}::timestamptz + n * interval '1 second', id, 10
        from generate_series(5, 7) id, generate_series(0, 2999) n`;
      await here.refresh(closed);
      return () => here.close();
    });

    it('an hour of a region has the stations that belonged to it when it began, as soon as it closes', async () => {
      const path = `${BASE}/region/town/stations/2026-11-20T08Z.json`;
      const { stations, region, complete } = await here.get(path, closed);
      const ids = stations.map(({ id }: Body) => id);
      expect([ids, region['pm2.5'], complete]).toEqual([[1, 3], 20, true]);
      expect(
        await here.published`select complete from api.region_stations_json(${closed}, 'town', ${eight}, 1)`,
      ).toEqual([{ complete: false }]);
    });

    it('an hour shows at most 5,000 readings, and only sensors that stood there for the whole hour (P2)', async () => {
      const path = `${BASE}/station/5/readings/2026-11-20T08Z.json`;
      const { sensors, complete } = await here.get(path, closed);
      expect(complete).toBe(false);
      expect(sensors.map((one: Body) => [one.id, one.formula])).toEqual([
        [5, 'epa-2021'],
        [6, null],
      ]);
      expect(sensors.flatMap((one: Body) => one.readings)).toHaveLength(5_000);
    });

    it('an hour whose readings are no longer kept says so, and keeps its means', async () => {
      const owner = here.database.as();
      await owner`update raw.installation set ingest_cutoff = '2026-06-01Z', retained_from = '2026-06-01Z'`;
      await owner`delete from raw.readings`;
      const at = (hour: string) => here.get(`${BASE}/station/4/readings/${hour}.json`, closed);
      expect(await at('2026-03-02T09Z')).toMatchObject({
        kept: false,
        sensors: [{ readings: [], mean: { 'pm2.5': 10 } }],
      });
      expect(await at('2026-06-01T00Z')).toMatchObject({ kept: true });
    });
  });
});

onEveryEngineInAll('the map of a parameter', (engine) => {
  const FIRST = Date.parse('2026-11-19T09:00:00Z');
  let served: Served;
  beforeAll(async () => {
    served = await serve(engine);
    return () => served.close();
  });

  const get = (path: string) => bodyOf(served, path);
  const mapOf = (parameter: string) => get(`${BASE}/map/${parameter}.json`);
  const stationIn = (map: Body, id: number) => map.stations.find((one: Body) => one.id === id);

  it.each([
    ['temperature', '°C'],
    ['pm25', 'µg/m³'],
    ['no2', 'ppb'],
  ])('every value is published in the history of its place too: %s', async (name, unit) => {
    const map = await mapOf(keyOf(name));
    expect([map.parameter, map.unit, map.hours[0]]).toEqual([
      keyOf(name),
      unit,
      '2026-11-19T13:00:00+04:00',
    ]);
    const starts = map.hours.map((hour: string) => Date.parse(hour));
    expect(starts).toEqual(Array.from({ length: 24 }, (_, n) => FIRST + n * HOUR));
    const { stations, regions } = await get('/en/air-quality-app/v1/stations.json');
    for (const place of [...stations, ...regions]) {
      const [room, subject] =
        place.id === undefined
          ? [map.regions, `region/${place.slug}`]
          : [map.stations, `station/${place.id}`];
      const found = room.find((one: Body) => one.id === place.id && one.slug === place.slug);
      const history = await get(`/en/air-quality-app/v1/${subject}-history.json`);
      const means = new Map(
        history['24h'].map((hour: Body) => [Date.parse(hour.timestamp), hour[`avg_${name}`]]),
      );
      const values = starts.map((at: number) => means.get(at) ?? null);
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
    const { european_index: index } = await get(`${BASE}/station/1/now.json`);
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
    const values = { locale: 'en', parameter: 'pm2.5', id: 0, slug: '', year: 0 } as const;
    const until = async () =>
      (await explore.parameterMap({ ...values, from: '', to: '', hour: '' })).validUntil;
    expect(await until()).toEqual(new Date('2026-11-20T10:00:00Z'));
    const sql = served.database.as();
    await sql`insert into raw.hidden_period values (2, '2026-11-20 09:40Z', 'infinity')`;
    expect(await until()).toEqual(new Date('2026-11-20T09:40:00Z'));
  });

  it('the hours behind the index of a month are those of the pollutant that decides it (X1)', async () => {
    const here = await install(engine, citiesOfOneStation(['town']));
    const decisive = ['pm10', 'o3', 'no2', 'so2'];
    await here.accept(
      decisive.flatMap((name, n) =>
        Array.from({ length: 9 }, (_, hour) =>
          reading(1, `2026-0${5 + n}-10T0${hour}:30:00Z`, {
            ...{ pm25: 1, ...(hour <= n && { [name]: 400 }) },
          }),
        ),
      ),
    );
    await here.refresh(NOW);
    const { months } = await here.get(`${BASE}/station/1/months.json`, NOW);
    expect(months.map((month: Body) => [month.pollutant, month.pollutant_hours])).toEqual(
      decisive.map((name, n) => [name, n + 1]),
    );
    await here.close();
  });

  it('a band is of the mean before it is rounded to publish it, and missing hours have none (X1)', async () => {
    const here = await install(engine, citiesOfOneStation(['town']));
    // 5.49 is published as 5.5, which would round up into the next band
    await here.accept([reading(1, '2026-11-20T08:30:00Z', { pm25: 5.49, no2: 5.49 })]);
    await here.refresh(NOW);
    const map = await here.get(`${BASE}/map/pm2.5.json`, NOW);
    const nulls = Array(23).fill(null);
    const hours = { values: [...nulls, 5.5], bands: [...nulls, 'good'] };
    expect(map.stations).toEqual([{ id: 1, ...hours, suspect: [], left_out: [] }]);
    expect(map.regions).toEqual([{ slug: 'town', ...hours }]);
    const gas = await here.get(`${BASE}/map/no2.json`, NOW);
    // 10.5 µg/m³, though 5.5 ppb would be in the lowest band
    expect(gas.stations).toMatchObject([{ values: [...nulls, 5.5], bands: [...nulls, 'good'] }]);
    await here.close();
  });

  it('the hours of 300 stations take less than 30 KB', needs('all'), async () => {
    const slugs = Array.from(
      { length: 300 },
      (_, n) => `t-${'abcdefghij'[n % 10]}${'x'.repeat(n / 10)}`,
    );
    const large = await install(engine, citiesOfOneStation(slugs));
    await large.database.as()`
      insert into raw.readings (measured_at, sensor_id, pm25)
      select ${new Date(FIRST)}::timestamptz + n * interval '1 hour', id, 5 + (id * 7919 + n * 104729) % 600 / 10.0
      from generate_series(1, 300) id, generate_series(0, 23) n`;
    await large.refresh(NOW);
    const map = await large.get(`${BASE}/map/pm2.5.json`, NOW);
    await large.close();
    expect(map.stations).toHaveLength(300);
    expect(gzipSync(JSON.stringify({ ...map, regions: [] })).length).toBeLessThan(30_000);
  });
});

onOneEngine('a database that begins in 1990 (EPOCH)', (engine) => {
  it(
    'a database that begins in 1990 takes Unix times of then, and shows their days and readings',
    whereComplete,
    async () => {
      const { target, drop } = await emptyDatabase(engine);
      const now = new Date('1990-11-20T12:00:00Z');
      const log = makeLog('silent');
      await migrate(target, { epoch: '1990-01-01', now, log });
      const owner = connect(target, { role: 'airseries_owner', max: 2 });
      await importNetwork(owner, JSON.stringify(citiesOfOneStation(['town'])), { log });
      const seconds = Date.parse('1990-10-05T08:30:00Z') / 1_000;
      const path = join(temporaryFolder('epoch'), 'unix.csv');
      writeFileSync(
        path,
        `sensor_id,time,pm25\n1,${seconds},7\n1,${seconds}000,7\n1,631000000,7\n`,
      );
      const options = { formats: READING_FORMATS, now, log, terminal: false };
      const summary = await importReadings(owner, [path], options);
      expect(summary).toMatchObject({
        accepted: 1,
        unchanged: 1,
        quarantined: { before_epoch: 1 },
      });
      await refresh(target, () => now);
      const db = openReaderPool(target, { timeZone: 'Asia/Yerevan', max: 2 });
      const app = makeApp({ db, clock: () => now, siteBaseUrl: '', log });
      const get = async (subject: string) =>
        (await request(app).get(`${BASE}/station/1/${subject}`)).body;
      const day = { timestamp: '1990-10-05T00:00:00+04:00', avg_pm25: 7 };
      expect((await get('days/1990.json')).days).toMatchObject([day]);
      expect((await get('days/1989.json')).days).toEqual([]);
      expect((await get('readings/1990-10-05T08Z.json')).sensors[0].readings).toHaveLength(1);
      await Promise.all([db.destroy(), owner.end()]);
      await drop();
    },
  );
});
