import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Format } from '../../../src/ingest/formats/fields.ts';
import { type ReadingBatch, readReadings } from '../../../src/ingest/formats/readings.ts';
import { openSource } from '../../../src/ingest/formats/source.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import { readBatch } from '../../../src/push/readings.ts';
import { engines, type TestDatabase, testDatabase } from '../../support/database.ts';
import { bringIn, differences, file, keepingLog, NOW, smallNetwork } from '../support.ts';

const HEADER = 'sensor_id,timestamp,time_start,time_end,pm2.5,pm2.5_corrected,pm10,temperature,pressure,humidity';
const formatOf = (timeZone: string): Format => ({ name: 'airquality-am', timeZone });

async function read(content: string, timeZone = 'Asia/Yerevan') {
  const batches: ReadingBatch[] = [];
  for await (const batch of readReadings(await openSource(file('measurements.csv', content)), formatOf(timeZone))) {
    batches.push(batch);
  }
  return { readings: batches.flatMap(({ readings }) => readings), ignored: [...(batches[0]?.notes.ignored ?? [])] };
}
const failure = (content: string) => read(content).catch((error: Error) => error.message);

describe('measurements', () => {
  test('a mean carries the start of its interval; columns may be in any order, and unknown ones are listed', async () => {
    const { readings, ignored } = await read(
      'pressure,time_end,time_start,colour,timestamp,sensor_id,pm2.5\n90123,2026-02-01 13:00:00,2026-02-01 12:00:00,"red, dark",2026-02-01 12:30:00,3,\n',
    );
    expect(readings).toMatchObject([{ measuredAt: '2026-02-01 12:00:00+04:00', values: { pressure: '90123' } }]);
    expect(ignored).toEqual(['colour']);
  });

  test('in files of means the only PM2.5 is the corrected one, whatever its name', async () => {
    const daily = await read('sensor_id,timestamp,avg_pm2.5,avg_temperature\n2,2025-02-27,6.7,\n');
    expect(daily.readings).toMatchObject([{ measuredAt: '2025-02-27 00:00:00+04:00', values: { pm25: '6.7' } }]);
    const hourly = await read('sensor_id,timestamp,pm2.5,avg_pm10,total_rain\n2,2025-02-27 01:00:00,6.7,7.7,0.2\n');
    expect(hourly.readings[0]?.values).toEqual({ pm25: '6.7', pm10: '7.7', rain: '0.2' });
  });

  test.each([
    ['station_id,timestamp,pm2.5', 'has no column sensor_id'],
    ['sensor_id,time_start,pm2.5', 'has no column timestamp'],
    ['sensor_id,timestamp,colour', 'names no parameter'],
    ['sensor_id,timestamp,avg_pm2.5,pm2.5', 'names pm25 twice \\(avg_pm2.5, pm2.5\\)'],
  ])('the header %j is refused', async (header, why) => {
    expect(await failure(`SET\n${header}\n1,2,3\n`)).toMatch(
      new RegExp(`measurements.csv:2: the header ${why}: .*Needed are measurements_YYYY_MM.csv`),
    );
  });

  test.each([
    ['sensor_id,timestamp,avg_pm2.5,avg_pm10', 'day'],
    ['sensor_id,timestamp,pm2.5,avg_pm10', 'hour'],
    [HEADER, undefined],
  ])('%s has means of a %s', async (header, means) => {
    const source = await openSource(file('means.csv', `${header}\n2,2026-02-01 00:00:00,1\n`));
    for await (const batch of readReadings(source, formatOf('Asia/Yerevan'))) expect(batch.notes.means).toBe(means);
    expect.assertions(1);
  });

  test.each(['sensor_id,timestamp,avg_pm2.5', 'sensor_id,timestamp,pm2.5,avg_pm10', HEADER])(
    'without its format, a file that begins with %s is recognized, and its times are those of the network',
    async (header) => {
      const values = header.split(',').map((name) => (name === 'timestamp' ? '2026-02-01 00:00:00' : '1'));
      const source = await openSource(file('means.csv', `SET\n${header}\n${values.join(',').replace('1,1', '1,')}\n`));
      for await (const { notes } of readReadings(source, { timeZone: 'Asia/Yerevan' })) {
        expect(notes.format).toBe('airquality-am');
      }
      expect.assertions(1);
    },
  );

  const rows = [
    { sensor_id: 21, timestamp: '2026-02-01 00:00:00', 'pm2.5': 14.3 },
    { sensor_id: 21, timestamp: '2026-02-01 00:05:00', 'pm2.5_corrected': 9.9, 'pm2.5': 14.3 },
  ];
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const both = [
    { measuredAt: '2026-02-01 00:00:00+04:00', values: { pm25_raw: 14.3 } },
    { measuredAt: '2026-02-01 00:05:00+04:00', values: { pm25: 9.9, pm25_raw: 14.3 } },
  ];

  test.each([
    ['NDJSON', 'application/x-ndjson', `${lines}\n`],
    ['an array', 'application/json', JSON.stringify(rows)],
  ])('%s is recognized where the first reading has no corrected value', async (_, type, content) => {
    const source = await openSource(file('readings.json', content));
    const read: unknown[] = [];
    for await (const { readings } of readReadings(source, { timeZone: 'Asia/Yerevan' })) read.push(...readings);
    expect(read).toMatchObject(both);
    const body = await readBatch(Buffer.from(content), type, { timeZone: 'Asia/Yerevan' });
    expect(body).toMatchObject({ readings: both });
  });

  test('a corrected value that comes too late to be recognized by is rejected with its reason, and not stored as raw', async () => {
    const own = Array.from({ length: 2_000 }, () => JSON.stringify(rows[0]));
    const source = await openSource(file('readings.json', [...own, lines, lines].join('\n')));
    const rejected: unknown[] = [];
    for await (const { readings } of readReadings(source))
      rejected.push(...readings.filter(({ unreadable }) => unreadable).map(({ line, why }) => [line, why]));
    const why = expect.stringMatching(/format airquality-am, but those before it are not.*--format/);
    expect(rejected).toEqual([
      [2_002, why],
      [2_004, why],
    ]);
  });

  test('a file with nothing but SET is empty', async () => {
    expect(await failure('SET\n')).toContain('the file is empty');
  });
});

