/** Rows that contradict each other are found in any order (S3, S7). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeContradictions } from '../../../src/ingest/reading/contradictions.ts';
import type { ReadingInput } from '../../../src/ingest/reading/reading.ts';
import { COMMAND_LINE } from '../../../src/ingest/reading/vocabulary.ts';

const row = (sensorId: number, hour: number, values: ReadingInput['values']): ReadingInput => ({
  sensorId,
  measuredAt: new Date(Date.UTC(2026, 10, 1, hour)).toISOString(),
  values,
  text: '',
  line: 1,
});

type Contradictions = Pick<ReturnType<typeof makeContradictions>, 'corrections' | 'doubts'>;

function contradicting(rows: readonly ReadingInput[], isLong: boolean): number {
  const found = makeContradictions();
  for (const one of rows) found.see(one, isLong);
  return countOf(found);
}

/** The number of rows in the sentence about them. */
function countOf({ corrections, doubts }: Contradictions): number {
  const [doubt] = doubts(COMMAND_LINE);
  return Number.parseInt(doubt?.what ?? corrections() ?? '0', 10);
}

/** Every row is compared with all rows before it that have its sensor and time. */
function expected(rows: readonly ReadingInput[]): number {
  const said = new Map<string, Record<string, Set<unknown>>>();
  return rows.filter(({ sensorId, measuredAt, values }) => {
    const key = `${sensorId} ${measuredAt}`;
    const before = said.get(key);
    const all = { ...before };
    for (const [name, value] of Object.entries(values))
      if (value !== null) all[name] = new Set([...(all[name] ?? []), value]);
    said.set(key, all);
    return Object.entries(values).some(
      ([name, value]) => value !== null && [...(before?.[name] ?? [])].some((one) => one !== value),
    );
  }).length;
}

const value = fc.constantFrom('1', '2', null);
const anyRow = fc
  .tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.nat(30),
    fc.record({ pm25: value, pm10: value, humidity: value }, { requiredKeys: [] }),
  )
  .map(([sensor, hour, values]) => row(sensor, hour, values));

it.each([false, true])(
  'contradicting rows are found in any order (one parameter a row: %s)',
  (isLong) => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 80 }), (rows) => {
        expect(contradicting(rows, isLong)).toBe(expected(rows));
      }),
      { seed: 7 },
    );
  },
);

it('contradicting rows are found as far back as 50,000 rows', () => {
  const rows = Array.from({ length: 60_000 }, (_, hour) => row(1, hour, { pm25: '1' }));
  expect(contradicting([...rows, row(1, 45_000, { pm25: '2' })], false)).toBe(1);
  expect(contradicting([...rows, row(1, 10_001, { pm25: '2' })], false)).toBe(1);
});

it('contradicting rows are found as far back as 20,000,000 characters, to bound the memory', () => {
  const text = 'x'.repeat(10_000);
  const rows = Array.from({ length: 4_001 }, (_, hour) => ({
    ...row(1, hour, { pm25: '1' }),
    text,
  }));
  expect(contradicting([...rows, row(1, 2_001, { pm25: '2' })], false)).toBe(1);
  expect(contradicting([...rows, row(1, 1_999, { pm25: '2' })], false)).toBe(0);
});

it('rows contradict each other only in used columns of measured values, quoted as in the table', () => {
  const names = ['id', 'at', 'PM2.5 (µg/m³)', 'note', 'displaced'];
  const columns = { list: names, delimiter: ';', measured: [2], unused: [3, 4] };
  const found = makeContradictions();
  const lines = ['1;8:00;5;a;1', '1;08:00;"5";b;2', '1;8:00;7;a;1', '1;8:00;;a;1'];
  for (const [index, text] of lines.entries())
    found.see({ ...row(1, 8, {}), text, columns, line: index + 2 }, false);
  const [doubt] = found.doubts(COMMAND_LINE);
  expect(doubt?.remedy).toContain('--only note=b,');
  expect(doubt?.what).toBe(
    '1 of 4 rows give a parameter another value than an earlier row of the same sensor and time (lines 3 and 4, both 1 at 2026-11-01T08:00:00.000Z: PM2.5 (µg/m³) 5 and 7; unused columns that differ: note (b and a), displaced (2 and 1))',
  );
});
