/** How complete the data of stations and regions are, and the words for the index (A11). */
import { beforeAll, expect, it } from 'vitest';
import { isAll, onEveryEngineInAll, type TestDatabase } from '../support/database.ts';
import {
  type Body,
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { NOW } from './network.ts';
import { networkDatabase } from './serve.ts';

onEveryEngineInAll('completeness', (engine) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await networkDatabase(engine); // local midnight is 20:00 UTC
    return () => database.drop();
  });

  /** Days of a station up to an instant, as [local day of November, expected, with PM2.5]. */
  const days = async (since: string, at: string, station: number) => {
    const rows = await database.as('airseries_reader')`
      select extract(day from timestamp)::int as day, expected_hours, pm25_hours
      from api.station_completeness(${at}, 'day', ${since}, ${at}, array[${station}::int]) order by timestamp`;
    return rows.map(({ day, expected_hours, pm25_hours }) => [day, expected_hours, pm25_hours]);
  };

  it('no hour is expected before the first of a station, or from a station that never measured', async () => {
    const [since, at] = ['2026-11-15T20:00Z', '2026-11-18T20:00Z'];
    expect(await days(since, at, 2)).toEqual([
      [17, 11, 11],
      [18, 24, 24],
    ]);
    expect(await days(since, at, 5)).toEqual([]);
    expect((await days(since, at, 6)).at(-1)).toEqual([18, 24, 0]);
    // no hour of the day has closed
    expect(await days('2026-11-18T20:00Z', '2026-11-18T20:30Z', 1)).toEqual([]);
  });

  it('completeness covers all stations or regions unless some are given', async () => {
    const reader = database.as('airseries_reader');
    const period = reader`'2026-11-20 09:20Z', 'day', '2026-11-18 20:00Z', '2026-11-19 20:00Z'`;
    const stations = await reader`
      select station_id, pm25_hours from api.station_completeness(${period}) order by 1`;
    const hours = { 1: 24, 2: 24, 3: 0, 4: 20, 6: 0 };
    expect(Object.fromEntries(stations.map((row) => Object.values(row)))).toEqual(hours);
    const regions = await reader`
      select region_slug, pm25_hours from api.region_completeness(${period}) order by 1`;
    const ofRegions = { alpha: 24, 'alpha-north': 24, beta: 0, 'beta-old': 0 };
    expect(Object.fromEntries(regions.map((row) => Object.values(row)))).toEqual(ofRegions);
  });

  it('hours in which a sensor is suspicious are expected too', async () => {
    const owner = database.as();
    await owner`insert into raw.suspicious_period (sensor_id, since, until) values (12, '2026-11-18 00:20Z', '2026-11-18 05:40Z')`;
    await owner`select logic.apply_periods()`;
    await owner`call rollup.refresh(${NOW})`;
    expect(await days('2026-11-17T20:00Z', '2026-11-18T20:00Z', 2)).toEqual([[18, 24, 18]]);
  });

  it('the text of an index names its category of the US EPA', async () => {
    const rows = await database.as('airseries_reader')`
      select api.aqi_text(aqi) as text from unnest(array[0, 50, 51, 100, 101, 150, 151, 200, 201, 300, 301, null]::int[]) aqi`;
    const categories = ['Good', 'Moderate', 'Unhealthy for sensitive groups', 'Unhealthy'];
    expect(rows.map(({ text }) => text)).toEqual([
      ...['0', '50'].map((aqi) => `${aqi} · ${categories[0]}`),
      ...['51', '100'].map((aqi) => `${aqi} · ${categories[1]}`),
      ...['101', '150'].map((aqi) => `${aqi} · ${categories[2]}`),
      ...['151', '200'].map((aqi) => `${aqi} · ${categories[3]}`),
      ...['201 · Very unhealthy', '300 · Very unhealthy', '301 · Hazardous', null],
    ]);
  });
});

const HOUR = 3_600_000;

/**
 * Two stations of a region. The first begins at 12:00 on 23 October 2026 and measures the
 * temperature in every hour, and PM2.5 too except for 2 of the 25 hours of the 25th, 7 of the 26th
 * and 6 of the 27th. The second has PM2.5 in three hours in which the first has none. Now is 13:40.
 */
