/**
 * The documents of the front page: what is in them, that a day and an hour can be computed from what they are made of, and what they refuse.
 * Every answer is compared with the OpenAPI document too.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeApp } from '../../src/api/app.ts';
import { LOCALES } from '../../src/contract/endpoints.ts';
import { CSV_HEADERS } from '../../src/contract/explore.ts';
import { RULES } from '../../src/contract/rules.ts';
import { connect } from '../../src/database/client.ts';
import { type Api, openReaderPool } from '../../src/database/pools.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { makeLog } from '../../src/log.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { refresh } from '../../src/rollups/refresh.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { emptyDatabase, onEveryEngine } from '../support/database.ts';
import { decimal, roundedHalfUp } from '../support/decimals.ts';
import { BANDS, bandOf, nowcast } from '../support/indices.ts';
import { type Body, citiesOfOneStation, type Installation, install, reading } from '../support/installation.ts';
import { instantOf } from '../support/localTime.ts';
import { seeded } from '../support/random.ts';
import { request } from '../support/request.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { PATHS, type Served, serve } from './serve.ts';

const BASE = '/en/explore/v1';
const HOUR = 3_600_000;

onEveryEngine('the documents of the front page', (engine) => {
  describe.each(PATHS)('(answers are %s)', (path) => {
    let served: Served;
    beforeAll(async () => {
      served = await serve(engine, { path });
    });
    afterAll(() => served.close());

    const send = (path: string) => request(served.app).get(`${BASE}/${path}`).set('Accept-Encoding', 'identity');

    async function get(path: string): Promise<Body> {
      const res = await send(path);
      expect(res.status, path).toBe(200);
      return res.body;
    }

    it('are what the contract says, of every station and region, hidden or empty', async () => {
      const subjects = [
        ...[1, 2, 3, 4, 5, 6].map((id) => `station/${id}`),
        ...['alpha', 'beta', 'zeta', 'alpha-north', 'beta-old'].map((slug) => `region/${slug}`),
      ];
      for (const subject of subjects) {
        const names = [
          'now',
          'days/2026',
          'days/2000',
          'days/2100',
          'months/2026-10',
          'months/2026-11',
          'months/2100-12',
        ];
        for (const name of [...names, 'hours/2026-11-19', 'hours/2026-11-20']) await get(`${subject}/${name}.json`);
        await get(`${subject}/${subject.startsWith('station') ? 'readings' : 'stations'}/2026-11-20T08Z.json`);
        expect((await send(`${subject}/hours/2026-11-19/2026-11-20.csv`)).status).toBe(200);
      }
    });

    it.runIf(path === 'kept')('are kept under one name of an hour, and not of the future', async () => {
      const isKept = async (path: string) => (await send(path)).headers['last-modified'] !== undefined;
      const now = ['days/2026', 'months/2026-11', 'hours/2026-11-20'];
      for (const name of now) expect(await isKept(`station/1/${name}.json`), name).toBe(true);
      const future = ['days/2028', 'months/2026-12', 'hours/2026-11-22'];
      for (const name of future) expect(await isKept(`station/1/${name}.json`), name).toBe(false);
      for (const list of ['station/1/readings', 'region/alpha/stations']) {
        expect(await isKept(`${list}/2026-11-20T08Z.json`), list).toBe(true);
        for (const hour of ['2026-11-20T08:00Z', '2026-11-20T08:30Z', '2026-11-22T08Z'])
          expect(await isKept(`${list}/${hour}.json`), `${list} ${hour}`).toBe(false);
      }
    });

    it('have the headers of the five', async () => {
      const first = await send('station/1/days/2026.json');
      expect(first.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'access-control-allow-origin': '*',
        'cache-control': 'max-age=60, stale-while-revalidate=240, stale-if-error=600',
        'content-language': 'en',
      });
      const second = await send('station/1/days/2026.json').set('If-None-Match', String(first.headers.etag));
      expect(second.status).toBe(304);
    });

    it('NowCast and the European index of now, and how complete a station is', async () => {
      expect(await get('station/1/now.json')).toEqual({
        nowcast: { 'pm2.5': expect.any(Number), pm10: 30, aqi: expect.any(Number), hours: 12 },
        european_index: {
          index: 'moderate', // of NO2: 14.25 ppb are 27.3 µg/m³
          timestamp: '2026-11-20T12:00:00+04:00',
          pollutants: { 'pm2.5': expect.any(String), pm10: 'fair', o3: 'good', no2: 'moderate', so2: 'good' },
        },
        completeness: { measured_hours: 24, expected_hours: 24 },
      });
      expect(await get('station/2/now.json')).toMatchObject({
        nowcast: { 'pm2.5': 20, pm10: null, aqi: 71, hours: 12 },
        european_index: { index: 'moderate', pollutants: { pm10: null, no2: null } },
      });
      expect(await get('station/3/now.json')).toEqual({
        nowcast: { 'pm2.5': null, pm10: null, aqi: null, hours: 0 },
        european_index: {
          index: null,
          timestamp: null,
          pollutants: { 'pm2.5': null, pm10: null, o3: null, no2: null, so2: null },
        },
        completeness: { measured_hours: 0, expected_hours: 24 },
      });
      expect((await get('station/5/now.json')).completeness).toEqual({ measured_hours: 0, expected_hours: 0 });
      expect(Object.keys(await get('region/alpha/now.json'))).toEqual(['nowcast', 'european_index']);
    });

    it('the days of a year are those of the history, completed ones only', async () => {
      for (const subject of ['station/1', 'region/alpha']) {
        const history = (await request(served.app).get(`/en/air-quality-app/v1/${subject}-history.json`)).body;
        const { year, days } = await get(`${subject}/days/2026.json`);
        expect(year).toBe(2026);
        expect(days.slice(-30).map(({ hours: _, expected_hours: __, ...day }: Body) => day)).toEqual(history['30d']);
        expect(days.at(-1)).toMatchObject({ hours: { 'pm2.5': 24, wind_sin: 24, uv: 0 }, expected_hours: 24 });
        expect(days).toHaveLength(323);
        expect(days[0].timestamp).toBe('2026-01-01T00:00:00+04:00');
        expect((await get(`${subject}/days/2025.json`)).days.at(-1).timestamp).toBe('2025-12-31T00:00:00+04:00');
        expect((await get(`${subject}/days/2027.json`)).days).toEqual([]);
      }
    });

    it('the hours of a day are those of the history, and the day is null until it is completed', async () => {
      for (const subject of ['station/1', 'region/alpha']) {
        const history = (await request(served.app).get(`/en/air-quality-app/v1/${subject}-history.json`)).body;
        const yesterday = await get(`${subject}/hours/2026-11-19.json`);
        const today = await get(`${subject}/hours/2026-11-20.json`);
        expect([...yesterday.hours, ...today.hours].slice(-24)).toEqual(history['24h']);
        expect(yesterday.day).toEqual(history['30d'].at(-1));
        expect(yesterday.exact.day.timestamp).toBe('2026-11-19T00:00:00+04:00');
        expect([today.day, today.exact.day, today.hours.length, today.exact.hours.length]).toEqual([
          null,
          null,
          13,
          13,
        ]);
      }
    });

    it('a month is that of the history, once it is completed, and has the days before today', async () => {
      for (const subject of ['station/1', 'region/alpha']) {
        const history = (await request(served.app).get(`/en/air-quality-app/v1/${subject}-history.json`)).body;
        const { month, exact, days } = await get(`${subject}/months/2026-10.json`);
        expect(month).toEqual(history['2y'].at(-2));
        expect([exact.timestamp, days.length]).toEqual([month.timestamp, 31]);
        expect(days[0].hours).toMatchObject({ 'pm2.5': 24, wind_sin: 24, uv: 0 });
        const running = await get(`${subject}/months/2026-11.json`);
        expect([running.month, running.exact, running.days.length]).toEqual([null, null, 19]);
      }
    });

    it('an hour of a region has the hours of its stations once it has closed', async () => {
      const hour = await get('region/alpha/stations/2026-11-20T08:30Z.json');
      expect(hour).toMatchObject({ timestamp: '2026-11-20T12:00:00+04:00', complete: true });
      expect(hour.stations.map(({ id, is_bad_thp: isFlagged }: Body) => [id, isFlagged])).toEqual([
        [1, false], // the hidden one is no part of it
        [2, true],
      ]);
      expect(hour.stations[0].mean).toEqual((await get('station/1/readings/2026-11-20T08Z.json')).station);
      expect(hour.region.temperature).toBe(hour.stations[0].mean.temperature);
      expect(hour.region['pm2.5']).toBe((hour.stations[0].mean['pm2.5'] + 20) / 2);
      const open = await get('region/alpha/stations/2026-11-20T09Z.json');
      expect([open.hour, open.region, open.stations]).toEqual([null, null, []]);
    });

    it('an hour has its readings once it has closed', async () => {
      const hour = await get('station/1/readings/2026-11-20T08:30Z.json');
      expect(hour).toEqual(await get('station/1/readings/2026-11-20T08Z.json'));
      expect(hour).toMatchObject({ timestamp: '2026-11-20T12:00:00+04:00', kept: true, complete: true });
      expect(hour.sensors).toHaveLength(1);
      expect(hour.sensors[0]).toMatchObject({ id: 11, formula: null, mean: hour.station });
      expect(hour.sensors[0].readings.map(({ time }: Body) => time)).toEqual([
        '2026-11-20T12:00:00+04:00',
        '2026-11-20T12:30:00+04:00',
      ]);
      expect(hour.sensors[0].readings[0]).toMatchObject({ 'pm2.5_raw': 20, no2: 14.25, usvh: 0.123, uv: null });
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

    it('hours as CSV have the values of the hours, and a name to be saved under', async () => {
      for (const [subject, kind, file] of [
        ['station/1', 'station', 'station-1'],
        ['region/alpha', 'region', 'alpha'],
      ] as const) {
        const res = await send(`${subject}/hours/2026-11-18/2026-11-20.csv`);
        expect(res.headers).toMatchObject({
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${file}_hours_2026-11-18_2026-11-20.csv"`,
        });
        const [header = '', ...lines] = res.text.trimEnd().split('\n');
        expect(header).toBe(CSV_HEADERS[kind]);
        expect(lines).toHaveLength(24 + 24 + 13);
        const points = (await get(`${subject}/hours/2026-11-20.json`)).hours;
        const id = subject.split('/')[1];
        expect(lines.slice(48)).toEqual(points.map((point: Body) => [id, ...Object.values(point)].join(',')));
      }
      const header = 'station_id,timestamp,avg_temperature,avg_humidity,avg_pressure,pm2.5,avg_pm10,pm2.5_raw,avg_no2';
      expect(CSV_HEADERS.station.startsWith(header)).toBe(true);
      expect((await send('station/5/hours/2026-11-18/2026-11-20.csv')).text).toBe(`${CSV_HEADERS.station}\n`);
    });

    it.each([
      ['station/999/now.json', /no station 999\b.*stations\[\]\.id/],
      ['station/2147483648/now.json', /no station 2147483648\b/],
      ['station/01/now.json', /"01" cannot be a station id/],
      ['station/999/days/2026.json', /no station 999\b/],
      ['station/999/hours/2026-11-20.json', /no station 999\b/],
      ['station/999/readings/2026-11-20T09Z.json', /no station 999\b/],
      ['station/999/hours/2026-11-20/2026-11-20.csv', /no station 999\b/],
      ['region/nowhere/now.json', /no region "nowhere".*regions\[\]\.slug/],
      ['region/nowhere/days/2026.json', /no region "nowhere"/],
      ['region/nowhere/hours/2026-11-20.json', /no region "nowhere"/],
      ['region/nowhere/hours/2026-11-20/2026-11-20.csv', /no region "nowhere"/],
      ['region/Alpha/now.json', /"Alpha" cannot be a slug/],
      ['station/1/days/1899.json', /"1899" cannot be a year from 1900 to 2100/],
      ['station/1/days/2101.json', /cannot be a year/],
      ['station/1/days/02026.json', /cannot be a year/],
      ['station/1/days/2e3.json', /cannot be a year/],
      ['station/1/hours/2026-02-30.json', /"2026-02-30" cannot be a local date.*2026-11-22/],
      ['station/1/hours/2026-2-3.json', /cannot be a local date/],
      ['station/1/hours/1899-12-31.json', /cannot be a local date/],
      ['station/1/hours/%32026-11-20.json', /nothing at/],
      ['station/1/readings/2026-11-20T24Z.json', /cannot be a time in UTC.*T09:30Z/],
      ['station/1/readings/2026-02-30T09Z.json', /cannot be a time in UTC/],
      ['station/1/readings/2026-11-20T09.json', /cannot be a time in UTC/],
      ['region/nowhere/stations/2026-11-20T09Z.json', /no region "nowhere"/],
      ['region/alpha/stations/2026-11-20T24Z.json', /cannot be a time in UTC/],
      ['station/999/months/2026-11.json', /no station 999\b/],
      ['region/nowhere/months/2026-11.json', /no region "nowhere"/],
      ['station/1/months/2026-13.json', /"2026-13" cannot be a local month from 1900-01 to 2100-12/],
      ['station/1/months/1899-12.json', /cannot be a local month/],
      ['region/alpha/readings/2026-11-20T09Z.json', /nothing at .*station\/\{id\}\/readings/],
      ['station/1/hours/2026-11-20/2026-11-19.csv', /no period of 1 to 400 days/],
      ['station/1/hours/2025-01-01/2026-02-05.csv', /no period of 1 to 400 days/],
      ['station/1/hours/2026-11-20/2026-11-31.csv', /"2026-11-31" cannot be a local date.*the last one/],
      ['station/1/nothing.json', /nothing at .*explore\/v1/],
    ])('have nothing at %s', async (path, detail) => {
      const res = await send(path);
      expect([res.status, res.body.title]).toEqual([404, 'Not Found']);
      expect(res.body.detail).toMatch(detail);
    });

    it('have no other locale, and 400 days', async () => {
      const res = await request(served.app).get('/fr/explore/v1/rules.json');
      expect([res.status, res.body.detail]).toEqual([404, expect.stringMatching(/no locale "fr"/)]);
      expect((await send('station/1/hours/2025-01-01/2026-02-04.csv')).status).toBe(200);
    });

    it('the rules are in every locale', async () => {
      for (const locale of LOCALES) {
        const { body } = await request(served.app).get(`/${locale}/explore/v1/rules.json`);
        expect(body).toEqual(Object.fromEntries(Object.entries(RULES).map(([name, texts]) => [name, texts[locale]])));
      }
    });
  });

  /** Two stations of a city, one of them with two sensors; a quarter of the hours is missing. */
  describe.each([
    { zone: 'Europe/Berlin', days: ['2026-03-28', '2026-03-29', '2026-10-25', '2026-10-26'], hours: [24, 23, 25, 24] },
    { zone: 'Asia/Kolkata', days: ['2026-03-29', '2026-06-01'], hours: [24, 24] },
    { zone: 'America/Santiago', days: ['2026-09-05', '2026-09-06'], hours: [24, 23] }, // the clocks skip midnight
  ])('in $zone', ({ zone, days, hours }) => {
    const at = new Date('2026-12-31T00:00:00Z');
    let here: Installation;
    let counts: number[];
    beforeAll(async () => {
      const network = citiesOfOneStation(['town', 'other'], { timeZone: zone });
      const [first, second] = network.stations;
      Object.assign(first ?? {}, { sensors: [{ id: 1 }, { id: 3 }] });
      Object.assign(second ?? {}, { regions: ['town', 'other'] });
      here = await install(engine, network, zone);
      const random = seeded(7);
      const starts = days.map((day) => {
        const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
        return [instantOf(zone, year, month, date), instantOf(zone, year, month, date + 1)] as const;
      });
      counts = starts.map(([since, until]) => (until - since) / HOUR);
      const readings = starts.flatMap(([since, until]) =>
        Array.from({ length: ((until - since) / HOUR) * 4 }, (_, n) => since + n * (HOUR / 4) + 1_000).flatMap((time) =>
          [1, 2, 3]
            .filter(() => random.next() < 0.8)
            .map((id) =>
              reading(id, time, {
                pm25: random.next() * 80 - 2,
                pm10: random.next() * 200,
                temperature: random.next() * 40 - 20,
                wind_direction: random.next() * 359,
                rain: random.next(),
              }),
            ),
        ),
      );
      await here.accept(readings);
      await here.refresh(at);
    });
    afterAll(() => here.close());

    const get = (path: string) => here.get(`${BASE}/${path}`, at);

    it('the day computed from its hours is the published one, and so are its hours (A4 to A7)', async () => {
      expect(counts).toEqual(hours);
      for (const subject of ['station/1', 'station/2', 'region/town']) {
        for (const [n, date] of days.entries()) {
          const { day, exact, hours: points } = await get(`${subject}/hours/${date}.json`);
          expect(points).toHaveLength(hours[n] ?? 0);
          expectPublished(day, {
            avg_pm25: mean(exact.hours, 'pm2.5'),
            avg_pm10: mean(exact.hours, 'pm10'),
            avg_temperature: mean(exact.hours, 'temperature'),
            total_rain: sum(exact.hours, 'rain'),
            min_pm25: Math.min(...column(exact.hours, 'pm2.5')),
            max_pm25: Math.max(...column(exact.hours, 'pm2.5')),
          });
          expect(day.avg_wind_direction).toBe(direction(mean(exact.hours, 'wind_sin'), mean(exact.hours, 'wind_cos')));
          for (const [hour, point] of points.entries()) {
            const of = exact.hours[hour];
            expect(of.timestamp).toBe(point.timestamp);
            expectPublished(point, { avg_pm25: of['pm2.5'], avg_temperature: of.temperature, total_rain: of.rain });
            expect(point.avg_wind_direction).toBe(direction(of.wind_sin, of.wind_cos));
          }
        }
      }
    });

    it('the hour computed from its readings is the published one (A1, A2)', async () => {
      for (const id of [1, 2]) {
        const { hours: points } = await get(`station/${id}/hours/${days[1]}.json`);
        for (const point of points) {
          const instant = new Date(point.timestamp).toISOString();
          const { sensors, station, ...hour } = await get(`station/${id}/readings/${instant.slice(0, 16)}Z.json`);
          expect(hour).toEqual({ timestamp: point.timestamp, hour: point, kept: true, complete: true });
          expect(sensors.map((one: Body) => one.id)).toEqual(id === 1 ? [1, 3] : [2]);
          const measured = sensors.filter((one: Body) => one.mean !== null);
          for (const { mean: published, readings } of measured) {
            const single = readings.map((one: Body) => ({ ...one, 'pm2.5': Math.fround(one['pm2.5']) }));
            expect(mean(single, 'pm2.5')).toBeCloseTo(published['pm2.5'], 12);
          }
          const means = measured.map((one: Body) => one.mean);
          expectPublished(point, { avg_pm25: mean(means, 'pm2.5'), avg_temperature: mean(means, 'temperature') });
          expect(station['pm2.5']).toBeCloseTo(mean(means, 'pm2.5'), 12);
        }
      }
    });

    it('the hour of a region computed from its stations is the published one (A3)', async () => {
      for (const [date, slug, ids] of days.flatMap((day) => [
        [day, 'town', [1, 2]] as const,
        [day, 'other', [2]] as const,
      ])) {
        for (const point of (await get(`region/${slug}/hours/${date}.json`)).hours) {
          const instant = new Date(point.timestamp).toISOString();
          const { hour, stations, region } = await get(`region/${slug}/stations/${instant.slice(0, 16)}Z.json`);
          expect(hour).toEqual(point);
          expect(ids).toEqual(expect.arrayContaining(stations.map((one: Body) => one.id)));
          expect(stations).toHaveLength(point.station_count);
          const means = stations.map((one: Body) => one.mean);
          expect(region['pm2.5']).toBeCloseTo(mean(means, 'pm2.5'), 12);
          expectPublished(point, { avg_pm25: mean(means, 'pm2.5'), total_rain: mean(means, 'rain') });
        }
      }
    });

    it('the month is the mean of the hours of its days (A4)', async () => {
      for (const subject of ['station/1', 'region/town']) {
        for (const month of new Set(days.map((day) => day.slice(0, 7)))) {
          const { month: point, days: parts } = await get(`${subject}/months/${month}.json`);
          const documents = days
            .filter((day) => day.startsWith(month))
            .map((day) => get(`${subject}/hours/${day}.json`));
          const all = (await Promise.all(documents)).flatMap(({ exact }) => exact.hours);
          expectPublished(point, { avg_pm25: mean(all, 'pm2.5'), total_rain: sum(all, 'rain') });
          const weighted = parts.map((one: Body) => one.mean['pm2.5'] * one.hours['pm2.5']);
          const count = parts.reduce((total: number, one: Body) => total + one.hours['pm2.5'], 0);
          expect(count).toBe(column(all, 'pm2.5').length);
          expect(weighted.reduce((a: number, b: number) => a + b, 0) / count).toBeCloseTo(mean(all, 'pm2.5'), 10);
        }
      }
    });

    it('NowCast and the European index of now are those of the hours before it (X1, X2)', async () => {
      for (const subject of ['station/1', 'region/town']) {
        const documents = await Promise.all(days.map((date) => get(`${subject}/hours/${date}.json`)));
        const exact: Body[] = documents.flatMap((one) => one.exact.hours);
        const means = new Map(exact.map((one) => [Date.parse(one.timestamp), one]));
        for (const newest of means.keys()) {
          const last12 = Array.from({ length: 12 }, (_, age) => means.get(newest - age * HOUR));
          const now = await here.get(`${BASE}/${subject}/now.json`, new Date(newest + 1.5 * HOUR));
          expect(now.nowcast).toMatchObject({
            'pm2.5': nowcast(
              last12.map((one) => one?.['pm2.5'] ?? null),
              1,
            ),
            pm10: nowcast(
              last12.map((one) => one?.pm10 ?? null),
              0,
            ),
            hours: last12.filter((one) => one !== undefined).length,
          });
          const [pm25, pm10] = [bandOf('pm25', last12[0]['pm2.5']), bandOf('pm10', last12[0].pm10)];
          expect(now.european_index).toMatchObject({
            index: BANDS[Math.max(pm25, pm10)],
            timestamp: last12[0].timestamp,
            pollutants: { 'pm2.5': BANDS[pm25], pm10: BANDS[pm10], o3: null },
          });
        }
      }
    });

    it('the hour is the one of the local clock that contains the instant (Z3)', async () => {
      const past = zone === 'Asia/Kolkata' ? '2026-06-01T09:30:00+05:30' : undefined;
      const { timestamp } = await get('station/1/readings/2026-06-01T04:15Z.json');
      expect(new Date(timestamp).getTime()).toBe(
        past === undefined ? Date.parse('2026-06-01T04:00Z') : Date.parse('2026-06-01T03:30Z'),
      );
      if (past !== undefined)
        expect((await get('station/1/readings/2026-06-01T04Z.json')).timestamp).toBe('2026-06-01T09:00:00+05:30');
    });
  });

  it('say that readings are no longer kept, and keep their means', async () => {
    const here = await install(engine, citiesOfOneStation(['town']));
    await here.accept([reading(1, '2026-03-02T09:10:00Z', { pm25: 10 })]);
    await here.refresh(new Date('2026-11-20T09:20:00Z'));
    await here.database.as()`update raw.installation set ingest_cutoff = '2026-06-01Z', retained_from = '2026-06-01Z'`;
    await here.database.as()`delete from raw.readings`;
    const hour = await here.get(`${BASE}/station/1/readings/2026-03-02T09Z.json`, new Date('2026-11-20T09:20:00Z'));
    expect(hour).toMatchObject({ kept: false, sensors: [{ readings: [], mean: { 'pm2.5': 10 } }] });
    const first = await here.get(`${BASE}/station/1/readings/2026-06-01T00Z.json`, new Date('2026-11-20T09:20:00Z'));
    expect(first).toMatchObject({ kept: true });
    await here.close();
  });

  it('an hour of a region has the stations that belonged to it when it began, from the instant on at which it closes', async () => {
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
    await here.accept([3, 2, 1].map((id) => reading(id, '2026-11-20T08:10:00Z', { pm25: 10 * id })));
    const closed = new Date('2026-11-20T09:00:00Z');
    await here.refresh(closed);
    const { stations, region, complete } = await here.get(`${BASE}/region/town/stations/2026-11-20T08Z.json`, closed);
    expect([stations.map(({ id }: Body) => id), region['pm2.5'], complete]).toEqual([[1, 3], 20, true]);
    const some =
      await here.database.as()`select stations, is_complete from api.region_stations_json(${closed}, 'town', ${closed}::timestamptz - interval '1 hour', 1)`;
    expect(some).toMatchObject([{ is_complete: false }]);
    await here.close();
  });

  it('a day has its means from the instant on at which it is completed', async () => {
    const here = await install(engine, citiesOfOneStation(['town']));
    await here.accept([reading(1, '2026-11-19T08:10:00Z', { pm25: 10 })]);
    const midnight = new Date('2026-11-19T20:00:00Z');
    await here.refresh(midnight);
    const day = async (at: Date) => (await here.get(`${BASE}/station/1/hours/2026-11-19.json`, at)).day;
    expect(await day(new Date(midnight.getTime() - 1))).toBeNull();
    expect(await day(midnight)).toMatchObject({ timestamp: '2026-11-19T00:00:00+04:00' });
    await here.close();
  });

  it('show at most 5,000 readings of an hour, and only sensors that stood there for the whole of it (P2)', async () => {
    const [city] = citiesOfOneStation(['town']).stations;
    const leaving = { id: 2, stations: [{ id: 1, until: '2026-11-20T09:00:00Z' }] };
    const moving = { id: 3, stations: [{ id: 1, since: '2026-11-20T08:30:00Z' }] };
    const network = {
      ...citiesOfOneStation(['town']),
      stations: [{ ...city, sensors: [{ id: 1, correction: 'epa-2021' }, leaving, moving] }],
    };
    const here = await install(engine, network);
    const readings = [1, 2, 3].flatMap((id) =>
      Array.from({ length: 3_000 }, (_, n) => reading(id, Date.parse('2026-11-20T08:00Z') + n * 1_000, { pm25: 10 })),
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

onEveryEngine('a database that begins in 1990 (EPOCH)', (engine) => {
  it('takes Unix times of then, and shows their days, months and hours', async () => {
    const { target, drop } = await emptyDatabase(engine);
    const now = new Date('1990-11-20T12:00:00Z');
    await migrate(target, { epoch: '1990-01-01', now, log: makeLog('silent') });
    const owner = connect(target, { role: 'airseries_owner' });
    await importNetwork(owner, JSON.stringify(citiesOfOneStation(['town'])), { log: makeLog('silent') });
    const seconds = Date.parse('1990-10-05T08:30:00Z') / 1_000;
    const path = join(temporaryFolder('epoch'), 'unix.csv');
    writeFileSync(path, `sensor_id,time,pm25\n1,${seconds},7\n1,${seconds}000,7\n1,631000000,7\n`);
    const summary = await importReadings(owner, [path], { now, log: makeLog('silent'), terminal: false });
    expect(summary).toMatchObject({ accepted: 1, unchanged: 1, quarantined: { before_epoch: 1 } });
    await refresh(target, now);
    const db = openReaderPool<Api>(target, { timeZone: 'Asia/Yerevan', max: 2 });
    const app = makeApp({ db, clock: () => now, siteBaseUrl: '', log: makeLog('silent') });
    const get = async (subject: string) => (await request(app).get(`${BASE}/station/1/${subject}`)).body;
    const day = { timestamp: '1990-10-05T00:00:00+04:00', avg_pm25: 7 };
    expect((await get('days/1990.json')).days).toMatchObject([day]);
    expect((await get('days/1989.json')).days).toEqual([]);
    expect((await get('months/1990-10.json')).days).toHaveLength(1);
    expect((await get('hours/1990-10-05.json')).hours).toMatchObject([{ avg_pm25: 7 }]);
    expect((await get('readings/1990-10-05T08Z.json')).sensors[0].readings).toHaveLength(1);
    await Promise.all([db.destroy(), owner.end()]);
    await drop();
  });
});

const column = (rows: readonly Body[], key: string): number[] =>
  rows.map((row) => row[key]).filter((value) => value !== null);
const sum = (rows: readonly Body[], key: string) => column(rows, key).reduce((total, value) => total + value, 0);
const mean = (rows: readonly Body[], key: string) => sum(rows, key) / column(rows, key).length;

/** All of these are published with one decimal, and particles never below 0. */
function expectPublished(point: Body, exact: Record<string, number>): void {
  for (const [key, value] of Object.entries(exact)) {
    const rounded = roundedHalfUp(decimal(value), 1);
    expect(point[key], `${key} of ${point.timestamp}`).toBe(key.includes('pm') ? Math.max(rounded, 0) : rounded);
  }
}

/** In whole degrees, clockwise from north (A7). */
const direction = (sin: number, cos: number) => Math.round(((Math.atan2(sin, cos) * 180) / Math.PI + 360) % 360) % 360;
