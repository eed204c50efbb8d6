/**
 * The documents of `explore/v1`: their content, and the requests that they refuse. Every answer is
 * compared with the OpenAPI document too.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refresh } from '../../src/aggregate/refresh.ts';
import { makeLog } from '../../src/base/log.ts';
import { CSV_HEADERS } from '../../src/contract/csv.ts';
import { connect } from '../../src/database/client.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { makeApp } from '../../src/serve/app.ts';
import { BANDS, bandOf, nowcast, trend, UPPER_ENDS } from '../schema/indices.ts';
import { emptyDatabase, onOneEngine } from '../support/database.ts';
import { READING_FORMATS } from '../support/formats.ts';
import {
  type Body,
  citiesOfOneStation,
  install,
  reading,
  type Values,
} from '../support/installation.ts';
import { seeded } from '../support/random.ts';
import { request } from '../support/request.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { PATHS, type Served, serve } from './serve.ts';

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

onOneEngine('the documents of the front page', (engine) => {
  describe.each(PATHS)('(answers are %s)', (path) => {
    let served: Served;
    beforeAll(async () => {
      served = await serve(engine, { path });
    });
    afterAll(() => served.close());

    const send = (path: string) =>
      request(served.app).get(`${BASE}/${path}`).set('Accept-Encoding', 'identity');

    async function get(path: string): Promise<Body> {
      const res = await send(path);
      expect(res.status, path).toBe(200);
      return res.body;
    }

    it('every document of every station and region, hidden or empty, matches the contract', async () => {
      const subjects = [
        ...[1, 2, 3, 4, 5, 6].map((id) => `station/${id}`),
        ...['alpha', 'beta', 'zeta', 'alpha-north', 'beta-old'].map((slug) => `region/${slug}`),
      ];
      for (const subject of subjects) {
        for (const name of ['now', 'days/2026', 'days/2000', 'days/2100', 'months', 'completeness'])
          await get(`${subject}/${name}.json`);
        await get(
          `${subject}/${subject.startsWith('station') ? 'readings' : 'stations'}/2026-11-20T08Z.json`,
        );
        if (subject.startsWith('station')) await get(`${subject}/flags.json`);
        if (subject.startsWith('station')) await get(`${subject}/neighbours.json`);
        if (subject.startsWith('station')) await get(`${subject}/gaps/2026.json`);
        expect((await send(`${subject}/hours/2026-11-19/2026-11-20.csv`)).status).toBe(200);
        await get(`${subject}/limits.json`);
        await get(`${subject}/limits/2026.json`);
      }
    });

    it('the documents have the same headers as the five endpoints, and give 304', async () => {
      const first = await send('station/1/days/2026.json');
      expect(first.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'cache-control': 'max-age=60, stale-while-revalidate=240, stale-if-error=600',
        'content-language': 'en',
      });
      const second = await send('station/1/days/2026.json').set(
        'If-None-Match',
        String(first.headers.etag),
      );
      expect(second.status).toBe(304);
    });

    it('now.json has the trend, NowCast, European index and completeness of a station', async () => {
      expect(await get('station/1/now.json')).toEqual({
        trend: expect.stringMatching(/^(rising|falling|steady)$/),
        nowcast: { 'pm2.5': expect.any(Number), pm10: 30, aqi: expect.any(Number), hours: 12 },
        european_index: {
          index: 'moderate', // by NO2: 14.25 ppb are 27.3 µg/m³
          timestamp: '2026-11-20T12:00:00+04:00',
          pollutants: {
            'pm2.5': expect.any(String),
            pm10: 'fair',
            o3: 'good',
            no2: 'moderate',
            so2: 'good',
          },
          values: expect.objectContaining({ pm10: 30, no2: 14.3 }),
          concentrations: expect.objectContaining({ pm10: 30, no2: 27 }),
          hours: expect.any(Array),
        },
        completeness: { measured_hours: 24, expected_hours: 24 },
      });
      expect(await get('station/2/now.json')).toMatchObject({
        trend: 'steady',
        nowcast: { 'pm2.5': 20, pm10: null, aqi: 71, hours: 12 },
        european_index: { index: 'moderate', pollutants: { pm10: null, no2: null } },
      });
      expect(await get('station/3/now.json')).toEqual({
        trend: null,
        nowcast: { 'pm2.5': null, pm10: null, aqi: null, hours: 0 },
        european_index: {
          index: null,
          timestamp: null,
          pollutants: NOTHING,
          values: NOTHING,
          concentrations: NOTHING,
          hours: [],
        },
        completeness: { measured_hours: 0, expected_hours: 24 },
      });
      expect((await get('station/5/now.json')).completeness).toEqual({
        measured_hours: 0,
        expected_hours: 0,
      });
      expect(Object.keys(await get('region/alpha/now.json'))).toEqual([
        'trend',
        'nowcast',
        'european_index',
        'particles',
      ]);
    });

    it('the days of a year are the completed days, with the values of the history', async () => {
      for (const subject of ['station/1', 'region/alpha']) {
        const history = (
          await request(served.app).get(`/en/air-quality-app/v1/${subject}-history.json`)
        ).body;
        const { hours } = (await get(`${subject}/now.json`)).european_index;
        expect(hours.map(({ timestamp }: Body) => timestamp)).toEqual(
          history['24h'].map(({ timestamp }: Body) => timestamp),
        );
        const { year, days } = await get(`${subject}/days/2026.json`);
        expect(year).toBe(2026);
        expect(
          days.slice(-30).map(({ hours: _, expected_hours: __, ...day }: Body) => day),
        ).toEqual(history['30d'].map((day: Body) => ({ ...day, ...european(day) })));
        expect(days.at(-1)).toMatchObject({
          hours: { 'pm2.5': 24, wind_sin: 24, uv: 0 },
          expected_hours: 24,
        });
        expect(days).toHaveLength(323);
        expect(days[0].timestamp).toBe('2026-01-01T00:00:00+04:00');
        expect((await get(`${subject}/days/2025.json`)).days.at(-1).timestamp).toBe(
          '2025-12-31T00:00:00+04:00',
        );
        expect((await get(`${subject}/days/2027.json`)).days).toEqual([]);
      }
    });

    it('months.json has the months of the history and earlier ones, with their completeness', async () => {
      for (const subject of ['station/1', 'region/alpha']) {
        const history = (
          await request(served.app).get(`/en/air-quality-app/v1/${subject}-history.json`)
        ).body;
        const complete = await get(`${subject}/completeness.json`);
        const { months } = await get(`${subject}/months.json`);
        expect(months).toEqual(
          history['2y'].map((month: Body) => {
            const { timestamp, avg_pm25, aqi } = month;
            const { hours, expected_hours } = complete.months.find(
              (one: Body) => one.timestamp === timestamp,
            );
            return {
              timestamp,
              avg_pm25,
              aqi,
              measured_hours: hours['pm2.5'],
              ...european(month),
              pollutant_hours: hours[european(month).pollutant ?? ''],
              expected_hours,
            };
          }),
        );
        expect(months).toHaveLength(14);
      }
      expect((await get('station/6/months.json')).months).toEqual([
        {
          timestamp: '2024-01-01T00:00:00+04:00',
          avg_pm25: 10,
          aqi: 53,
          measured_hours: 1,
          european_index: 'fair',
          pollutant: 'pm2.5',
          pollutant_hours: 1,
          expected_hours: 740,
        },
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
      expect(hour.stations[0].mean).toEqual(
        (await get('station/1/readings/2026-11-20T08Z.json')).station,
      );
      expect(hour.region.temperature).toBe(hour.stations[0].mean.temperature);
      expect(hour.region['pm2.5']).toBe((hour.stations[0].mean['pm2.5'] + 20) / 2);
      const open = await get('region/alpha/stations/2026-11-20T09Z.json');
      expect([open.hour, open.region, open.stations]).toEqual([null, null, []]);
    });

    it('the flags of a station tell since when and by which test', async () => {
      const { flags, pairs } = await get('station/2/flags.json');
      expect(flags).toEqual([
        {
          kind: 'thp',
          test: 'operator',
          sensor_id: null,
          since: '2026-11-01T00:00:00+04:00',
          until: null,
          is_left_out: true,
          'pm2.5': null,
          median: null,
          compared_with: [],
        },
      ]);
      expect(pairs).toEqual([]);
    });

    it('the neighbours of a station are the listed stations, the nearest first', async () => {
      const { neighbours } = await get('station/1/neighbours.json');
      expect(neighbours.map(({ id }: Body) => id)).toEqual([2, 6, 3, 5]);
      // a hundredth of a degree of latitude is 1.11 km, of longitude 0.85 km
      expect(neighbours[0].distance_km).toBeCloseTo(Math.hypot(1.112, 0.845), 2);
      expect(neighbours[3].distance_km).toBeGreaterThan(10_000);
      expect(await get('station/4/neighbours.json')).toMatchObject({
        neighbours: [{ id: 2 }, { id: 1 }, { id: 6 }, { id: 3 }, { id: 5 }],
      });
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
        timestamp: '2026-11-20T12:00:00+04:00',
        kept: true,
        complete: true,
      });
      expect(hour.sensors).toHaveLength(1);
      expect(hour.sensors[0]).toMatchObject({ id: 11, formula: null, mean: hour.station });
      expect(hour.sensors[0].readings.map(({ time }: Body) => time)).toEqual([
        '2026-11-20T12:00:00+04:00',
        '2026-11-20T12:30:00+04:00',
      ]);
      expect(hour.sensors[0].readings[0]).toMatchObject({
        'pm2.5_raw': 20,
        no2: 14.25,
        usvh: 0.123,
        uv: null,
      });
      expect(await get('station/1/readings/2026-11-20T09Z.json')).toMatchObject({
        hour: null,
        sensors: [],
        station: null,
      });
      expect(await get('station/1/readings/2010-01-01T00Z.json')).toMatchObject({
        sensors: [{ id: 11, readings: [], mean: null }],
        complete: true,
      });
    });

    it('a CSV of hours has the values of the history, and a name to be saved under', async () => {
      for (const [subject, kind, file] of [
        ['station/1', 'station', 'station-1'],
        ['region/alpha', 'region', 'alpha'],
      ] as const) {
        const res = await send(`${subject}/hours/2026-11-18/2026-11-20.csv`);
        expect(res.headers).toMatchObject({
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${file}_hours_2026-11-18_2026-11-20.csv"`,
          'access-control-expose-headers': expect.stringContaining('Content-Disposition'),
        });
        const [header = '', ...lines] = res.text.trimEnd().split('\n');
        expect(header).toBe(CSV_HEADERS[kind]);
        expect(lines).toHaveLength(24 + 24 + 13);
        const history = (
          await request(served.app).get(`/en/air-quality-app/v1/${subject}-history.json`)
        ).body;
        const id = subject.split('/')[1];
        expect(lines).toEqual(
          history['7d'].slice(-61).map((point: Body) => [id, ...Object.values(point)].join(',')),
        );
      }
      const gases = 'no2,usvh,dust,so2,o3,wind_direction,wind_speed,rain';
      expect(CSV_HEADERS).toEqual({
        station: `station_id,timestamp,temperature,humidity,pressure,pm2.5,pm10,pm2.5_raw,${gases},aqi`,
        region: `city_slug,timestamp,temperature,humidity,pressure,pm2.5,pm10,${gases},station_count,aqi`,
      });
      expect((await send('station/5/hours/2026-11-18/2026-11-20.csv')).text).toBe(
        `${CSV_HEADERS.station}\n`,
      );
    });

    it.each([
      ['en', ',', '.', 'Pressure (hPa)'],
      ['ru', ';', ',', 'Давление (гПа)'],
      ['hy', ';', ',', 'Ճնշում (հՊա)'],
    ])(
      'the same hours for Excel have the form of the language: %s',
      async (locale, separator, point, pressure) => {
        const path = `region/alpha/excel/2026-11-18/2026-11-20.csv`;
        const { headers, text } = await request(served.app).get(`/${locale}/explore/v1/${path}`);
        expect(headers['content-disposition']).toContain('alpha_excel_2026-11-18_2026-11-20.csv');
        expect(headers).not.toHaveProperty('link');
        const [heads = '', ...lines] = text.trimEnd().split('\r\n');
        expect(heads).toMatch(/^\uFEFF"[^"]+ \(UTC\)"/);
        expect(heads).toContain(`${separator}"${pressure}"${separator}`);
        const csv = (await send('region/alpha/hours/2026-11-18/2026-11-20.csv')).text;
        const expected = csv
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((line) => {
            const [, time = '', temperature, humidity, pascals, ...rest] = line.split(',');
            const hpa = pascals && (Number(pascals) / 100).toFixed(1);
            const cells = [
              time.slice(0, 16).replace('T', ' '),
              temperature,
              humidity,
              hpa,
              ...rest,
            ];
            return cells.join(separator).replaceAll('.', point);
          });
        expect(lines).toEqual(expected);
        expect(heads.split(separator)).toHaveLength((lines[0] as string).split(separator).length);
      },
    );

    it('a CSV of hours links to the description of its columns, with HEAD and 304 too', async () => {
      for (const [subject, kind] of [
        ['station/1', 'station'],
        ['region/alpha', 'region'],
      ] as const) {
        const path = `${subject}/hours/2026-11-18/2026-11-20.csv`;
        const { headers, text } = await send(path);
        const link = '<2026-11-20.csv-metadata.json>; rel="describedby"; type="application/json"';
        expect(headers.link).toBe(link);
        const head = await request(served.app).head(`${BASE}/${path}`);
        expect([head.status, head.headers.link]).toEqual([200, link]);
        const again = await send(path).set('If-None-Match', String(headers.etag));
        expect([again.status, again.headers.link]).toEqual([304, link]);
        const described = await get(`${path}-metadata.json`);
        expect(described).toMatchObject({
          '@context': 'http://www.w3.org/ns/csvw',
          url: '2026-11-20.csv',
          'dc:description': expect.stringContaining('its timestamp is the start of the hour'),
          'schema:scheduleTimezone': 'Asia/Yerevan',
        });
        const { columns } = described.tableSchema;
        expect(columns.map(({ titles }: Body) => titles).join()).toBe(text.split('\n')[0]);
        expect(columns.slice(1, 3)).toEqual([
          {
            name: 'timestamp',
            titles: 'timestamp',
            datatype: 'dateTime',
            'dc:description': 'start of the bucket',
            'schema:unitText': null,
            'http://qudt.org/schema/qudt/ucumCode': null,
          },
          {
            name: 'temperature',
            titles: 'temperature',
            datatype: 'number',
            'dc:description': 'air temperature, mean of the bucket',
            'schema:unitText': '°C',
            'http://qudt.org/schema/qudt/ucumCode': 'Cel',
          },
        ]);
        const units = columns.map((one: Body) => [
          one.titles,
          one.datatype,
          one['schema:unitText'],
        ]);
        expect(units).toContainEqual(['pm2.5', 'number', 'µg/m³']);
        expect(units).toContainEqual(['no2', 'number', 'ppb']);
        expect(units).toContainEqual(['wind_direction', 'number', 'degrees']);
        expect(units.at(-1)).toEqual(['aqi', 'integer', 'US EPA AQI']);
        expect(units[0]).toEqual(
          kind === 'station' ? ['station_id', 'integer', null] : ['city_slug', 'string', null],
        );
      }
    });

    it.each([
      ['station/999/now.json', /no station 999\b.*stations\[\]\.id/],
      ['station/2147483648/now.json', /no station 2147483648\b/],
      ['station/01/now.json', /"01" cannot be a station id/],
      ['station/999/days/2026.json', /no station 999\b/],
      ['station/999/months.json', /no station 999\b/],
      ['station/999/limits.json', /no station 999\b/],
      ['station/999/gaps/2026.json', /no station 999\b/],
      ['station/1/gaps/2101.json', /cannot be a year/],
      ['station/1/gaps/2030.json', /year 2030 has not begun.*ask for 2026 or earlier/],
      // the cache has the document by now
      ['station/1/months.json?since=2026-01-01', /without a query, found "since": leave it out/],
      ['changes.json?period', /without a query, found "period"/],
      ['station/1/hours/2026-11-20/2026-11-20.csv?a=1', /found "a"/],
      ['region/nowhere/months.json', /no region "nowhere"/],
      ['map/pollen.json', /"pollen" cannot be a parameter, one of temperature, .*pm2\.5/],
      ['map/pm25.json', /no parameter "pm25"\. Did you mean pm2\.5\?/],
      ['station/999/readings/2026-11-20T09Z.json', /no station 999\b/],
      ['station/999/hours/2026-11-20/2026-11-20.csv', /no station 999\b/],
      ['station/999/hours/2026-11-20/2026-11-20.csv-metadata.json', /no station 999\b/],
      ['region/nowhere/hours/2026-11-20/2026-11-20.csv-metadata.json', /no region "nowhere"/],
      ['station/1/hours/2026-11-20/2026-11-19.csv-metadata.json', /no period of 1 to 400 days/],
      ['region/nowhere/now.json', /no region "nowhere".*regions\[\]\.slug/],
      ['region/nowhere/days/2026.json', /no region "nowhere"/],
      ['region/nowhere/hours/2026-11-20/2026-11-20.csv', /no region "nowhere"/],
      ['region/Alpha/now.json', /"Alpha" cannot be a slug/],
      ['station/1/days/1899.json', /"1899" cannot be a year from 1900 to 2100/],
      ['station/1/days/2101.json', /cannot be a year/],
      ['station/1/days/02026.json', /cannot be a year/],
      ['station/1/days/2e3.json', /cannot be a year/],
      [
        'station/1/hours/2026-02-30/2026-03-01.csv',
        /"2026-02-30" cannot be a local date.*2026-11-22/,
      ],
      ['station/1/hours/2026-2-3/2026-03-01.csv', /cannot be a local date/],
      ['station/1/hours/%32026-11-20/2026-11-20.csv', /nothing at/],
      [
        'station/1/readings/2026-11-20T24Z.json',
        /cannot be a time in the hour .*T13:00:00\+04:00.*T09Z/,
      ],
      ['station/1/readings/2026-11-20T13:00:00+15:00.json', /cannot be a time in the hour/],
      ['station/1/readings/2026-02-30T09Z.json', /cannot be a time in the hour/],
      ['station/1/readings/2026-11-20T09.json', /cannot be a time in the hour/],
      ['region/nowhere/stations/2026-11-20T09Z.json', /no region "nowhere"/],
      ['region/alpha/stations/2026-11-20T24Z.json', /cannot be a time in the hour/],
      ['station/1/hours/1899-12-31/2026-11-20.csv', /cannot be a local date/],
      ['region/alpha/readings/2026-11-20T09Z.json', /nothing at .*station\/\{id\}\/readings/],
      ['station/1/hours/2026-11-20/2026-11-19.csv', /no period of 1 to 400 days/],
      ['station/1/hours/2025-01-01/2026-02-05.csv', /no period of 1 to 400 days/],
      [
        'station/1/hours/2026-11-20/2026-11-31.csv',
        /"2026-11-31" cannot be a local date.*the last one/,
      ],
      ['station/1/nothing.json', /nothing at .*explore\/v1/],
      ['region/alpha/limit.json', /mean \/en\/explore\/v1\/region\/alpha\/limits\.json\?/],
      ['stations.json', /mean \/en\/air-quality-app\/v1\/stations\.json\?/],
      [
        'region/alpha/hours/2026-11-01.csv',
        /mean \/en\/explore\/v1\/region\/alpha\/hours\/\{from\}\/\{to\}\.csv\?/,
      ],
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

    it('an unknown locale is 404, and a file of hours may have 400 days', async () => {
      const res = await request(served.app).get('/fr/explore/v1/station/1/now.json');
      expect([res.status, res.body.detail]).toEqual([404, expect.stringMatching(/no locale "fr"/)]);
      expect((await send('station/1/hours/2025-01-01/2026-02-04.csv')).status).toBe(200);
    });
  });

  it('NowCast and the European index are computed from the last hours (X1, X2), which begin by the local clock (Z3)', async () => {
    const here = await install(
      engine,
      citiesOfOneStation(['town'], { timeZone: 'Asia/Kolkata' }),
      'Asia/Kolkata',
    );
    const random = seeded(7);
    const since = Date.parse('2026-05-31T18:30:00Z');
    const times = Array.from({ length: 30 }, (_, n) => since + n * HOUR).filter(
      () => random.next() < 0.8,
    );
    const value = (most: number) => random.next() * most - 2;
    await here.accept(times.map((time) => reading(1, time, { pm25: value(80), pm10: value(200) })));
    await here.refresh(new Date(since + 31 * HOUR));
    const stored = await here.database.as()`select bucket, pm25, pm10 from rollup.station_hourly`;
    const means = new Map(stored.map((row) => [Date.parse(row.bucket), row]));
    for (const newest of times) {
      const last12 = Array.from({ length: 12 }, (_, age) => means.get(newest - age * HOUR));
      const cast = (key: string, digits: number) =>
        nowcast(
          last12.map((row) => row?.[key] ?? null),
          digits,
        );
      const [pm25, pm10] = [bandOf('pm25', last12[0]?.pm25), bandOf('pm10', last12[0]?.pm10)];
      for (const subject of ['station/1', 'region/town']) {
        const now = await here.get(`${BASE}/${subject}/now.json`, new Date(newest + 1.5 * HOUR));
        const hours = last12.filter((row) => row !== undefined).length;
        expect(now.nowcast).toMatchObject({
          'pm2.5': cast('pm25', 1),
          pm10: cast('pm10', 0),
          hours,
        });
        expect(now.trend).toBe(trend(last12.map((row) => row?.pm25 ?? null)));
        expect(now.european_index).toMatchObject({
          index: BANDS[Math.max(pm25, pm10)],
          pollutants: { 'pm2.5': BANDS[pm25], pm10: BANDS[pm10], o3: null },
          hours: expect.arrayContaining([
            expect.objectContaining({ timestamp: now.european_index.timestamp }),
          ]),
        });
      }
    }
    const hourAt = async (instant: string) =>
      (await here.get(`${BASE}/station/1/readings/${instant}.json`, new Date(since + 31 * HOUR)))
        .timestamp;
    expect(await hourAt('2026-06-01T04:15Z')).toBe('2026-06-01T09:00:00+05:30');
    expect(await hourAt('2026-06-01T03:30Z')).toBe('2026-06-01T09:00:00+05:30');
    expect(await hourAt('2026-06-01T03:29Z')).toBe('2026-06-01T08:00:00+05:30');
    await here.close();
  });

  it('days and months count their measured hours (A11)', async () => {
    const here = await install(engine, citiesOfOneStation(['town']));
    const day = (date: number, hours: number, values: Values) =>
      Array.from({ length: hours }, (_, n) =>
        reading(1, Date.parse(`2026-11-${date}T20:10:00Z`) + n * HOUR, values),
      );
    await here.accept([
      ...day(15, 24, { pm25: 25 }),
      ...day(16, 17, { pm25: 26, no2: 26.2 }),
      ...day(17, 1, { no2: 20 }),
    ]);
    const now = new Date('2026-11-20T12:00:00Z');
    await here.refresh(now);
    for (const subject of ['station/1', 'region/town']) {
      const { days, months } = await here.get(`${BASE}/${subject}/completeness.json`, now);
      const pm = days.map((one: Body) => [
        one.timestamp.slice(0, 10),
        one.hours['pm2.5'],
        one.hours.no2,
      ]);
      expect(pm).toEqual([
        ['2026-11-16', 24, 0],
        ['2026-11-17', 17, 17],
        ['2026-11-18', 0, 1],
        ['2026-11-19', 0, 0],
      ]);
      expect(days[1].expected_hours).toBe(24);
      expect(months).toMatchObject([
        {
          timestamp: '2026-11-01T00:00:00+04:00',
          hours: { 'pm2.5': 41, no2: 18 },
          expected_hours: 4 * 24 + 16,
        },
      ]);
    }
    await here.close();
  });

  it('an hour whose readings are no longer kept says so, and keeps its means', async () => {
    const here = await install(engine, citiesOfOneStation(['town']));
    await here.accept([reading(1, '2026-03-02T09:10:00Z', { pm25: 10 })]);
    await here.refresh(new Date('2026-11-20T09:20:00Z'));
    await here.database.as()`update raw.installation set ingest_cutoff = '2026-06-01Z', retained_from = '2026-06-01Z'`;
    await here.database.as()`delete from raw.readings`;
    const hour = await here.get(
      `${BASE}/station/1/readings/2026-03-02T09Z.json`,
      new Date('2026-11-20T09:20:00Z'),
    );
    expect(hour).toMatchObject({ kept: false, sensors: [{ readings: [], mean: { 'pm2.5': 10 } }] });
    const first = await here.get(
      `${BASE}/station/1/readings/2026-06-01T00Z.json`,
      new Date('2026-11-20T09:20:00Z'),
    );
    expect(first).toMatchObject({ kept: true });
    await here.close();
  });

  it('an hour of a region has the stations that belonged to it when it began, as soon as it closes', async () => {
    const network = citiesOfOneStation(['town', 'other', 'third']);
    const [joined, left, stayed] = network.stations;
    const here = await install(engine, {
      ...network,
      regions: network.regions.slice(0, 1),
      stations: [
        { ...joined, regions: [{ slug: 'town', since: '2026-11-20T08:00:00Z' }] },
        { ...left, regions: [{ slug: 'town', until: '2026-11-20T08:00:00Z' }] },
        { ...stayed, regions: ['town'] },
      ],
    });
    await here.accept(
      [3, 2, 1].map((id) => reading(id, '2026-11-20T08:10:00Z', { pm25: 10 * id })),
    );
    const closed = new Date('2026-11-20T09:00:00Z');
    await here.refresh(closed);
    const { stations, region, complete } = await here.get(
      `${BASE}/region/town/stations/2026-11-20T08Z.json`,
      closed,
    );
    expect([stations.map(({ id }: Body) => id), region['pm2.5'], complete]).toEqual([
      [1, 3],
      20,
      true,
    ]);
    const some =
      await here.database.as()`select stations, complete from api.region_stations_json(${closed}, 'town', ${closed}::timestamptz - interval '1 hour', 1)`;
    expect(some).toMatchObject([{ complete: false }]);
    await here.close();
  });

  it('an hour shows at most 5,000 readings, and only sensors that stood there for the whole hour (P2)', async () => {
    const [city] = citiesOfOneStation(['town']).stations;
    const leaving = { id: 2, stations: [{ id: 1, until: '2026-11-20T09:00:00Z' }] };
    const moving = { id: 3, stations: [{ id: 1, since: '2026-11-20T08:30:00Z' }] };
    const network = {
      ...citiesOfOneStation(['town']),
      stations: [{ ...city, sensors: [{ id: 1, correction: 'epa-2021' }, leaving, moving] }],
    };
    const here = await install(engine, network);
    const readings = [1, 2, 3].flatMap((id) =>
      Array.from({ length: 3_000 }, (_, n) =>
        reading(id, Date.parse('2026-11-20T08:00Z') + n * 1_000, { pm25: 10 }),
      ),
    );
    await here.accept(readings);
    await here.refresh(new Date('2026-11-20T09:20:00Z'));
    const { sensors, complete } = await here.get(
      `${BASE}/station/1/readings/2026-11-20T08Z.json`,
      new Date('2026-11-20T09:20:00Z'),
    );
    expect(complete).toBe(false);
    expect(sensors.map((one: Body) => [one.id, one.formula])).toEqual([
      [1, 'epa-2021'],
      [2, null],
    ]);
    expect(sensors.flatMap((one: Body) => one.readings)).toHaveLength(5_000);
    await here.close();
  });
});

onOneEngine('a database that begins in 1990 (EPOCH)', (engine) => {
  it('a database that begins in 1990 takes Unix times of then, and shows their days and readings', async () => {
    const { target, drop } = await emptyDatabase(engine);
    const now = new Date('1990-11-20T12:00:00Z');
    await migrate(target, { epoch: '1990-01-01', now, log: makeLog('silent') });
    const owner = connect(target, { role: 'airseries_owner', max: 2 });
    await importNetwork(owner, JSON.stringify(citiesOfOneStation(['town'])), {
      log: makeLog('silent'),
    });
    const seconds = Date.parse('1990-10-05T08:30:00Z') / 1_000;
    const path = join(temporaryFolder('epoch'), 'unix.csv');
    writeFileSync(path, `sensor_id,time,pm25\n1,${seconds},7\n1,${seconds}000,7\n1,631000000,7\n`);
    const summary = await importReadings(owner, [path], {
      formats: READING_FORMATS,
      now,
      log: makeLog('silent'),
      terminal: false,
    });
    expect(summary).toMatchObject({ accepted: 1, unchanged: 1, quarantined: { before_epoch: 1 } });
    await refresh(target, () => now);
    const db = openReaderPool(target, { timeZone: 'Asia/Yerevan', max: 2 });
    const app = makeApp({ db, clock: () => now, siteBaseUrl: '', log: makeLog('silent') });
    const get = async (subject: string) =>
      (await request(app).get(`${BASE}/station/1/${subject}`)).body;
    const day = { timestamp: '1990-10-05T00:00:00+04:00', avg_pm25: 7 };
    expect((await get('days/1990.json')).days).toMatchObject([day]);
    expect((await get('days/1989.json')).days).toEqual([]);
    expect((await get('readings/1990-10-05T08Z.json')).sensors[0].readings).toHaveLength(1);
    await Promise.all([db.destroy(), owner.end()]);
    await drop();
  });
});
