/** The values of a row, read by its plan: which of several counts, and in which unit (S3, S7). */
import { describe, expect, it } from 'vitest';
import { chooseFormat } from '../../../../src/extras/senders/formats/formats.ts';
import { layoutOf, planOf } from '../../../../src/extras/senders/reading/plan.ts';
import { passedOver, readValues } from '../../../../src/extras/senders/reading/values.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { makeColumns, makeObjectReader, type Row } from '../../../../src/ingest/rows/row.ts';

function read(row: Row, declared: Declarations = {}) {
  const plan = planOf(layoutOf(chooseFormat(declared.name, row), declared), row.names);
  return { values: readValues(row, plan), over: passedOver(row, plan) };
}
const object = (given: Record<string, unknown>, declared?: Declarations) =>
  read(makeObjectReader()(given, '', 1) as Row, declared);
const line = (header: string, cells: string, delimiter = ';') =>
  read({
    names: makeColumns(header.split(delimiter), delimiter),
    cells: cells.split(delimiter),
    text: cells,
    line: 2,
  });

describe('a value', () => {
  it('an empty value is null, and a value without a column is absent (S3)', () => {
    expect(line('pm25;pm10', ';4').values).toEqual({ pm25: null, pm10: '4' });
    expect(object({ pm25: null, temperature: { value: '' } }).values).toEqual({
      pm25: null,
      temperature: null,
    });
  });

  it('a value may have a decimal comma where the comma is not the delimiter', () => {
    expect(line('pm25;pm10', '8,5;-1,5').values).toEqual({ pm25: '8.5', pm10: '-1.5' });
    expect(object({ pm25: '8,5' }).values).toEqual({ pm25: '8,5' });
    const names = makeColumns(['pm25'], ',');
    expect(read({ names, cells: ['8,5'], text: '', line: 2 }).values).toEqual({ pm25: '8,5' });
  });

  it('a value may say its unit itself, and --unit comes before it', () => {
    const given = { temperature: { value: 50, unit: '°F' }, no2: { value: 3, unit: 'stone' } };
    expect(object(given).values).toEqual({
      temperature: expect.closeTo(10, 6),
      no2: '3 stone',
    });
    expect(object(given, { units: ['temperature=c'] }).values).toMatchObject({ temperature: 50 });
  });

  it('the first given value of a parameter counts, and the others are passed over', () => {
    expect(object({ pm25: 1, 'pm2.5': 2, P2: null })).toMatchObject({
      values: { pm25: 1 },
      over: ['pm2.5'],
    });
    expect(object({ pm25: null, 'pm2.5': 2 })).toMatchObject({ values: { pm25: 2 }, over: [] });
    expect(object({ pm25: '', 'pm2.5': null })).toMatchObject({ values: { pm25: null }, over: [] });
  });

  it('the total of a rain gauge comes before the amount, and is null beside it', () => {
    expect(line('rain;rain_total', '1;20')).toMatchObject({
      values: { rain_total: '20' },
      over: ['rain'],
    });
    expect(line('rain;rain_total', '1;').values).toEqual({ rain: '1', rain_total: null });
    expect(line('rain;rain_total', ';').values).toEqual({ rain_total: null });
  });

  it('a value that is a list, or an object without a plain value, is read as nested', () => {
    expect(object({ pm25: [1], pm10: { a: 1 }, no2: { value: [1] } }).values).toEqual({
      pm25: 'nested',
      pm10: 'nested',
      no2: 'nested',
    });
  });
});
