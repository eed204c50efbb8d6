/** Rows of one parameter each are kept until the end of their source, so there is a bound. */
import { expect, it } from 'vitest';
import { makeMerger } from '../../../src/ingest/reading/merge.ts';

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
