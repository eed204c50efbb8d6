/** Where the columns of `--column` are: in the payload before the row, and whole before joined. */
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../../../src/extras/senders/formats/formats.ts';
import { declaredColumns } from '../../../../src/extras/senders/reading/declarations.ts';
import {
  type Level,
  mappedSlot,
  mappedValues,
  valuesIn,
  withUnitOfFormat,
} from '../../../../src/extras/senders/reading/mapped.ts';
import { makeColumns, makeObjectReader, type Row } from '../../../../src/ingest/rows/row.ts';

const table = (header: string): Level => ({ names: makeColumns(header.split(','), ',') });
const object = (given: Record<string, unknown>): Level => ({
  names: (makeObjectReader()(given, '{}', 1) as Row).names,
});
const at = (index: number, path?: string) => ({ index, path });
const inPayload = (index: number, path?: string) => ({ index, path, isInPayload: true });
const formatOf = (name: string) => {
  const format = FORMATS.find((one) => one.name === name);
  if (format === undefined) throw new Error(name);
  return format;
};

describe('a text', () => {
  const own = { positions: [at(9)] };
  const slot = (columns: readonly string[], ...levels: Level[]) =>
    mappedSlot(declaredColumns({ columns }), 'time', levels, own);

  it('a text is where its format has it, unless the rows have a declared column', () => {
    for (const columns of [[], ['time=When'], ['time=Date+Hour'], ['device=Date']])
      expect(slot(columns, table('Date,time'))).toBe(own);
  });

  it('a declared text is in a column, at a path, or joined from all of several columns', () => {
    expect(slot(['time=date'], table('Date,Hour'))).toEqual({ positions: [at(0)], otherwise: own });
    expect(slot(['time=a.b'], object({ x: 1, a: {} })).positions).toEqual([at(1, 'b')]);
    expect(slot(['time=a.b'], table('x,a')).positions).toEqual([at(9)]);
    expect(slot(['time=Date + Hour'], table('Hour,Date'))).toEqual({
      positions: [at(1), at(0)],
      isJoined: true,
      otherwise: own,
    });
  });

  it('a column with a plus sign in its name is taken before columns are joined', () => {
    const { positions, isJoined } = slot(['time=Date+Hour'], table('Date,Hour,Date+Hour'));
    expect([positions, isJoined]).toEqual([[at(2)], undefined]);
  });

  it('a declared text is in the first declared column, and otherwise in the next', () => {
    expect(slot(['time=B', 'time=X', 'time=A'], table('A,B'))).toEqual({
      positions: [at(1)],
      otherwise: { positions: [at(0)], otherwise: own },
    });
  });

  it('a declared text is read from the payload before the row', () => {
    const payload: Level = { ...object({ y: 1, t: 2 }), isInPayload: true };
    expect(slot(['time=t'], payload, object({ t: 1 }))).toEqual({
      positions: [inPayload(1)],
      otherwise: { positions: [at(0)], otherwise: own },
    });
    expect(slot(['time=y+t'], payload).positions).toEqual([inPayload(0), inPayload(1)]);
  });
});

describe('values', () => {
  const values = (format: string, columns: readonly string[], ...levels: Level[]) =>
    Object.fromEntries(mappedValues(declaredColumns({ columns }), formatOf(format), levels));

  it('declared values are in the columns that the rows have, in the order of declaration', () => {
    const columns = ['pm25=b', 'pm10=none', 'pm25=a', 'device=d'];
    expect(values('airseries', columns, table('a,b,d'))).toMatchObject({
      pm25: [
        { field: 'b', position: at(1) },
        { field: 'a', position: at(0) },
      ],
    });
    expect(values('airseries', ['pm10=none'], table('a'))).toEqual({});
  });

  it('declared values are read once, from the payload before the row', () => {
    const levels: Level[] = [
      { ...object({ x: 1, a: 2 }), isInPayload: true },
      object({ a: 1, b: 2 }),
    ];
    expect(values('airseries', ['pm25=a', 'pm10=b'], ...levels)).toMatchObject({
      pm25: [{ position: inPayload(1) }],
      pm10: [{ position: at(1) }],
    });
  });

  it('a declared value of PurpleAir has the second channel of the same housing', () => {
    const header = table('pm2_5_cf_1_b,pm2_5_cf_1');
    expect(values('purpleair', ['pm25_raw=pm2_5_cf_1'], header)).toMatchObject({
      pm25_raw: [{ position: at(1), second: at(0) }],
    });
    expect(values('airseries', ['pm25_raw=pm2_5_cf_1'], header).pm25_raw?.[0]?.second).toBe(
      undefined,
    );
  });

  it('a cell that says the unit is in the payload where its value is', () => {
    const names = makeColumns(['temp', 'unit'], ',');
    const column = { position: at(0), field: 'temp', unit: undefined, unitAt: { position: at(1) } };
    const [inRow] = valuesIn({ names }, [column]);
    expect(inRow?.unitAt).toEqual({ position: at(1) });
    const [inPayload] = valuesIn({ names, isInPayload: true }, [column]);
    expect(inPayload?.unitAt).toEqual({ position: { ...at(1), isInPayload: true } });
  });

  it('the unit in the source comes before the unit in the declaration, and a value may be a total', () => {
    const names = makeColumns(['a', 'r'], ',', ['K', undefined]);
    const columns = ['temperature_f=a', 'rain_total_in=r'];
    expect(values('airseries', columns, { names })).toMatchObject({
      temperature: [{ unit: 'K' }],
      rain: [{ unit: 'in', isTotal: true }],
    });
  });
});

describe('the unit of a column', () => {
  it.each([
    ['airseries', 'temperature=Outside (°F)', '°f'],
    ['airseries', 'temperature=Outside', undefined],
    ['airseries', 'temperature_f=Outside (°C)', 'f'],
    ['purpleair', 'temperature=current_temp_f', 'f'],
    ['purpleair', 'pm25=current_temp_f', undefined],
  ])('in the format %s, the declared column %s has the unit %s', (format, text, unit) => {
    const [column] = declaredColumns({ columns: [text] });
    if (column === undefined) throw new Error(text);
    expect(withUnitOfFormat(column, formatOf(format))).toMatchObject({ unit });
  });

  it('a declared column of text gets no unit', () => {
    const [column] = declaredColumns({ columns: ['time=temp_f'] });
    if (column === undefined) throw new Error('no column');
    expect(withUnitOfFormat(column, formatOf('airseries'))).toBe(column);
  });
});
