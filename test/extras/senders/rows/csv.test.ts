import { describe, expect, test } from 'vitest';
import { likelyDelimiters } from '../../../../src/extras/senders/rows/csv.ts';
import { splitCsvLine } from '../../../../src/ingest/rows/csv.ts';
import { readText } from '../support.ts';

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
  ['sensor_id|time|pm25|a note, long', ['|', ',']],
  ['one column', [',']],
])('the most frequent delimiter of the header %j is tried first', (header, delimiters) => {
  expect(likelyDelimiters(header)).toEqual(delimiters);
});

describe('a field in quotes with line breaks', () => {
  const T = '2026-11-20T08:00:00Z';
  /** The lines of the readings of a text that comes in pieces, and undefined for an unreadable one. */
  async function read(text: string, size: number) {
    const { readings } = await readText(text, {}, size);
    return readings.map(({ line, values, unreadable }) => [line, unreadable ? undefined : values]);
  }

  test.each([1, 7, 1_000])(
    'a row goes on behind line breaks in quotes, in pieces of %d',
    async (size) => {
      const text = `sensor_id,time,pm25,note\n1,${T},5,"a\n\n""b""\r\nc"\n2,${T},6,\n3,${T},7,"d\ne"\n`;
      expect(await read(text, size)).toEqual([
        [2, { pm25: '5' }],
        [6, { pm25: '6' }],
        [7, { pm25: '7' }],
      ]);
    },
  );

  test.each([1, 1_000])(
    'a name in a header may have a line break, in pieces of %d',
    async (size) => {
      const text = `a "title"\nsensor_id,time,"PM2.5\n(mg/m³)"\n1,${T},0.5\n`;
      expect(await read(text, size)).toEqual([[4, { pm25: 500 }]]);
    },
  );

  test.each([
    ['is never closed', `1,${T},5,"open\n2,${T},6,\n`],
    ['is closed within a field', `1,${T},5,"open\n2,${T},6,clo"sed\n`],
    ['is closed in a row of other width', `1,${T},"open\n2,${T},close"\n`],
    ['is closed far below', `1,${T},5,"open\n${`2,${T},6,\n`.repeat(19)}3,${T},7,closed"\n`],
  ])('a quote that %s costs only its own line', async (_, lines) => {
    const rows = await read(`sensor_id,time,pm25,note\n${lines}9,${T},9,\n`, 1_000);
    expect(rows).toHaveLength(lines.split('\n').length);
    expect(rows[0]).toEqual([2, undefined]);
    expect(rows.at(-1)?.[1]).toEqual({ pm25: '9' });
  });

  test('a stray quote in a title hides no header', async () => {
    const text = `Station 5" north\nsensor_id,time,pm25\n1,${T},5\n2,${T},6"\n`;
    expect(await read(text, 1_000)).toEqual([
      [3, { pm25: '5' }],
      [4, undefined],
    ]);
  });
});
