import { describe, expect, test } from 'vitest';
import { readBatch } from '../../../src/ingest/http/readings.ts';
import { type ReadingBatch, readReadings } from '../../../src/ingest/reading/collect.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { openSource } from '../../../src/ingest/rows/source.ts';
import { transitionsOf } from '../../support/localTime.ts';
import { file } from '../support.ts';

const HEADER =
  'sensor_id,timestamp,time_start,time_end,pm2.5,pm2.5_corrected,pm10,temperature,pressure,humidity';
const ofZone = (timeZone: string) => ({ timeZone, transitions: transitionsOf(timeZone) });
const formatOf = (timeZone: string): Declarations => ({
  name: 'airquality-am',
  ...ofZone(timeZone),
});

async function read(content: string, timeZone = 'Asia/Yerevan') {
  const batches: ReadingBatch[] = [];
  for await (const batch of readReadings(
    await openSource(file('measurements.csv', content)),
    formatOf(timeZone),
  )) {
    batches.push(batch);
  }
  return {
    readings: batches.flatMap(({ readings }) => readings),
    ignored: [...(batches[0]?.notes.ignored ?? [])],
  };
}
const failure = (content: string) => read(content).catch((error: Error) => error.message);

describe('measurements', () => {
  test('in files of means the only PM2.5 is the corrected one, whatever its name', async () => {
    const daily = await read('sensor_id,timestamp,avg_pm2.5,avg_temperature\n2,2025-02-27,6.7,\n');
    expect(daily.readings).toMatchObject([
      { measuredAt: '2025-02-27 00:00:00+04:00', values: { pm25: '6.7' } },
    ]);
    const hourly = await read(
      'sensor_id,timestamp,pm2.5,avg_pm10,total_rain\n2,2025-02-27 01:00:00,6.7,7.7,0.2\n',
    );
    expect(hourly.readings[0]?.values).toEqual({ pm25: '6.7', pm10: '7.7', rain: '0.2' });
  });

  test.each([
    ['sensor_id,timestamp,avg_pm2.5,avg_pm10', 'day'],
    ['sensor_id,timestamp,pm2.5,avg_pm10', 'hour'],
    [HEADER, undefined],
  ])('%s has means of a %s', async (header, means) => {
    const source = await openSource(file('means.csv', `${header}\n2,2026-02-01 00:00:00,1\n`));
    for await (const batch of readReadings(source, formatOf('Asia/Yerevan')))
      expect(batch.notes.means).toBe(means);
    expect.assertions(1);
  });

  test.each(['sensor_id,timestamp,avg_pm2.5', 'sensor_id,timestamp,pm2.5,avg_pm10', HEADER])(
    'without its format, a file that begins with %s is recognized, and its times are those of the network',
    async (header) => {
      const values = header
        .split(',')
        .map((name) => (name === 'timestamp' ? '2026-02-01 00:00:00' : '1'));
      const source = await openSource(
        file('means.csv', `SET\n${header}\n${values.join(',').replace('1,1', '1,')}\n`),
      );
      for await (const { notes } of readReadings(source, ofZone('Asia/Yerevan'))) {
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
  ])(
    '%s is recognized where the first reading has no corrected value',
    async (_, type, content) => {
      const source = await openSource(file('readings.json', content));
      const read: unknown[] = [];
      for await (const { readings } of readReadings(source, ofZone('Asia/Yerevan')))
        read.push(...readings);
      expect(read).toMatchObject(both);
      const body = await readBatch(Buffer.from(content), type, ofZone('Asia/Yerevan'));
      expect(body).toMatchObject({ readings: both });
    },
  );

  test('a corrected value that comes too late to be recognized by is rejected with its reason, and not stored as raw', async () => {
    const own = Array.from({ length: 2_000 }, () => JSON.stringify(rows[0]));
    const source = await openSource(file('readings.json', [...own, lines, lines].join('\n')));
    const rejected: unknown[] = [];
    for await (const { readings } of readReadings(source))
      rejected.push(
        ...readings.filter(({ unreadable }) => unreadable).map(({ line, why }) => [line, why]),
      );
    const why = expect.stringMatching(
      /format airquality-am, but the rows before it do not.*--format/,
    );
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
    const { readings } = await read(
      `sensor_id,timestamp,pm2.5\n${lines.join('\n')}\n`,
      'Europe/London',
    );
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
  const { readings } = await read(
    `sensor_id,timestamp,pm2.5\n${lines.join('\n')}\n`,
    'Europe/London',
  );
  expect(readings.map(({ measuredAt }) => String(measuredAt).slice(11))).toEqual([
    ...['02:00+00:00', '01:30+00:00', '01:00+00:00', '01:30+01:00', '01:00+01:00', '00:30+01:00'],
  ]);
});
