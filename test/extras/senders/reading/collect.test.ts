/** Whole sources are read: tables, archives, and what is no number in JSON. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readReadings } from '../../../../src/extras/senders/reading/collect.ts';
import type { ReadingBatch } from '../../../../src/ingest/reading/batches.ts';
import { openSource } from '../../../../src/ingest/rows/source.ts';
import { file } from '../../../ingest/support.ts';

async function read(content: string | Buffer) {
  const readings: ReadingBatch['readings'] = [];
  let failure: string | undefined;
  try {
    for await (const batch of readReadings(await openSource(file('readings', content))))
      readings.push(...batch.readings);
  } catch (error) {
    failure = (error as Error).message.replace(/^.*\/readings/, 'readings');
  }
  return { readings, failure };
}

const T = '2026-01-01T00:00:00Z';

describe('CSV', () => {
  test('garbage in CSV costs only its own line', async () => {
    const { readings, failure } = await read(
      `sensor_id,time,pm25\n1,${T},5\n1,2\n1,${T},5,6\n1,"${T},5\n${'x'.repeat(70_000)}\n\0\u0001\n1,${T},6`,
    );
    const good = readings.filter(({ unreadable }) => unreadable === undefined);
    expect([readings.length, good.map(({ line }) => line)]).toEqual([7, [2, 8]]);
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

test('a file that begins like gzip is unpacked, also with several members', async () => {
  const members = [`sensor_id,time,pm25\n1,${T},5\n`, `1,${T},6\n`].map((text) => gzipSync(text));
  const { readings, failure } = await read(Buffer.concat(members));
  expect([readings.length, failure]).toEqual([2, undefined]);
});

test('an empty archive and a folder are refused', async () => {
  expect((await read(gzipSync(''))).failure).toMatch(/^readings: the file is empty/);
  await expect(openSource('/')).rejects.toThrow('/: this is a folder');
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
