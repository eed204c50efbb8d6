/** A pool replaces its connections after some failures. Nothing connects here. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { connect, type Sql } from '../../src/database/client.ts';
import { makeConnections } from '../../src/database/connections.ts';

function twoConnections() {
  const opened: Sql[] = [];
  const connections = makeConnections(2, () => {
    const sql = connect('postgres://nobody@192.0.2.1/nothing', {});
    opened.push(sql);
    return sql;
  });
  onTestFinished(() => connections.close());
  return { connections, opened };
}

const failure = (code: string, severity = 'ERROR') =>
  Object.assign(new Error(code), { code, severity });

it.each([
  ['ERROR', 'CONNECTION_CLOSED', 'at once', true, true],
  ['ERROR', 'UNREACHABLE', 'at once', true, true],
  ['FATAL', '53300', 'at once', true, true],
  ['FATAL', '42501', 'at once', true, true],
  ['ERROR', '42P01', 'if they are older than a second', false, true],
  ['ERROR', 'AS503', 'if they are older than a second', false, true],
  ['ERROR', '53100', 'never', false, false],
  ['ERROR', '57014', 'never', false, false],
  ['ERROR', '40P01', 'never', false, false],
  ['ERROR', '42501', 'never', false, false],
  ['ERROR', '23505', 'never', false, false],
])('after %s %s the connections of a pool are replaced: %s', (severity, code, _, young, older) => {
  const error = failure(code, severity);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(twoConnections().connections.take().failed(error)).toBe(young);
  const { connections } = twoConnections();
  vi.advanceTimersByTime(1_500);
  expect(connections.take().failed(error)).toBe(older);
});

it('connections are replaced once, whichever of them fail, and not after they were closed', async () => {
  const { connections, opened } = twoConnections();
  const [first, second] = [connections.take(), connections.take()];
  expect(first.failed(failure('ECONNRESET'))).toBe(true);
  expect(second.failed(failure('ECONNRESET'))).toBe(false);
  expect(opened).toHaveLength(6); // two and the one that probes, twice
  first.giveBack();
  const later = connections.take();
  expect(opened.slice(3)).toContain(later.connection);
  await connections.close();
  expect(later.failed(failure('ECONNRESET'))).toBe(false);
  expect(opened).toHaveLength(6);
});

it('the connection that was used last is used first', () => {
  const { connections } = twoConnections();
  const [first, second] = [connections.take(), connections.take()];
  first.giveBack();
  second.giveBack();
  expect(connections.take().connection).toBe(second.connection);
});
