import { expect, test } from 'vitest';
import { likelyDelimiters, splitCsvLine } from '../../../src/ingest/rows/csv.ts';

test.each([
  ['', ['']],
  ['a, b ,', ['a', 'b', '']],
  ['"a,b","say ""no""",c', ['a,b', 'say "no"', 'c']],
  ['"",""', ['', '']],
  ['"a', undefined],
  ['"a"b,c', undefined],
  ['a"b"', undefined],
  ['a, "b"', undefined],
])('the line %j of CSV is split into %j', (text, fields) => {
  expect(splitCsvLine(text, ',')).toEqual(fields);
});

test.each([';', '\t'] as const)(
  'a line of CSV is split by %j, and other delimiters stay in the fields',
  (delimiter) => {
    expect(splitCsvLine(['a,b', `"c${delimiter}d"`, 'e'].join(delimiter), delimiter)).toEqual([
      'a,b',
      `c${delimiter}d`,
      'e',
    ]);
  },
);

test.each([
  ['sensor_id,time,pm25,a note; long', [',', ';']],
  ['sensor_id;time;pm25;a note, long', [';', ',']],
  ['sensor_id;"a,b,c";pm25', [';']],
  ['one column', [',']],
])('the most frequent delimiter of the header %j is tried first', (header, delimiters) => {
  expect(likelyDelimiters(header)).toEqual(delimiters);
});
