/** Documents that are no reading: what is said of each, and that the jq in it makes readings of it. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Declarations } from '../../../../src/ingest/reading/declarations.ts';
import { needs } from '../../../support/tools.ts';
import { readText } from '../support.ts';

const T = '2026-11-20T08:00:00Z';
const LATER = '2026-11-20T09:00:00Z';
const row = { sensor_id: 1, time: T, pm25: 5 };
const bare = { time: T, pm25: 5 };

/** Why the first row of a document cannot be read. */
async function whyOf(document: object, declared?: Declarations): Promise<string | undefined> {
  const { readings } = await readText(JSON.stringify(document), declared);
  return readings[0]?.why;
}

const DOCUMENTS: [what: string, document: object, said: string][] = [
  [
    'a list under a key',
    { readings: [row] },
    `in "readings": send them by themselves, as jq -c '.readings[]' takes`,
  ],
  ['a list deeper down', { ok: true, data: { items: [row] } }, 'in "data.items"'],
  ['the nearer of two lists', { a: { b: { log: [{ x: 1 }] } }, data: [row] }, 'in "data"'],
  ['a key that jq would not read as a name', { "the air's": [row] }, 'in "the air\'s"'],
  [
    'a list beside its sensor',
    { sensor_id: 1, readings: [bare] },
    "as jq -c '.readings[] + {sensor_id}' takes",
  ],
  [
    'rows that name their sensor again',
    { sensor_id: 2, readings: [row] },
    "as jq -c '.readings[]' takes",
  ],
  ['a list for each device', { roof: [bare], garden: [bare] }, 'in "roof", "garden"'],
  [
    'GeoJSON',
    { type: 'FeatureCollection', features: [{ type: 'Feature', properties: row }] },
    '.features[].properties',
  ],
  ['lists in a list', { rows: [[1, T, 5]] }, 'its rows are lists in "rows": name their fields'],
  ['lists alone', [[1, T, 5]], 'it is a list, and a row is an object: name its fields'],
  [
    'a list of values for each name',
    { sensor_id: [1, 1], time: [T, LATER], pm25: [5, 6] },
    'in a list for each name',
  ],
  [
    'such lists under a key',
    { ok: true, hourly: { device: ['a'], time: [T], pm25: [5] } },
    "jq -c '.hourly | . as",
  ],
];

describe('a document that is no reading', () => {
  it.each(DOCUMENTS)('the rows of %s are named', async (_, document, said) => {
    expect(await whyOf(document)).toContain(said);
    if (!('sensor_id' in document)) expect(await whyOf(document, { sensor: 9 })).toContain(said);
  });

  it.each(DOCUMENTS)('jq takes out the rows of %s', needs('jq'), async (_, document) => {
    const [, quoted = ''] =
      /jq -c '(.*?)' (?:takes|does)/.exec((await whyOf(document)) ?? '') ?? [];
    const program = quoted.replaceAll(String.raw`'\''`, "'");
    const { stdout, stderr } = spawnSync('jq', ['-c', program], {
      input: JSON.stringify(document),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const { readings } = await readText(stdout);
    expect(readings[0]?.sensorId ?? readings[0]?.device).toBeDefined();
    expect(readings[0]).toMatchObject({ measuredAt: T, values: { pm25: 5 } });
  });

  it.each<[orient: string, document: object]>([
    ['columns', { sensor_id: { 0: 1 }, time: { 0: T }, pm25: { 0: 5 } }],
    ['columns by time', { pm25: { [T]: 5, [LATER]: 6 }, pm10: { [T]: 7, [LATER]: 8 } }],
    ['index', { 0: row, 1: row }],
    ['index by time', { 1795158000000: bare, 1795161600000: bare }],
    ['split', { columns: ['time', 'pm25'], index: [0], data: [[T, 5]] }],
    ['values', [[1, T, 5]]],
  ])("pandas' orient %s is named with the one that is read", async (_, document) => {
    expect(await whyOf(document)).toContain("orient='records', lines=True");
  });

  it.each<[what: string, document: object]>([
    ['a value in an object', { ...row, pm25: { value: 5 } }],
    ['a value beside a list', { ...row, log: [{ a: 1 }] }],
    ['a heartbeat', { uptime: 5, device: 'a' }],
    ['an empty list', { data: [], device: 'a' }],
  ])('nothing is said of lists in %s', async (_, document) => {
    expect(await whyOf(document)).toBeUndefined();
  });
});
