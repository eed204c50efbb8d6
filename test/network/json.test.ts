/** A network file is JSON as people write it: with comments, and commas before brackets. */
import { expect, it } from 'vitest';
import { parseNetwork } from '../../src/network/read.ts';
import { PROVIDER_KEYS } from '../support/network.ts';
import { smallNetwork } from '../support/smallNetwork.ts';

it('a comment, and a comma before a closing bracket, are not mistakes', () => {
  const text = JSON.stringify(smallNetwork(), null, 2)
    .replace('  "stations"', '  // ours\n  "stations"')
    .replace('"quarter"\n      ]', '"quarter",\n      ]');
  expect(text).toMatch(/\/\/ ours\n[\s\S]*"quarter",\n *\]/);
  expect(parseNetwork(text, PROVIDER_KEYS).issues).toEqual([]);
});
