/** No expression that meets what a sender wrote tries a text in more than one way: its time is linear in the length. */
import { expect, it } from 'vitest';
import { PARAMETERS } from '../../src/contract/parameters.ts';
import { readValue } from '../../src/ingest/validate.ts';

it.each(['x', '.', 'e', '.x', '..1'])('six million digits that end in %j are refused, and not after minutes', (end) => {
  expect(readValue(`${'1'.repeat(6_000_000)}${end}`, PARAMETERS[0])).toBe(end === '.' ? 'out_of_bounds' : 'unreadable');
});