describe('stamps where clocks change', () => {
  const measured = async (stamps: [number, string][]) => {
    const lines = stamps.map(([sensor, stamp]) => `${sensor},${stamp},1`);
    const { readings } = await read(`sensor_id,timestamp,pm2.5\n${lines.join('\n')}\n`, 'Europe/London');
    return readings.map(({ measuredAt }) => String(measuredAt).slice(11));
  };

  test('in an hour that came twice, the second pass of a sensor begins where its stamps go back', async () => {
    const order: [number, string][] = [
      [1, '00:30'],
      [1, '01:00'],
      [2, '01:50'],
      [1, '01:30'],
      [1, '01:00'],
      [2, '01:55'],
      [1, '01:30'],
      [2, '02:00'],
    ];
    expect(await measured(order.map(([sensor, time]) => [sensor, `2026-10-25 ${time}`]))).toEqual([
      '00:30+01:00',
      '01:00+01:00',
      '01:50', // the first line of its sensor: nothing says which pass it is
      '01:30+01:00',
      '01:00+00:00',
      '01:55',
      '01:30+00:00',
      '02:00+00:00',
    ]);
  });
});

test('newest first, the first pass of that hour begins where the stamps go forward', async () => {
  const stamps = ['02:00', '01:30', '01:00', '01:30', '01:00', '00:30'];
  const lines = stamps.map((time) => `1,2026-10-25 ${time},1`);
  const { readings } = await read(`sensor_id,timestamp,pm2.5\n${lines.join('\n')}\n`, 'Europe/London');
  expect(readings.map(({ measuredAt }) => String(measuredAt).slice(11))).toEqual([
    ...['02:00+00:00', '01:30+00:00', '01:00+00:00', '01:30+01:00', '01:00+01:00', '00:30+01:00'],
  ]);
});

describe('import readings --format airquality-am', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase(engines[0] as (typeof engines)[0], 'Europe/London');
    await bringIn(db.as(), smallNetwork({ timeZone: 'Europe/London', sensor: { correction: 'epa-2021' } }));
  });
  afterAll(() => db.drop());

  test('stores the instants that local times mean, and both values of PM2.5', async () => {
    const path = file(
      'a.csv',
      `SET\n${HEADER},note\n1,2026-07-01 13:00:00,,,10,99,,,,50,x\n3,"2026-07-01 14:00:00","2026-07-01 13:00:00",,10,9,,21.5,101325,50,\n3,2026-03-29 01:30:00,,,1,,,,,,\n`,
    );
    const format = formatOf('Europe/London');
    const bring = () =>
      importReadings(db.as('airseries_ingest'), [path], { now: NOW, log: keepingLog(), terminal: false, format });
    expect(await bring()).toMatchObject({
      received: 3,
      accepted: 2,
      quarantined: { unreadable_time: 1 },
      ignored_columns: ['note'],
      failed: false,
    });
    const rows = await db.as()`
      select sensor_id, measured_at, pm25::float8, pm25_raw::float8, pressure::float8 from raw.readings order by sensor_id`;
    const measured_at = '2026-07-01T13:00:00+01:00';
    expect(rows).toEqual([
      { sensor_id: 1, measured_at, pm25: 99, pm25_raw: 10, pressure: null },
      { sensor_id: 3, measured_at, pm25: 9, pm25_raw: 10, pressure: 101_325 },
    ]);
    expect(await bring()).toMatchObject({ accepted: 0, unchanged: 2 });
    // a formula of our own goes before the correction that came with the file (S5)
    expect(await differences(db)).toEqual([]);
    expect(await db.as()`select station_id, pm25, pm25_raw from rollup.station_hourly order by 1`).toEqual([
      { station_id: 1, pm25: expect.closeTo(6.68, 6), pm25_raw: 10 },
      { station_id: 2, pm25: 9, pm25_raw: 10 },
    ]);
  });
});
