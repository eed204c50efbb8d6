/** Which failures of the database are an outage, to be answered with 503, and which are faults of ours. */
import { expect, it } from 'vitest';
import { asUnavailable, Unavailable } from '../../src/database/errors.ts';

const failure = (code: string, severity = 'ERROR') => Object.assign(new Error('failed'), { code, severity });

it.each([
  ['a full disk', failure('53100')],
  ['a session that the server ended, whatever the code', failure('XX000', 'FATAL')],
  ['a server that starts', failure('57P03', 'FATAL')],
  ['a statement that took too long', failure('57014')],
  ['a closed connection', failure('CONNECTION_CLOSED')],
  ['silence', failure('AWAY')],
])('an outage: %s', (_, error) => {
  expect(asUnavailable(error)).toBeInstanceOf(Unavailable);
});

it.each([
  ['an internal error of one statement', failure('XX000')],
  ['a relation that is not there', failure('42P01')],
  ['an error without a code', new Error('failed')],
])('a fault: %s', (_, error) => {
  expect(asUnavailable(error)).toBe(error);
});
