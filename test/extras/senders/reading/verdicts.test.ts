/** Columns in which a file says itself which of its rows count, obeyed by declaration (S7). */
import { describe, expect, it } from 'vitest';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import type { Doubts } from '../../../../src/ingest/reading/facts.ts';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';
import { readText } from '../support.ts';

const T = '2026-11-19T08:00:00Z';
const AN_HOUR_LATER = '2026-11-19T09:00:00Z';

const verdictDoubt = (doubts: Doubts) =>
  doubts.of([], COMMAND_LINE).find(({ what }) => what.includes(' count seems to stand in '));

/** The readings of a table with these columns, how many rows are left out, and what is doubtful. */
async function read(columns: string, rows: readonly string[], declared: Declarations = {}) {
  const lines = rows.map((row, hour) => `1,2026-11-20T0${hour}:00:00Z,5,${row}\n`);
  const text = `sensor_id,time,pm25,${columns}\n${lines.join('')}`;
  const { readings, facts, doubts } = await readText(text, declared);
  return {
    readings: readings.length,
    excluded: facts.excluded,
    ignored: [...facts.ignored.keys()],
    doubt: verdictDoubt(doubts)?.what,
  };
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
    expect(await read(name, rows, { only: [`${name.toLowerCase()}=*`] })).toEqual(all);
  },
);

describe('a verdict on one value, or its source', () => {
  /** The values of a table with two rows, and the question about it. */
  async function values(column: string, name: string, only: string[] = [], columns: string[] = []) {
    const text = `sensor_id,time,${column},humidity,${name}\n1,${T},5,80,good one\n1,${AN_HOUR_LATER},39.9,81,7\n`;
    const { readings, facts, doubts } = await readText(text, { only, columns });
    const doubt = verdictDoubt(doubts);
    return { values: readings.map((one) => one.values), doubt, excluded: facts.excluded };
  }

  it.each<[column: string, name: string, columns?: string[]]>([
    ['temperature', 'temperature_Quality_Code'],
    ['temp', 'temp_source'],
    ['temp', 'temperature_qc'],
    ['temperature (°C)', 'QA_Temperature'],
    ['AirTemp', 'AirTemp Flag', ['temperature_c=AirTemp']],
  ])('of %s in %s leaves out that value alone (S9)', async (column, name, columns = []) => {
    const open = await values(column, name, [], columns);
    expect(open.doubt?.what).toBe(
      `which values of ${column} count seems to stand in ${name} (good one, 7), and is not used`,
    );
    const option = COMMAND_LINE.option('only', `${name}=good one`);
    expect(open.doubt?.remedy).toContain(`Write ${option} for values`);
    expect(await values(column, name, [`${name}=good one`], columns)).toEqual({
      values: [{ temperature: '5', humidity: '80' }, { humidity: '81' }],
      doubt: undefined,
      excluded: 1,
    });
    const all = await values(column, name, [`${name}=*`], columns);
    expect([all.values.length, all.doubt, all.excluded]).toEqual([2, undefined, 0]);
  });

  it('a row whose only value is left out is no reading', async () => {
    const rows = [`1,${T},5.0,1`, `1,${AN_HOUR_LATER},39.9,7`];
    const text = ['sensor_id,time,temperature,temperature_flag', ...rows, ''].join('\n');
    const { readings, facts } = await readText(text, { only: ['temperature_flag=1'] });
    expect([readings.length, facts.excluded]).toEqual([1, 1]);
  });

  it('it is found in the payload of a message, too', async () => {
    const message = (temp_source: string) =>
      JSON.stringify({
        end_device_ids: { device_id: 'roof' },
        uplink_message: { received_at: T, decoded_payload: { temp: 5, rh: 80, temp_source } },
      });
    const text = [message('own'), message('model'), ''].join('\n');
    const open = await readText(text);
    expect(verdictDoubt(open.doubts)).toBeDefined();
    const { readings, facts, doubts } = await readText(text, { only: ['temp_source=own'] });
    expect(readings.map((one) => one.values)).toEqual([
      { temperature: 5, humidity: 80 },
      { humidity: 80 },
    ]);
    expect([facts.excluded, verdictDoubt(doubts)]).toEqual([1, undefined]);
  });

  it('a payload may judge itself as a whole, too', async () => {
    const message = (valid: number) =>
      JSON.stringify({
        end_device_ids: { device_id: 'roof' },
        uplink_message: { received_at: T, decoded_payload: { temp: 5 + valid, valid } },
      });
    const text = [message(0), message(1), ''].join('\n');
    const { readings, facts, doubts } = await readText(text, { only: ['valid=1'] });
    expect(readings.map((one) => one.values)).toEqual([{ temperature: 6 }]);
    expect([facts.excluded, facts.ignored.size, verdictDoubt(doubts)]).toEqual([1, 0, undefined]);
  });
});

it.each([
  ['a column with one value, which leaves nothing out', 'status', ['N', 'N']],
  ['valid and provisional rows, which were both measured', 'status', ['V', 'P']],
  ['a column with another name', 'statute', ['1', '2']],
])('no verdict is suspected in %s', async (_, name, rows) => {
  expect(await read(name, rows)).toMatchObject({ readings: 2, excluded: 0, doubt: undefined });
});
