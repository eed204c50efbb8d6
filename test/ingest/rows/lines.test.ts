import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Recognize } from '../../../src/ingest/rows/encoding.ts';
import { type Line, LONGEST_LINE, splitLines } from '../../../src/ingest/rows/lines.ts';

/** Takes whatever is not UTF-8 for Latin text. */
const asLatin: Recognize = () => ({
  name: 'windows-1252',
  what: 'text in cp1252',
  remedy: 'Convert it',
  decode: (bytes) => new TextDecoder('windows-1252').decode(bytes, { stream: true }),
});

async function split(chunks: Buffer[], recognize?: Recognize): Promise<Line[]> {
  async function* source() {
    yield* chunks;
  }
  const lines: Line[] = [];
  for await (const some of splitLines(source(), recognize)) lines.push(...some);
  return lines;
}

test('lines are numbered from 1, without blank lines, CRLF and a byte order mark', async () => {
  expect(await split([Buffer.from('\ufeffa\r\n\n\r\nb\n\ufeffc\r\n')])).toEqual([
    { number: 1, text: 'a' },
    { number: 4, text: 'b' },
    { number: 5, text: '\ufeffc' }, // a second file behind the first
  ]);
  expect(await split([])).toEqual([]);
  expect(await split([Buffer.from('\n')])).toEqual([]);
  expect(await split([Buffer.from('no end')])).toEqual([{ number: 1, text: 'no end' }]);
});

test('the same lines are found wherever the chunks end, even within a character', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('\n', '\r\n', 'é', '😀', '\0', '\ufeff'),
        ),
      ),
      fc.array(fc.nat(200)),
      async (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''));
        const ends = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort(
          (a, b) => a - b,
        );
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(await split(chunks)).toEqual(await split([bytes]));
      },
    ),
    { numRuns: 30 },
  );
});

test.each([1_000, 65_536, 1_000_000])(
  'only lines that are too long are marked so, in chunks of %d',
  async (size) => {
    const bytes = Buffer.from(
      `a\n${'x'.repeat(LONGEST_LINE)}\n${'é'.repeat(LONGEST_LINE)}\nb\n${'y'.repeat(300_000)}`,
    );
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    const lines = await split(chunks);
    expect(lines.map(({ number, tooLong }) => [number, tooLong])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, true],
      [4, undefined],
      [5, true],
    ]);
    expect(lines.every(({ text }) => text.length <= LONGEST_LINE)).toBe(true);
  },
);

test('a line whose bytes are not UTF-8 is shown as what they probably mean, and marked', async () => {
  const bytes = Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x0d, 0x0a, 0x62, 0x0a, 0xc3, 0xa4]);
  const marked = { number: 1, text: 'aÿâ‚', encoding: { what: expect.stringContaining('cp1252') } };
  for (const size of [1, 3, 100]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    expect(await split(chunks, asLatin)).toMatchObject([
      marked,
      { number: 2, text: 'b' },
      { number: 3, text: 'ä' },
    ]);
  }
  const [, second, third] = await split([bytes], asLatin);
  expect([second, third].map((line) => line?.encoding)).toEqual([undefined, undefined]);
});

test('the last line of a file may be marked, although it has no line break', async () => {
  const lines = await split(
    [Buffer.from('\ufeffa\n'), Buffer.from('Gr\xf6\xdfe', 'latin1')],
    asLatin,
  );
  expect(lines).toMatchObject([{ text: 'a' }, { text: 'Größe', encoding: {} }]);
});

test('a line may be marked whose last bytes come behind those that are not UTF-8', async () => {
  const chunks = ['a\nGr\xf6n', 'e\nb\n'].map((text) => Buffer.from(text, 'latin1'));
  expect(await split(chunks, asLatin)).toMatchObject([
    { text: 'a' },
    { number: 2, text: 'Gröne', encoding: {} },
    { text: 'b' },
  ]);
});

test('a line that is too long keeps only its beginning, whatever its bytes are', async () => {
  const [line] = await split([Buffer.from('é'.repeat(LONGEST_LINE + 1), 'latin1')], asLatin);
  expect(line).toMatchObject({ tooLong: true, text: 'é'.repeat(2_000) });
});

test('without a list of encodings, a line is only marked as none of UTF-8', async () => {
  const [line, lost] = await split([Buffer.from('Gr\xf6n\n', 'latin1'), Buffer.from('\ufffd\n')]);
  expect(line).toMatchObject({ text: 'Gr\ufffdn', encoding: { what: 'text that is not UTF-8' } });
  expect(lost?.encoding?.what).toContain('lost characters');
});
