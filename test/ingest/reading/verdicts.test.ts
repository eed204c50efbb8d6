/** Columns in which a file says itself which of its rows count, obeyed by declaration (S7). */
import { expect, it } from 'vitest';
import { readReadings } from '../../../src/ingest/reading/collect.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { verdictDoubts } from '../../../src/ingest/reading/verdicts.ts';
import { COMMAND_LINE } from '../../../src/ingest/reading/vocabulary.ts';
import { inPieces } from '../../../src/ingest/rows/lines.ts';

/** The readings of a table with these columns, how many rows are left out, and what is doubtful. */
async function read(columns: string, rows: readonly string[], declared: Declarations = {}) {
  const lines = rows.map((row, hour) => `1,2026-11-20T0${hour}:00:00Z,5,${row}\n`);
  const text = `sensor_id,time,pm25,${columns}\n${lines.join('')}`;
  const source = { name: 'x', size: 1, read: 0, bytes: inPieces([Buffer.from(text)]) };
  const found = { readings: 0, excluded: 0, ignored: [] as string[], doubt: undefined as unknown };
  for await (const { readings, notes } of readReadings(source, declared)) {
    found.readings += readings.length;
    found.excluded = notes.excluded;
    found.ignored = [...notes.ignored];
    found.doubt = verdictDoubts(notes.verdicts, COMMAND_LINE)[0]?.what;
  }
  return found;
}

it.each([
  ['Validity', '1', '-1'],
  ['AggType', 'hour', 'day'],
  ['QC_flag', '', 'X'],
  ['Verification', '1', '3'],
  ['status', 'V', 'N'],
])(
  'the verdict column %s is obeyed where one of its values is declared, or all of them',
  async (name, one, other) => {
    const rows = [one, other];
    expect((await read(name, rows)).doubt).toContain(
      `which rows count seems to stand in ${name} (${one || 'empty'}, ${other}), and is not used`,
    );
    const obeyed = { excluded: 1, readings: 1, ignored: [], doubt: undefined };
    expect(await read(name, rows, { only: [`${name}=${one}`] })).toEqual(obeyed);
    const all = { excluded: 0, readings: 2, ignored: [], doubt: undefined };
    expect(await read(name, rows, { only: [`${name}=*`] })).toEqual(all);
  },
);

it('several verdict columns can be declared together', async () => {
  const rows = ['hour,1', 'hour,-1', 'day,1', 'hour,2'];
  const only = ['AggType=hour', 'Validity=1,2,3'];
  expect(await read('AggType,Validity', rows, { only })).toEqual({
    excluded: 2,
    readings: 2,
    ignored: [],
    doubt: undefined,
  });
});

it.each([
  ['a column with one value, which leaves nothing out', 'status', ['N', 'N']],
  ['valid and provisional rows, which were both measured', 'status', ['V', 'P']],
  ['a column with another name', 'statute', ['1', '2']],
])('no verdict is suspected in %s', async (_, name, rows) => {
  expect(await read(name, rows)).toMatchObject({ readings: 2, excluded: 0, doubt: undefined });
});