onEveryEngineInAll('completeness of days and months in Berlin', (engine) => {
  const NOW = '2026-10-28T12:40:00Z';
  let here: Installation;
  beforeAll(async () => {
    const network = citiesOfOneStation(['town', 'other'], { timeZone: 'Europe/Berlin' });
    Object.assign(network.stations[1] ?? {}, { regions: ['town', 'other'] });
    here = await install(engine, network, 'Europe/Berlin');
    const missing: readonly [since: string, hours: number][] = [
      ['2026-10-25T00:00Z', 2], // both of the hours from 02:00 to 03:00
      ['2026-10-26T10:00Z', 7],
      ['2026-10-27T17:00Z', 6],
    ];
    const isMissing = (at: number) =>
      missing.some(
        ([since, hours]) => at >= Date.parse(since) && at < Date.parse(since) + hours * HOUR,
      );
    const readings = [];
    for (let at = Date.parse('2026-10-23T10:10Z'); at < Date.parse(NOW); at += HOUR)
      readings.push(reading(1, at, { temperature: 10, ...(!isMissing(at) && { pm25: 20 }) }));
    for (const hour of [11, 12, 13])
      readings.push(reading(2, `2026-10-26T${hour}:10:00Z`, { pm25: 30 }));
    await here.accept(readings);
    await here.refresh(new Date(NOW));
    return () => here.close();
  });

  /** Rows of [local day of October, expected, with PM2.5, with a temperature, with PM10]. */
  const rows = async (
    subject: 'station' | 'region',
    unit: string,
    at = NOW,
    since = '2026-10-01',
  ) => {
    const sql = here.published;
    const only = subject === 'station' ? sql`array[1]` : sql`array['town']`;
    const found = await sql`
      select extract(day from timestamp at time zone 'Europe/Berlin')::int as day, expected_hours, pm25_hours, temperature_hours, pm10_hours
      from ${sql(`api.${subject}_completeness`)}(${at}, ${unit}, ${since}, ${at}, ${only}) order by timestamp`;
    return found.map((row) => Object.values(row));
  };

  it('the first, the running and a day of 25 hours expect their hours, counted for each parameter (A11)', async () => {
    expect(await rows('station', 'day')).toEqual([
      [23, 12, 12, 12, 0],
      [24, 24, 24, 24, 0],
      [25, 25, 23, 25, 0],
      [26, 24, 17, 24, 0],
      [27, 24, 18, 24, 0],
      [28, 13, 13, 13, 0],
    ]);
    expect((await rows('station', 'day', NOW, '2026-10-28')).map(([day]) => day)).toEqual([28]);
  });

  it('an hour of a region is measured if it is at any of its stations', async () => {
    const expected = (await rows('station', 'day')).map((day) =>
      day[0] === 26 ? [26, 24, 17 + 3, 24, 0] : day,
    );
    expect(await rows('region', 'day')).toEqual(expected);
  });

  it('a month has the hours of its days together', async () => {
    expect(await rows('station', 'month', NOW, '2026-10-25')).toEqual([[1, 122, 107, 122, 0]]);
    expect(await rows('region', 'month', NOW, '2026-10-25')).toEqual([[1, 122, 110, 122, 0]]);
  });

  it('only hours before the instant count, also at an instant of the past', async () => {
    expect((await rows('station', 'day', '2026-10-27T20:30:00Z')).at(-1)).toEqual([
      27, 21, 18, 21, 0,
    ]);
    expect(await rows('station', 'month', '2026-10-24T10:30:00Z')).toEqual([[1, 24, 24, 24, 0]]);
  });

  it('the days of a year tell the measured hours of each parameter, and the expected ones', async () => {
    const of = (name: string) => here.get(`/en/explore/v1/station/1/${name}.json`, new Date(NOW));
    const { days } = await of('days/2026');
    expect(
      days.map((day: Body) => [day.hours['pm2.5'], day.hours.temperature, day.expected_hours]),
    ).toEqual([
      [12, 12, 12],
      [24, 24, 24],
      [23, 25, 25],
      [17, 24, 24],
      [18, 24, 24],
    ]);
    const complete = await of('completeness');
    expect(complete.months).toMatchObject([
      { hours: { 'pm2.5': 107, temperature: 122 }, expected_hours: 122 },
    ]);
  });

  it('now.json tells how many of the last 24 hours were measured, across two days', async () => {
    const { completeness } = await here.get('/en/explore/v1/station/1/now.json', new Date(NOW));
    expect(completeness).toEqual({ measured_hours: 18, expected_hours: 24 });
    const first = await here.get(
      '/en/explore/v1/station/1/now.json',
      new Date('2026-10-24T08:30:00Z'),
    );
    expect(first.completeness).toEqual({ measured_hours: 22, expected_hours: 22 });
  });
});

