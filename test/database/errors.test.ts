/** Which failures count as an outage of the database, answered with 503, and which as bugs; and waiting for it at start. */
import { describe, expect, it } from 'vitest';
import { asUnavailable, waitForDatabase } from '../../src/database/errors.ts';
import { Unavailable } from '../../src/unavailable.ts';
import { keepingLog } from '../ingest/support.ts';

const failure = (code: string, severity = 'ERROR') => Object.assign(new Error('failed'), { code, severity });

it.each([
  ['a full disk', failure('53100')],
  ['a session that the server ended, whatever the code', failure('XX000', 'FATAL')],
  ['a server that is starting', failure('57P03', 'FATAL')],
  ['a statement timeout', failure('57014')],
  ['a closed connection', failure('CONNECTION_CLOSED')],
  ['a probe without an answer', failure('UNREACHABLE')],
  ['a file of the database that was deleted', failure('58P01')],
  ['a deadlock', failure('40P01')],
  ['a relation that another version has taken away', failure('42P01')],
  [
    'a function that it has replaced',
    Object.assign(failure('XX000'), { message: 'cache lookup failed for function 17022' }),
  ],
])('%s is an outage', (_, error) => {
  expect(asUnavailable(error)).toBeInstanceOf(Unavailable);
});

it.each([
  ['an internal error of one statement', failure('XX000')],
  ['a division by zero', failure('22012')],
  ['an error without a code', new Error('failed')],
])('%s is a bug', (_, error) => {
  expect(asUnavailable(error)).toBe(error);
});

describe('waitForDatabase', () => {
  const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`failed with ${code}`), { code }));

  it('gives up after a minute with a remedy, having logged every tenth attempt', async () => {
    const log = keepingLog();
    const waiting = waitForDatabase(failing('ECONNREFUSED'), log, { forMs: 100, everyMs: 3 });
    await expect(waiting).rejects.toThrow(/No database for 0.1 seconds: failed with ECONNREFUSED.*DATABASE_URL/);
    expect(log.lines.length).toBeGreaterThan(1);
    expect(log.lines.length).toBeLessThanOrEqual(4);
  });

  it.each(['28P01', '28000', '3D000', '42501', ''])('throws at once what waiting cannot fix: code %j', async (code) => {
    const log = keepingLog();
    await expect(waitForDatabase(failing(code), log)).rejects.toThrow(`failed with ${code}`);
    expect(log.lines).toEqual([]);
  });
});
