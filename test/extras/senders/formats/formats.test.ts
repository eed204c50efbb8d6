/**
 * Every sample of every format, read as it is sent: what is stored of it, and what is said of the
 * rest. That a file, a push and a feed bring it: test/extras/feeds+senders/sources.test.ts.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PARAMETER_NAMES } from '../../../../src/contract/parameters.ts';
import type { Format } from '../../../../src/extras/senders/formats/format.ts';
import { FORMAT_NAMES, FORMATS } from '../../../../src/extras/senders/formats/formats.ts';
import { unitsOf } from '../../../../src/extras/senders/units.ts';
import { isObject } from '../../../../src/ingest/rows/json.ts';
import { NOW } from '../../../support/clock.ts';
import { declarationsOf, type NamedSample, read, SAMPLES, textOf } from './samples.ts';
import { ARRIVAL } from './table.ts';

async function expectResult(sample: NamedSample, text: string, name: string | undefined) {
  const { format, declared, stored, refused = [], ignored = [], excluded = 0 } = sample;
  const found = await read(text, { ...declarationsOf(declared), name, now: NOW });
  const why = `read as ${found.facts?.format}: ${found.said.join('; ')}`;
  expect(inOrder(found.stored), why).toEqual(inOrder(stored));
  for (const { why: words } of refused)
    expect(found.said).toContainEqual(expect.stringContaining(words));
  expect(found.refused, why).toBe(refused.length);
  if (stored.length === 0) return;
  expect(found.rows).toBe(sample.rows ?? stored.length);
  const usedServerTime = stored.some(({ time }) => time === ARRIVAL);
  expect(found.facts).toMatchObject({ format, excluded, usedServerTime });
  expect([...(found.facts?.ignored.keys() ?? [])].sort()).toEqual([...ignored].sort());
}

const inOrder = (readings: NamedSample['stored']) =>
  readings.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
const keyOf = ({ sensor, device, time }: NamedSample['stored'][number]) =>
  `${sensor ?? device} ${time}`;

/** The same text with its keys, or its columns, in the opposite order. */
function turned(sample: NamedSample): string {
  if ('json' in sample) return JSON.stringify(sample.json, turnedKeys);
  const delimiter = /[,;|]/.exec(sample.lines.join(''))?.[0] ?? ',';
  const lines = sample.lines.map((line) =>
    line.startsWith('{')
      ? JSON.stringify(JSON.parse(line, turnedKeys))
      : line.split(delimiter).reverse().join(delimiter),
  );
  return `${lines.join('\n')}\n`;
}

const turnedKeys = (_: string, value: unknown) =>
  isObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;

it.each(SAMPLES)(
  'a sample gives the result in its table, its format named or recognized, its columns in any order: %s',
  async (_, sample) => {
    await expectResult(sample, textOf(sample), sample.format);
    const name = sample.isNamed ? sample.format : undefined;
    if (name === undefined) await expectResult(sample, textOf(sample), name);
    if (sample.isTurned) await expectResult(sample, turned(sample), name);
  },
);

it('every format has a table of samples, with one that mutated.test.ts changes', () => {
  const formatsOf = (samples: typeof SAMPLES) => new Set(samples.map(([, { format }]) => format));
  const listed = formatsOf(SAMPLES);
  const marked = formatsOf(SAMPLES.filter(([, { isMutated }]) => isMutated));
  const missing = (there: Set<string>) => FORMAT_NAMES.filter((name) => !there.has(name));
  expect(missing(listed), 'list its table in test/extras/senders/formats/tables.ts').toEqual([]);
  expect(missing(marked), 'mark a sample of its table isMutated').toEqual([]);
});

it('the README of formats has the table of all sources, which -u writes', async () => {
  const page = new URL('../../../../src/extras/senders/formats/README.md', import.meta.url);
  const rows = FORMAT_NAMES.map((one) => {
    const { name, about, needs, zone } = FORMATS.find((format) => format.name === one) as Format;
    const owner = needs.owner.startsWith('for ') ? '' : needs.owner;
    return `| \`${name}\` | ${about} | ${owner} | ${zone ?? ''} |\n`;
  });
  const table = readFileSync(page, 'utf8').replace(
    /(\| source \| what .*\n.*\n)(\|.*\n)*/,
    (_, head: string) => head + rows.join(''),
  );
  await expect(table).toMatchFileSnapshot(page.pathname);
  for (const { source } of FORMATS) expect(source).toMatch(/https:|README/);
});

it('the READMEs name every parameter, and every parameter whose unit is converted', () => {
  const textOf = (path: string) =>
    readFileSync(new URL(`../../../../src/${path}/README.md`, import.meta.url), 'utf8');
  const [columns = ''] =
    /Our columns are [\s\S]*?, which is the amount/.exec(textOf('ingest')) ?? [];
  expect(PARAMETER_NAMES.filter((name) => !columns.includes(`\`${name}\``))).toEqual([]);
  const [units = ''] = /may come in[\s\S]*?\n\n/.exec(textOf('extras/senders')) ?? [];
  const convertible = PARAMETER_NAMES.filter((name) => unitsOf(name).length > 1);
  expect(convertible.filter((name) => !units.includes(`\`${name}\``))).toEqual([]);
});
