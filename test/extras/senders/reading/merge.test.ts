/** Rows of one parameter each become one reading, and are kept until the end of their source. */
import { expect, it } from 'vitest';
import { makeMerger } from '../../../../src/extras/senders/reading/merge.ts';

const row = (line: number, measuredAt: string, text: string) => ({
  sensorId: 1,
  measuredAt,
  values: { pm25: String(line) },
  text,
  line,
});

it('rows of one parameter are refused beyond 500 MB, however few their readings are', () => {
  const merger = makeMerger('long.csv');
  const text = 'x'.repeat(1_000_000);
  for (let line = 1; line <= 500; line++) merger.add(row(line, `time ${line}`, text));
  merger.add(row(501, 'time 1', text)); // belongs to a reading that is there already
  expect(() => merger.add(row(502, 'time 502', text))).toThrow(
    'long.csv: it has rows of more than 500000 readings, or more than 500 MB of them, one for each parameter',
  );
});

it('a value that cannot be used takes the place of no other, and stays with its row (S2)', () => {
  const merger = makeMerger('long.csv');
  for (const [line, pm25] of ['7', '9999', 'x', '8', ''].entries())
    merger.add({ ...row(line + 1, 'time', pm25), values: { pm25 } });
  expect([...merger.take()].map(({ line, values }) => [line, values.pm25])).toEqual([
    [1, '8'],
    [2, '9999'],
    [3, 'x'],
  ]);
});
