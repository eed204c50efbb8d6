/** Whole sources are read: CSV, JSON, archives, and the names that are understood. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readReadings } from '../../../../src/extras/senders/reading/collect.ts';
import type { ReadingBatch } from '../../../../src/ingest/reading/batches.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { openSource } from '../../../../src/ingest/rows/source.ts';
import { file } from '../../../ingest/support.ts';

async function read(content: string | Buffer, declared?: Declarations) {
  const readings: ReadingBatch['readings'] = [];
  let ignored: string[] = [];
  let failure: string | undefined;
  try {
    for await (const batch of readReadings(await openSource(file('readings', content)), declared)) {
      readings.push(...batch.readings);
      ignored = [...batch.found.facts.ignored.keys()];
    }
  } catch (error) {
    failure = (error as Error).message.replace(/^.*\/readings/, 'readings');
  }
  return { readings, ignored, failure };
}

const T = '2026-01-01T00:00:00Z';

describe('CSV', () => {
  test('garbage in CSV costs only its own line', async () => {
    const { readings, failure } = await read(
      `sensor_id,time,pm25\n1,${T},5\n1,2\n1,${T},5,6\n1,"${T},5\n${'x'.repeat(70_000)}\n\0\u0001\n1,${T},6`,
    );
    expect(readings.map(({ line, unreadable }) => [line, unreadable])).toEqual([
      [2, undefined],
      [3, true],
      [4, true],
      [5, true],
      [6, true],
      [7, true],
      [8, undefined],
    ]);
    expect(failure).toBeUndefined();
  });

  test('a second header that cannot be used is refused, with its line (S7)', async () => {
    const text = `sensor_id,time,pm25\n1,${T},10\nsensor_id,pm25,x\n1,2,3\n`;
    const { failure } = await read(text);
    expect(failure).toContain('readings:3: the header has no column for the time');
  });

  test.each([
    ['a row of words', 'roof,noon,high'],
    ['a row that is wider', `roof,${T},high,good`],
  ])('the header is named that cannot be used, and not %s below it', async (_, row) => {
    const { failure } = await read(`Station North\nstation,time,pm25\n${row}\n`);
    expect(failure).toContain(
      'readings:2: the header has no column sensor_id: "station,time,pm25"',
    );
  });

  test.each([
    ['time,pm25', 'has no column sensor_id'],
    ['sensor_id,pm25', 'has no column for the time'],
    ['sensor_id,time', 'names no parameter'],
    ['sensor_id,time,pm25,pm25', 'names pm25 twice'],
    ['hello world', 'has no column sensor_id'],
  ])('the CSV header %j is refused with the reason', async (header, why) => {
    const { failure } = await read(`${header}\n`);
    expect(failure).toContain(
      `readings:1: the header ${why}: ${JSON.stringify(header)}. Needed are sensor_id, one of`,
    );
  });
});

describe('NDJSON', () => {
  test('lines of JSON may have numbers or text, and keys in any order', async () => {
    const lines = [
      `{"sensor_id":1,"time":"${T}","pm25":5,"a":1}`,
      'not json',
      '[1]',
      'null',
      `{"sensor_id":"2","timestamp":"${T}","pm25":"6","b":{"c":1}, "__proto__":{"pm10":1}}`,
    ];
    const { readings, ignored } = await read(lines.join('\r\n'));
    expect(
      readings.map(({ sensorId, measuredAt, values, unreadable }) => [
        sensorId,
        measuredAt,
        values.pm25,
        values.pm10,
        unreadable,
      ]),
    ).toEqual([
      [1, T, 5, undefined, undefined],
      [undefined, undefined, undefined, undefined, true],
      [undefined, undefined, undefined, undefined, true],
      [undefined, undefined, undefined, undefined, true],
      ['2', T, '6', undefined, undefined],
    ]);
    expect(ignored).toEqual(['a', 'b', '__proto__']);
  });

  test('JSON may be an array or an object over several lines, and a broken element is refused', async () => {
    const one = { sensor_id: 1, time: T, pm25: 5 };
    for (const text of [
      JSON.stringify([one]),
      JSON.stringify([one], null, 2),
      JSON.stringify(one, null, 2),
    ]) {
      const { readings } = await read(text);
      expect(readings).toEqual([
        { sensorId: 1, measuredAt: T, values: { pm25: 5 }, line: 1, text: JSON.stringify(one) },
      ]);
    }
    const { readings, failure } = await read(`[${JSON.stringify(one)},\n{]`);
    expect(readings).toHaveLength(1);
    expect(failure).toMatch(/^readings, after element 1: invalid JSON/);
  });
});

test.each(['NaN', 'nan', 'inf', '-Infinity'])(
  '%s in a line of JSON is named with the remedy',
  async (value) => {
    const { readings } = await read(`{"sensor_id":1,"time":"${T}","pm25":${value}}\n`);
    expect(readings).toMatchObject([
      { unreadable: true, why: expect.stringMatching('write null') },
    ]);
  },
);

test('NaN in JSON is named, and the readings before it are kept', async () => {
  const { readings, failure } = await read(
    `[{"sensor_id":1,"time":"${T}","pm25":5},{"sensor_id":1,"time":"${T}","pm25":NaN}]`,
  );
  expect(readings).toMatchObject([{ values: { pm25: 5 } }]);
  expect(failure).toMatch(/after element 2: invalid JSON \(it has NaN .*: write null\)/);
});

describe('files', () => {
  const lines = Array.from(
    { length: 12_000 },
    (_, n) => `1,${new Date(1.6e12 + n * 60_000).toISOString()},${n % 100}`,
  );
  const text = `sensor_id,time,pm25\n${lines.join('\n')}\n`;

  test('a file that begins like gzip is unpacked, also with several members', async () => {
    const half = text.indexOf('\n', text.length / 2) + 1;
    const { readings, failure } = await read(
      Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))]),
    );
    expect(readings).toHaveLength(12_000);
    expect(failure).toBeUndefined();
  });

  test('an empty file, a folder and a missing file are refused', async () => {
    expect((await read('')).failure).toMatch(/^readings: the file is empty/);
    expect((await read(gzipSync(''))).failure).toMatch(/^readings: the file is empty/);
    await expect(openSource('/')).rejects.toThrow('/: this is a folder');
    await expect(openSource('/no/such/file')).rejects.toThrow('there is no such file');
  });
});

test('a declaration that cannot be followed is refused at the first line of a stream', async () => {
  let lines = 0;
  async function* bytes() {
    for (; lines < 20; lines++) yield Buffer.from('sensor_id,time,pm25\n');
  }
  const source = { name: 'stream', size: undefined, read: 0, bytes: bytes() };
  await expect(readReadings(source, { zone: 'MEZ' }).next()).rejects.toThrow(/^--zone: /);
  expect(lines).toBeLessThan(3);
});
