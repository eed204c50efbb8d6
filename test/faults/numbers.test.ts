/** Numbers from senders are parsed in time linear in their length. */
import { expect, it } from 'vitest';
import { PARAMETERS } from '../../src/contract/parameters.ts';
import { readValue } from '../../src/ingest/validate.ts';

it.each(['x', '.', 'e', '.x', '..1'])('six million digits that end in %j are refused quickly', (end) => {
  expect(readValue(`${'1'.repeat(6_000_000)}${end}`, PARAMETERS[0])).toBe(end === '.' ? 'out_of_bounds' : 'unreadable');
});
