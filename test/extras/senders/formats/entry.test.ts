/** Entries of sources.json are checked, and one that cannot be followed is refused. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../../src/extras/senders/formats/entry.ts';
import { chooseFormat } from '../../../../src/extras/senders/formats/formats.ts';
import { layoutOf, planOf } from '../../../../src/extras/senders/reading/plan.ts';
import { makeTimeReader } from '../../../../src/extras/senders/reading/times.ts';
import { makeColumns, makeObjectReader, type Row } from '../../../../src/ingest/rows/row.ts';

const GOOD = {
  about: 'files of x',
  page: ['https://air.example/format'],
  needs: 'Files of x have id, at and pm.',
};

const formatWith = (more: object) => formatOf('x', { ...GOOD, ...more });
const row = (given: Record<string, unknown>) => makeObjectReader()(given, '{}', 1) as Row;

it.each<[what: string, more: object, message: string]>([
  ['a key that is unknown', { colums: {} }, 'key (itself): Unrecognized key: "colums"'],
  ['a page that is no address', { page: ['x'] }, 'key page.0: Invalid URL'],
  [
    'a column that is not our name',
    { columns: { pm27: 'pm' } },
    'key columns.pm27: expected one of sensor_id, device, time, interval, parameter, value, unit, a parameter, rain_total, perhaps with a unit',
  ],
  [
    'a column with a unit of another parameter',
    { columns: { no2_hpa: 'NO2' } },
    'key columns.no2_hpa: expected one of',
  ],
  [
    'a time with a verdict',
    { columns: { time: { column: 'at', only: { Valid: ['1'] } } } },
    'key columns.time: expected names of columns',
  ],
  [
    'a parameter that is not our name',
    { parameters: { benzene: '20' } },
    'key parameters.benzene: expected one of',
  ],
  [
    'a unit that its parameter does not have',
    { units: { pm25: 'ppb' } },
    'key units.pm25: pm25 has no unit "ppb"',
  ],
])('an entry is refused with its name and its key: %s', (_, more, message) => {
  expect(() => formatWith(more)).toThrow(`sources.json: entry "x", ${message}`);
});

describe('what an entry says', () => {
  const plan = (more: object, names: readonly string[], only: string[] = []) =>
    planOf(layoutOf(formatWith(more), { only }), makeColumns(names, ','));

  it('of several times the first counts that a table has, also one in several columns', () => {
    const timeIn = (...names: string[]) =>
      plan({ columns: { time: ['at', 'day+hour'] } }, names).time.positions.map(
        ({ index }) => names[index],
      );
    expect(timeIn('hour', 'day', 'at')).toEqual(['at']);
    expect(timeIn('hour', 'day')).toEqual(['day', 'hour']);
  });

  it('a verdict on a value is read, and gives way to a declared one (S7, S9)', () => {
    const columns = { pm25: { column: 'pm', only: { pm_flag: ['ok'] }, skip: { by: ['model'] } } };
    const names = ['pm', 'pm_flag', 'by'];
    const verdicts = (only: string[]) =>
      plan({ columns }, names, only).values[0]?.columns[0]?.verdicts;
    expect(verdicts([])).toEqual([
      { position: { index: 1, path: undefined }, values: new Set(['ok']) },
      { position: { index: 2, path: undefined }, values: new Set(['model']), isRefused: true },
    ]);
    expect(verdicts(['pm_flag=*', 'by=x'])).toEqual([]);
    expect(plan({ columns }, names).unused).toEqual([]);
  });

  it('a declared unit counts before that of an entry, and both before a column (S6)', () => {
    const units = { temperature: 'f' };
    const { units: own } = layoutOf(formatWith({ units }), {});
    const { units: declared } = layoutOf(formatWith({ units }), { units: ['temperature=k'] });
    expect([own.get('temperature'), declared.get('temperature')]).toEqual(['f', 'k']);
  });

  it('a document is recognized by its first row', () => {
    const { recognizes } = formatWith({ rows: 'list', recognize: [['id', 'at']] });
    expect(recognizes(row({ list: [{ id: 1, at: 2 }] }))).toBe(true);
    expect(recognizes(row({ list: [{ id: 1 }] }))).toBe(false);
    expect(recognizes(row({ list: [] }))).toBe(false);
    expect(recognizes(row({ id: 1, at: 2 }))).toBe(true);
  });
});

it('the entry that src/extras/senders/formats/README.md shows can be followed', () => {
  const readme = readFileSync(
    new URL('../../../../src/extras/senders/formats/README.md', import.meta.url),
    'utf8',
  );
  const [, shown = ''] = /```json\n("garden-box": [\s\S]*?)```/.exec(readme) ?? [];
  const [entry] = Object.values(JSON.parse(`{${shown}}`));
  const { names } = row({ box: 'x', at: '2026-11-20T08:00:00Z', fine: 5, temp_f: 50, hum: 80 });
  expect(formatOf('garden-box', entry).columns(names).values).toMatchObject({
    pm25_raw: [{ field: 'fine' }],
    temperature: [{ field: 'temp_f', unit: 'f' }],
    humidity: [{ field: 'hum' }],
  });
});

it('EEA’s files have winter time all year (S7)', () => {
  const timeOf = makeTimeReader(chooseFormat('eea', row({})), {});
  expect(timeOf('2026-07-20 10:00:00', 1).at).toBe('2026-07-20 10:00:00+01:00');
});
