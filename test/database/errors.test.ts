/** Which failures count as an outage of the database, answered with 503, and which as bugs. */
import { expect, it } from 'vitest';
import { asUnavailable, Unavailable } from '../../src/database/errors.ts';

const failure = (code: string, severity = 'ERROR') => Object.assign(new Error('failed'), { code, severity });

it.each([
  ['a full disk', failure('53100')],
  ['a session that the server ended, whatever the code', failure('XX000', 'FATAL')],
  ['a server that is starting', failure('57P03', 'FATAL')],
  ['a statement timeout', failure('57014')],
  ['a closed connection', failure('CONNECTION_CLOSED')],
  ['a probe without an answer', failure('UNREACHABLE')],
])('%s is an outage', (_, error) => {
  expect(asUnavailable(error)).toBeInstanceOf(Unavailable);
});

it.each([
  ['an internal error of one statement', failure('XX000')],
  ['a missing relation', failure('42P01')],
  ['an error without a code', new Error('failed')],
])('%s is a bug', (_, error) => {
  expect(asUnavailable(error)).toBe(error);
});