/**
 * From 10 September on PM2.5 is 20 in every hour; PM10 is 300 in three hours of September, and 30
 * in every second hour from October on. The first reading of November is at 00:05.
 */
onEveryEngineInAll('all months', (engine) => {
  const at = (local: string) => new Date(`${local}+04:00`);
  const FIRST_OF_NOVEMBER = at('2026-11-01T00:00:00');
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, citiesOfOneStation(['town', 'coarse']));
    const readings = [];
    const october = at('2026-10-01T00:00:00').getTime();
    const start = at('2026-09-10T00:05:00').getTime();
    for (let time = start; time < FIRST_OF_NOVEMBER.getTime() + 2 * HOUR; time += HOUR) {
      const hour = (time - start) / HOUR;
      const values: { pm25: number; pm10?: number } = { pm25: 20 };
      if (time < october && hour < 3) values.pm10 = 300;
      if (time >= october && hour % 2 === 0) values.pm10 = 30;
      readings.push(reading(1, time, values));
    }
    readings.push(reading(2, at('2026-11-01T00:05:00'), { pm10: 30 }));
    readings.push(reading(2, at('2026-11-01T01:05:00'), { temperature: 10 }));
    await here.accept(readings);
    return () => here.close();
  });

  const months = async (subject: string, now: Date) => {
    await here.refresh(now);
    const body = await here.get(`/en/explore/v1/${subject}/months.json`, now);
    return body.months.map(({ timestamp, aqi, measured_hours, expected_hours }: Body) => [
      timestamp.slice(0, 7),
      aqi,
      measured_hours,
      expected_hours,
    ]);
  };

  it.each(['station/1', 'region/town'])(
    'months of %s count hours of the pollutant behind the index; the current one is listed from its first hour (A11)',
    async (subject) => {
      const before = [
        ['2026-09', 173, 3, 504], // by PM10; PM2.5 alone has 71
        ['2026-10', 71, 744, 744],
      ];
      const now = FIRST_OF_NOVEMBER.getTime();
      expect(await months(subject, new Date(now - 1))).toEqual([
        before[0],
        ['2026-10', 71, 743, 743],
      ]);
      expect(await months(subject, new Date(now + HOUR / 2))).toEqual([
        ...before,
        ['2026-11', 71, 0, 0],
      ]);
      expect(await months(subject, new Date(now + HOUR))).toEqual([
        ...before,
        ['2026-11', 71, 1, 1],
      ]);
    },
  );

  it.each(['station/2', 'region/coarse'])(
    'the month of %s, which began this month without PM2.5, counts the hours of PM10',
    async (subject) => {
      const now = FIRST_OF_NOVEMBER.getTime();
      expect(await months(subject, new Date(now + 2 * HOUR))).toEqual([['2026-11', 28, 1, 2]]);
    },
  );
});

onEveryEngineInAll('completeness elsewhere', (engine) => {
  it.each(
    [
      // from 10:15 to 15:40
      ['Asia/Kolkata', '2026-06-01T04:45:00Z', '2026-06-02T10:10:00Z', [14, 15]],
      // the clocks skip midnight
      ['America/Santiago', '2026-09-05T12:10:00Z', '2026-09-07T03:10:00Z', [16, 23]],
    ].slice(0, isAll ? undefined : 1) as [string, string, string, number[]][],
  )('days in %s expect the hours by its clock', async (zone, first, now, hours) => {
    const here = await install(engine, citiesOfOneStation(['town'], { timeZone: zone }), zone);
    try {
      const count = Math.ceil((Date.parse(now) - Date.parse(first)) / HOUR);
      await here.accept(
        Array.from({ length: count }, (_, n) =>
          reading(1, Date.parse(first) + n * HOUR, { pm25: 9 }),
        ),
      );
      await here.refresh(new Date(now));
      const days = await here.published`
        select expected_hours, pm25_hours from api.station_completeness(${now}, 'day', ${first}, ${now}) order by timestamp`;
      expect(days.map(({ expected_hours }) => expected_hours)).toEqual(hours);
      expect(days.map(({ pm25_hours }) => pm25_hours)).toEqual(hours);
    } finally {
      await here.close();
    }
  });
});
