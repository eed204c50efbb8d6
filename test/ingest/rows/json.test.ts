/** An array is cut into the elements that JSON.parse would find, wherever the pieces end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../../src/ingest/canonical.ts';
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

it('the elements of any JSON array are found, wherever the pieces end', async () => {
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
  'JSON that is not an array is the only element: %s',
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
])('a broken JSON array is rejected: %j', async (text) => {
  await expect(parsed(text)).rejects.toThrow(SyntaxError);
});

it.each(['[,]', '[1,]', '[,1]', '[ , ]', '[{]', '[1 2]'])(
  'an array with a broken element is left to JSON.parse, which rejects it: %s',
  async (text) => {
    await expect(parsed(text)).rejects.toThrow(SyntaxError);
  },
);

const TOO_DEEP = 'it is nested more than 32 levels deep';
const TOO_LONG = 'it is longer than 64 KiB';

describe('unparsable elements', () => {
  it('an element that is nested too deeply is not to be parsed, and the next one is', async () => {
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

  it('an element that is too long is not to be parsed, and only its beginning is kept', async () => {
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

it('a line that is nested too deeply gives an unreadable reading', () => {
  const read = (levels: number) => canonical.readLine(`{"sensor_id":1,"a":${nested(levels)}}`);
  expect([read(DEEPEST - 1), read(DEEPEST)]).toMatchObject([{ sensorId: 1 }, { unreadable: true }]);
});

it.each([
  { what: 'a list of 32 levels', text: nested(DEEPEST), tooDeep: false },
  { what: 'a list of 33 levels', text: nested(DEEPEST + 1), tooDeep: true },
  { what: 'an object of 32 levels', text: `{"a":${nested(DEEPEST - 1)}}`, tooDeep: false },
  { what: 'an object of 33 levels', text: `{"a":${nested(DEEPEST)}}`, tooDeep: true },
  { what: 'a long list of lists', text: `[${'[],'.repeat(100)}[]]`, tooDeep: false },
  { what: 'brackets in a text', text: `{"a":"\\"${'['.repeat(100)}","b":{}}`, tooDeep: false },
  { what: 'a flat object', text: '{"a":1}', tooDeep: false },
])('JSON is nested too deeply: $what, $tooDeep', ({ text, tooDeep }) => {
  expect(isTooDeep(text)).toBe(tooDeep);
});
