/** Bytes that are not UTF-8: which encoding a message names, and that nothing is stored by it. */
import { describe, expect, it } from 'vitest';
import { makeFindings } from '../../../../src/extras/senders/reading/doubts.ts';
import { encodingOf } from '../../../../src/extras/senders/rows/encoding.ts';
import { hintsOf } from '../../../../src/ingest/explain.ts';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { readText } from '../support.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
/** Bytes of Cyrillic letters, as `iconv` writes them. */
const CP1251 = {
  Датчик: latin1('\xc4\xe0\xf2\xf7\xe8\xea'),
  датчик: latin1('\xe4\xe0\xf2\xf7\xe8\xea'),
  ПОСТ: latin1('\xcf\xce\xd1\xd2'),
};
const KOI8_R = { Датчик: latin1('\xe4\xc1\xd4\xde\xc9\xcb') };
const CP866 = { Датчик: latin1('\x84\xa0\xe2\xe7\xa8\xaa') };
const all = (encoding: string, texts: Record<string, Buffer>) =>
  Object.entries(texts).map(([text, bytes]) => [encoding, text, bytes] as const);

it.each([
  ...all('CP1251', CP1251),
  ...all('KOI8-R', KOI8_R),
  ...all('CP866', CP866),
  ...['Gerät', 'créée', 'µg/m³', '°C', 'São Paulo', 'ÄÖ'].map(
    (text) => ['CP1252', text, latin1(text)] as const,
  ),
  ['CP1252', 'ÿÿÿÿÿ', latin1('ÿÿÿÿÿ')] as const,
  ['CP1252', '5–10 €', latin1('5\x9610 \x80')] as const,
])('bytes are told as %s, which makes %s of them', (encoding, text, bytes) => {
  const { remedy, decode } = encodingOf(bytes);
  expect(remedy).toContain(`iconv -f ${encoding} -t UTF-8 OLD > NEW`);
  expect(decode(bytes)).toBe(text);
});

it('bytes of which some lines are UTF-8 are not to be converted together', () => {
  const { what, remedy } = encodingOf(Buffer.concat([Buffer.from('µg/m³\n'), CP1251.датчик]));
  expect(what).toContain('cp1251');
  expect(remedy).toMatch(/^Other lines of it are UTF-8 already/);
});

it('all lines that come together tell the encoding of a single letter', async () => {
  const { readings } = await read(
    Buffer.concat([latin1('device,time,pm25\n'), latin1('\xc4,x,5\n'), CP1251.датчик]),
  );
  expect(readings[0]?.text).toBe('Д,x,5');
});

it('the sign for a lost character in UTF-8 has no remedy but the source', () => {
  const { what, remedy, decode } = encodingOf(Buffer.from('r\ufffdof'));
  expect([what, decode(Buffer.from('r\ufffdof'))]).toEqual([
    expect.stringContaining('lost'),
    'r\ufffdof',
  ]);
  expect(remedy).not.toContain('iconv');
});

const T = '2026-11-20T08:00:00Z';
async function read(content: Buffer, declared?: Declarations) {
  const { readings, facts } = await readText(content, declared);
  return { readings, line: facts.notUtf8?.line };
}

describe('a row that is not UTF-8', () => {
  it.each([
    ['a table', `device,time,pm25\nroof,${T},5\nGerät,${T},5\n`, 3],
    [
      'lines of objects',
      `{"device":"roof","time":"${T}","pm25":5}\n{"device":"Gerät","pm25":5}\n`,
      2,
    ],
    ['a list', `[{"device":"roof","time":"${T}","pm25":5},\n{"device":"Gerät","pm25":5}]`, 2],
  ])(
    'a device that is not UTF-8 is refused in %s, and shown readable',
    async (_, content, line) => {
      const { readings, line: noted } = await read(latin1(content));
      expect(noted).toBe(line);
      expect(readings).toMatchObject([
        { device: 'roof' },
        { unreadable: true, why: expect.stringMatching(/^it is text in cp1252.*iconv -f CP1252/) },
      ]);
      expect(readings[1]?.text).toContain('Gerät');
      expect(readings[1]?.device).toBeUndefined();
    },
  );

  it('a device that is not UTF-8 is refused in the rows of a document', async () => {
    const rows = [{ sensors_id: 1, datetime: T, parameter: 'pm25', value: 5, units: 'µg/m³' }];
    const { readings } = await read(latin1(JSON.stringify({ meta: {}, results: rows })), {
      name: 'openaq',
    });
    expect(readings).toMatchObject([{ unreadable: true }]);
  });

  it('the hint at a refused row names its line and its encoding', async () => {
    const found = makeFindings();
    expect(hintsOf(found)).toEqual([]);
    const encoding = encodingOf(latin1('Gerät'));
    found.facts.notUtf8 = { encoding, line: 7, text: '' };
    expect(hintsOf(found)).toEqual([
      expect.stringMatching(/^row 7 was refused: it is text in cp1252.* iconv -f CP1252/),
    ]);
  });

  it('a column that is not used may have any bytes', async () => {
    const content = `note\ndevice,time,pm25,größe\nroof,${T},5,groß\n`;
    const { readings, line } = await read(latin1(content));
    expect(readings).toMatchObject([{ device: 'roof', values: { pm25: '5' } }]);
    expect(line).toBeUndefined();
  });

  it('a column that says which rows count is used', async () => {
    const content = `device,time,pm25,ok\nroof,${T},5,gültig\n`;
    expect((await read(latin1(content), { only: ['ok=gültig'] })).line).toBe(2);
  });

  it('a header below a title is named with its line and its encoding', async () => {
    const content = Buffer.concat([
      latin1('title\n'),
      CP1251.датчик,
      latin1(`,time,pm25\n1,${T},5\n`),
    ]);
    await expect(read(content, { columns: ['device=датчик'] })).rejects.toThrow(
      'the text:2: this is text in cp1251, as Windows writes Cyrillic ("датчик,time,pm25"). Save it as UTF-8, or convert it: iconv -f CP1251 -t UTF-8 OLD > NEW.',
    );
  });
});
