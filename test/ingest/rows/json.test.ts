/** An array is cut into the elements that JSON.parse would find, wherever the pieces end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLine } from '../../../src/ingest/reading/collect.ts';
import { DEEPEST, type Element, isTooDeep, splitElements } from '../../../src/ingest/rows/json.ts';
import { LONGEST_LINE } from '../../../src/ingest/rows/lines.ts';

async function split(text: string, size = 7): Promise<Element[]> {
  async function* pieces(): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += size)
      yield bytes.subarray(start, start + size);
  }
  const all: Element[] = [];
  for await (const elements of splitElements(pieces())) all.push(...elements);
  return all;
}
const parsed = async (text: string, size?: number) =>
  (await split(text, size)).map((element) => JSON.parse(element.text) as unknown);
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

it('finds the elements of any array', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ maxDepth: 4 })),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(undefined, 1, '\t'),
      async (array, size, space) => {
        const text = JSON.stringify(array, undefined, space);
        expect(await parsed(`\ufeff \n${text}\r\n`, size)).toEqual(JSON.parse(text));
      },
    ),
  );
});

it.each(['{"a":["]",{"b":"\\"}"}]}', '7', '"x, y"', 'null'])(
  'yields %s, which is no array, as the only element',
  async (text) => {
    expect(
      (await split(` ${text} `)).map((element) => ({ ...element, text: element.text.trim() })),
    ).toEqual([{ text, alone: true }]);
  },
);

it.each([
  '',
  ' ',
  '[',
  '[1',
  '["]',
  '[[]',
  '[1}',
  '[1]]',
  '[1] 2',
  '[]]',
  '[1],',
  '[}',
  ']',
  '[{}}]',
])('rejects %s', async (text) => {
  await expect(parsed(text)).rejects.toThrow(SyntaxError);
});

it.each(['[,]', '[1,]', '[,1]', '[ , ]', '[{]', '[1 2]'])(
  'leaves it to JSON.parse to reject %s',
  async (text) => {
    await expect(parsed(text)).rejects.toThrow(SyntaxError);
  },
);

const TOO_DEEP = 'it is nested more than 32 levels deep';
const TOO_LONG = 'it is longer than 64 KiB';

describe('an element is not to be parsed', () => {
  it('if it is nested too deeply, and the next one is', async () => {
    const elements = await split(
      `[${nested(DEEPEST)},${nested(DEEPEST + 1)},1,{"a":${nested(DEEPEST)}},"${'['.repeat(99)}"]`,
    );
    expect(elements.map(({ unparsable = 'no' }) => unparsable)).toEqual([
      'no',
      TOO_DEEP,
      'no',
      TOO_DEEP,
      'no',
    ]);
  });

  it('if it is too long, and only its beginning is kept', async () => {
    const string = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
    const elements = await split(
      `[${string(LONGEST_LINE)},${string(LONGEST_LINE + 1)},${string(1e6)},1]`,
      10_000,
    );
    expect(elements.map(({ unparsable = 'no' }) => unparsable)).toEqual([
      'no',
      TOO_LONG,
      TOO_LONG,
      'no',
    ]);
    expect(elements[2]?.text).toBe(string(1e6).slice(0, 2_000));
  });
});

it('makes an unreadable reading of a line that is nested too deeply', () => {
  const read = (levels: number) => readLine(`{"sensor_id":1,"a":${nested(levels)}}`);
  expect([read(DEEPEST - 1), read(DEEPEST)]).toMatchObject([{ sensorId: 1 }, { unreadable: true }]);
});

it.each([
  [nested(DEEPEST), false],
  [nested(DEEPEST + 1), true],
  [`{"a":${nested(DEEPEST - 1)}}`, false],
  [`{"a":${nested(DEEPEST)}}`, true],
  [`[${'[],'.repeat(100)}[]]`, false],
  [`{"a":"\\"${'['.repeat(100)}","b":{}}`, false],
  ['{"a":1}', false],
])('measures how deep %s is', (text, tooDeep) => {
  expect(isTooDeep(text)).toBe(tooDeep);
});
