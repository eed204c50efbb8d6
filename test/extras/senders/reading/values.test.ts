/** The values of a row, read by its plan: which of several counts, and in which unit (S3, S7). */
import { describe, expect, it } from 'vitest';
import type { Format } from '../../../../src/extras/senders/formats/format.ts';
import { chooseFormat } from '../../../../src/extras/senders/formats/formats.ts';
import { layoutOf, planOf } from '../../../../src/extras/senders/reading/plan.ts';
import {
  passedOver,
  readNamedValues,
  readValues,
} from '../../../../src/extras/senders/reading/values.ts';
import { positionOf } from '../../../../src/extras/senders/rows/cells.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { makeColumns, makeObjectReader, type Row } from '../../../../src/ingest/rows/row.ts';

function read(row: Row, declared: Declarations = {}, format = chooseFormat(declared.name, row)) {
  const layout = layoutOf(format, declared);
  const plan = planOf(layout, row.names);
  return {
    values: readValues(row, plan),
    unused: plan.unused,
    over: passedOver(row, plan),
    named: readNamedValues(row, plan, layout),
  };
}
const NO_ROW: Row = { names: makeColumns([], ','), cells: [], text: '', line: 1 };
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

describe('a unit in another cell of the row (S9)', () => {
  const own = chooseFormat('airseries', NO_ROW);
  /** Values stand beside their units, as in `temperature,temperature_unit`. */
  const beside: Format = {
    ...own,
    columns(names) {
      const { values } = own.columns(names);
      const withUnits = Object.entries(values).map(([parameter, columns]) => [
        parameter,
        columns.map((column) => {
          const position = positionOf(names, `${column.field}_unit`);
          return { ...column, unitAt: position && { position } };
        }),
      ]);
      return { values: Object.fromEntries(withUnits) };
    },
  };
  /** One cell says the units of all values, by a letter. */
  const system: Format = {
    ...own,
    columns(names) {
      const position = positionOf(names, 'system');
      const unitOf = (cell: unknown) => (cell === 'u' ? 'f' : undefined);
      return { ...own.columns(names), unitAt: position && { position, unitOf } };
    },
  };
  const cells = (header: string, text: string): Row => ({
    names: makeColumns(header.split(','), ','),
    cells: text.split(','),
    text,
    line: 2,
  });

  it('the unit is read in each row, in tables and objects', () => {
    const header = 'temperature,temperature_unit,pm25';
    const fahrenheit = read(cells(header, '50,°F,1'), {}, beside);
    expect(fahrenheit).toMatchObject({ values: { temperature: 10, pm25: '1' }, unused: [] });
    expect(read(cells(header, '50,C,1'), {}, beside).values).toMatchObject({ temperature: '50' });
    const given = makeObjectReader()({ temperature: 50, temperature_unit: 'F' }, '', 1) as Row;
    expect(read(given, {}, beside).values).toEqual({ temperature: 10 });
  });

  it('a unit that the parameter does not have is never taken for ours', () => {
    const { values } = read(cells('temperature,temperature_unit', '50,stone'), {}, beside);
    expect(values).toEqual({ temperature: '50 stone' });
  });

  it('an empty cell says no unit: the column counts, and the parameter has none otherwise', () => {
    expect(read(cells('temp_f,temp_f_unit', '50,'), {}, beside).values).toEqual({
      temperature: 10,
    });
    expect(read(cells('temp,temp_unit', '50,'), {}, beside).values).toEqual({ temperature: '50' });
  });

  it('--unit comes before it, and the cell is unused then', () => {
    const row = cells('temperature,temperature_unit', '50,F');
    expect(read(row, { units: ['temperature=c'] }, beside)).toMatchObject({
      values: { temperature: '50' },
      unused: ['temperature_unit'],
    });
  });

  it('a cell may say the units of all values, of mapped columns too', () => {
    const header = 'temperature,garden,system';
    const mapped = { columns: ['temperature=garden'] };
    expect(read(cells(header, '50,59,u'), {}, system).values).toEqual({ temperature: 10 });
    expect(read(cells(header, '50,59,u'), mapped, system).values).toEqual({ temperature: 15 });
    expect(read(cells(header, '50,59,x'), mapped, system).values).toEqual({ temperature: '59' });
    const named = { columns: ['temperature_k=garden'] };
    expect(read(cells(header, '50,273.15,u'), named, system)).toMatchObject({
      values: { temperature: 0 },
      unused: ['temperature', 'system'],
    });
  });
});

describe('a value whose parameter the row names', () => {
  const state = (more: Record<string, unknown>, declared: Declarations = {}) =>
    object({ entity_id: 'sensor.rain', state: '5', ...more }, declared).named;

  it('a named value belongs to the first known name, and is in our unit', () => {
    const attributes = { device_class: 'precipitation', unit_of_measurement: 'in' };
    expect(state({ attributes })).toMatchObject([
      { field: 'precipitation', column: 'rain', value: expect.closeTo(127, 6) },
    ]);
    expect(state({ attributes: { ...attributes, state_class: 'total_increasing' } })).toMatchObject(
      [{ column: 'rain_total' }],
    );
    expect(state({}, { columns: ['pm10=sensor.rain'] })).toMatchObject([
      { field: 'sensor.rain', column: 'pm10', value: '5', unit: { said: undefined } },
    ]);
  });

  it('a named value is reported by its first name where no name is known', () => {
    expect(state({})).toEqual([{ field: 'sensor.rain' }]);
  });

  it('a named value is malformed where its name is not text', () => {
    expect(state({ entity_id: 5 })).toBeUndefined();
  });
});
