/** How a number may be written, wherever it stands, and what to write instead of two that it may be. */
import { describe, expect, it } from 'vitest';
import { explainValue } from '../../../src/ingest/explain.ts';
import { readNumber, writeInstead } from '../../../src/ingest/numbers.ts';
import { COMMAND_LINE } from '../../../src/ingest/reading/vocabulary.ts';
import { mayBeNoMeasurement } from '../../../src/ingest/store/instruments.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { readText } from './support.ts';

const T = '2026-11-20T08:00:00Z';

describe('a decimal comma', () => {
  const COMMAS = ['12,5', '-1,5', '\u22121,5', '\u20131,5', '1\u00a0013,25', ',5', '1,5E1'];
  const NUMBERS = [12.5, -1.5, -1.5, -1.5, 1013.25, 0.5, 15];

  it.each([';', '\t', '|'])(
    'a decimal comma is read in tables with %j between fields',
    async (by) => {
      const lines = COMMAS.map((value) => ['1', T, value].join(by));
      const { readings } = await readText(
        `${['sensor_id', 'time', 'pm25'].join(by)}\n${lines.join('\n')}`,
      );
      expect(readings.map(({ values }) => readNumber(values.pm25))).toEqual(NUMBERS);
    },
  );

  it('a decimal comma is not read in tables with commas between fields, nor in JSON', async () => {
    const table = await readText(`sensor_id,time,pm25\n1,${T},"12,5"\n`);
    const object = await readText(JSON.stringify({ sensor_id: 1, time: T, pm25: '12,5' }));
    for (const { readings } of [table, object])
      expect(readings.map(({ values }) => readNumber(values.pm25))).toEqual([undefined]);
  });
});

it.each<[given: string, remedy: RegExp | undefined]>([
  ['12,5', /^12,5 has a comma: write 12\.5, or a table with ; between its fields/],
  [',5', /write 0\.5, or/],
  ['1,500', /^1,500 has a comma: write 1\.500 or 1500, or/],
  ['1.234,5', /^1\.234,5 has its thousands set apart: write 1234\.5$/],
  ['-1,234.5', /write -1234\.5$/],
  ['1.234.567', /write 1234567$/],
  ['12 345,6', /write 12345\.6$/],
  ["12'345", /write 12345$/],
  [
    '<5',
    /^<5 is below the detection limit.* write half the limit \(2\.5\), .* leave the field empty/,
  ],
  ['< 0,5', /half the limit \(0\.25\)/],
  ['<LOD', /write half the limit, as/],
  ['>1000', /^>1000 says only that there is more than could be measured: leave the field empty$/],
  ['broken', undefined],
  ['12,5,3', undefined],
  ['1.23,4', undefined],
  ['<b>', undefined],
])('what to write instead of %j is said', (given, remedy) => {
  if (remedy === undefined) expect(writeInstead(given)).toBeUndefined();
  else expect(writeInstead(given)).toMatch(remedy);
});

describe('what is asked of values', () => {
  it('the minus of typography counts where the scale of a column is looked at (S8)', async () => {
    const lines = Array.from(
      { length: 46 },
      (_, at) => `1,2026-11-20T08:${10 + at}:00Z,${at < 25 ? '\u22125' : '46'}\n`,
    );
    const { readings, doubts } = await readText(`sensor_id,time,temperature\n${lines.join('')}`);
    expect(doubts.of(readings, COMMAND_LINE)).toEqual([]);
  });

  it('the end of a range is found behind a space that does not break (S1)', () => {
    expect(mayBeNoMeasurement({ pm10: '1\u00a0999.9' })).toBe(true);
    expect(mayBeNoMeasurement({ pm10: '1\u00a0', pm25: 'broken' })).toBe(false);
  });

  it('a value in another unit is named behind a space that does not break', () => {
    expect(explainValue('out_of_bounds:pressure', '1\u00a0013.2', READING_FORMATS)).toContain(
      'looks like hPa',
    );
  });
});

describe('the id of a sensor', () => {
  it('the id of a sensor that pandas has made a float of is its whole number', async () => {
    const { readings } = await readText(`sensor_id,time,pm25\n11.0,${T},5\n11.5,${T},5\n`);
    expect(readings.map(({ sensorId }) => sensorId)).toEqual(['11', '11.5']);
  });

  it('the declared sensor may stand in rows as a float', async () => {
    const { readings } = await readText(`sensor_id,time,pm25\n11.0,${T},5\n`, { sensor: 11 });
    expect(readings).toMatchObject([{ sensorId: '11', values: { pm25: '5' } }]);
  });

  it('the name of a device stays as it is written', async () => {
    const { readings } = await readText(`device,time,pm25\n11.0,${T},5\n`);
    expect(readings).toMatchObject([{ device: '11.0' }]);
  });
});
