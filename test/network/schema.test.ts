import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parseNetwork } from '../../src/network/read.ts';
import { networkJsonSchema } from '../../src/network/schema.ts';
import { whereComplete } from '../support/complete.ts';
import { PROVIDER_KEYS, SOURCE_FORMS } from '../support/network.ts';
import { smallNetwork } from '../support/smallNetwork.ts';

const published = JSON.parse(
  readFileSync(new URL('../../src/network/network.schema.json', import.meta.url), 'utf8'),
);

test('the published JSON schema is the one that files are checked with', whereComplete, () => {
  expect(published, 'run npm run generate').toEqual(
    JSON.parse(JSON.stringify(networkJsonSchema(PROVIDER_KEYS, SOURCE_FORMS))),
  );
});

test('the published JSON schema is valid, accepts networks and refuses misspelled ones', () => {
  const valid = new Ajv2020({ strict: false, formats: { uri: true } }).compile(published);
  expect(valid(smallNetwork())).toBe(true);
  expect(valid({ ...smallNetwork(), statoins: [] })).toBe(false);
  expect(
    valid(
      smallNetwork({
        one: { hidden: [{ since: '2026-01-01' }], is_bad_thp: true, altitude: null },
      }),
    ),
  ).toBe(true);
  expect(valid(smallNetwork({ one: { regions: ['Town'] } }))).toBe(false);
});

test('a comment, and a comma before a closing bracket, are not mistakes of a network file', () => {
  const text = JSON.stringify(smallNetwork(), null, 2)
    .replace('  "stations"', '  // ours\n  "stations"')
    .replace('"quarter"\n      ]', '"quarter",\n      ]');
  expect(text).toMatch(/\/\/ ours\n[\s\S]*"quarter",\n *\]/);
  expect(parseNetwork(text, PROVIDER_KEYS).issues).toEqual([]);
});
