/** Rows leave facts behind for reports: unused names, missing units (S7). */
import { describe, expect, it } from 'vitest';
import type { Format } from '../../../../src/extras/senders/formats/format.ts';
import { chooseFormat } from '../../../../src/extras/senders/formats/formats.ts';
import {
  makeFacts,
  noteIgnored,
  noteRow,
  noteUnusedCells,
} from '../../../../src/extras/senders/reading/facts.ts';
import { layoutOf, planOf } from '../../../../src/extras/senders/reading/plan.ts';
import { readNamedValues, unitsOf } from '../../../../src/extras/senders/reading/values.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import {
  makeColumns,
  makeObjectReader,
  type Names,
  type Row,
} from '../../../../src/ingest/rows/row.ts';

/** The facts about rows, which have one plan for the same names. */
function noted(
  rows: readonly Row[],
  declared: Declarations = {},
  format = chooseFormat(declared.name, rows[0] as Row),
) {
  const facts = makeFacts();
  const layout = layoutOf(format, declared);
  const plans = new Map<Names, ReturnType<typeof planOf>>();
  for (const row of rows) {
    const isFirst = !plans.has(row.names);
    const plan = plans.get(row.names) ?? planOf(layout, row.names);
    plans.set(row.names, plan);
    const named = readNamedValues(row, plan, layout) ?? [];
    const untimed = { given: undefined, column: undefined, time: undefined, reading: undefined };
    const seen = { format, row, plan, named, owner: 1, ...untimed };
    if (isFirst) noteUnusedCells(facts, plan);
    noteRow(facts, seen, unitsOf(seen, isFirst));
  }
  return {
    ignored: [...facts.ignored.keys()],
    undeclared: Object.fromEntries(facts.undeclared),
  };
}
const objects = (...given: Record<string, unknown>[]) => {
  const read = makeObjectReader();
  return given.map((one) => read(one, '{}', 1) as Row);
};
const lines = (header: string, ...all: string[]): Row[] => {
  const names = makeColumns(header.split(','), ',');
  return all.map((text, at) => ({ names, cells: text.split(','), text, line: at + 2 }));
};

describe('unused names', () => {
  it('the unused names of all rows are noted once, except for names that the format knows', () => {
    const rows = objects({ pm25: 1, rssi: 2 }, { pm25: 1, rssi: 2 }, { pm25: 1, rssi: 2, mood: 3 });
    expect(noted(rows).ignored).toEqual(['rssi', 'mood']);
    const archive = lines(
      'sensor_id,sensor_type,location,lat,timestamp,P1,location.indoor,x',
      '1,,,,,5,,',
    );
    expect(noted(archive).ignored).toEqual(['x']);
  });

  it('a verdict on rows is unused as long as nobody declares it', () => {
    const rows = lines('pm25,Validity,colour', '1,V,red', '1,X,red');
    expect(noted(rows).ignored).toEqual(['Validity', 'colour']);
    expect(noted(rows, { only: ['Validity=V'] }).ignored).toEqual(['colour']);
  });

  it('at most a hundred unused names are noted', () => {
    const facts = makeFacts();
    const format = chooseFormat('airseries', objects({})[0] as Row);
    noteIgnored(
      facts,
      format,
      Array.from({ length: 150 }, (_, n) => `x${n}`),
    );
    expect(facts.ignored.size).toBe(100);
  });

  it('a field with a value is noted as unused where another field is preferred to it', () => {
    expect(noted(objects({ pm25: 1, 'pm2.5': 2, P2: null })).ignored).toEqual(['pm2.5']);
    expect(noted(objects({ pm25: null, 'pm2.5': 2 })).ignored).toEqual([]);
  });

  it('an unknown parameter that a row names is noted as unused', () => {
    const header = 'location_id,sensors_id,location,datetime,lat,lon,parameter,units,value';
    const rows = lines(header, '1,2,,,,,pm25,µg/m³,5', '1,2,,,,,co,ppm,5');
    expect(noted(rows).ignored).toEqual(['co']);
  });
});

describe('parameters without a unit', () => {
  it('a parameter without a unit is noted with the first field that says no unit', () => {
    expect(noted(objects({ temperature: 1 }, { temp: 2 })).undeclared).toEqual({
      temperature: 'temperature',
    });
    expect(noted(objects({ temp_f: 1 })).undeclared).toEqual({});
    expect(noted(objects({ temp: 1 }), { units: ['temperature=c'] }).undeclared).toEqual({});
  });

  it('missing units are noted by every row of JSON, and by the first row of a table', () => {
    const said = { temperature: { value: 1, unit: 'f' } };
    expect(noted(objects(said)).undeclared).toEqual({});
    expect(noted(objects(said, { temperature: 1 })).undeclared).toEqual({
      temperature: 'temperature',
    });
    expect(noted(lines('temp,rain', '1,2', '1,2')).undeclared).toEqual({
      temperature: 'temp',
      rain: 'rain',
    });
  });

  it('missing units are noted by every row of a table whose rows say their units (S9)', () => {
    const rows = lines('temp,unit', '50,F', '50,');
    const own = chooseFormat('airseries', rows[0] as Row);
    const format: Format = {
      ...own,
      columns: (names) => ({
        ...own.columns(names),
        unitAt: { position: { index: 1, path: undefined } },
      }),
    };
    expect(noted(rows.slice(0, 1), {}, format).undeclared).toEqual({});
    expect(noted(rows, {}, format).undeclared).toEqual({ temperature: 'temp' });
  });

  it('a parameter that a row names without a unit is noted', () => {
    const header = 'location_id,sensors_id,location,datetime,lat,lon,parameter,units,value';
    const rows = lines(header, '1,2,,,,,pm25,µg/m³,5', '1,2,,,,,temperature,,5');
    expect(noted(rows).undeclared).toEqual({ temperature: 'temperature' });
  });
});
