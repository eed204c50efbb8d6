/** After which failures a pool replaces its connections. None of these connects. */
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
  ['at once', failure('CONNECTION_CLOSED'), true, true],
  ['at once', failure('UNREACHABLE'), true, true],
  ['at once', failure('53300', 'FATAL'), true, true],
  ['at once', failure('22023', 'FATAL'), true, true],
  ['at once', failure('42501', 'FATAL'), true, true],
  ['once a second', failure('42P01'), false, true],
  ['once a second', failure('AS503'), false, true],
  ['never', failure('53100'), false, false],
  ['never', failure('57014'), false, false],
  ['never', failure('40P01'), false, false],
  ['never', failure('42501'), false, false],
  ['never', failure('23505'), false, false],
])('%s after %s', (_, error, young, older) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(twoConnections().connections.take().failed(error)).toBe(young);
  const { connections } = twoConnections();
  vi.advanceTimersByTime(1_500);
  expect(connections.take().failed(error)).toBe(older);
});

it('are replaced once, whichever of them fail, and not after they were closed', async () => {
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

it('the one that was used last is used first', () => {
  const { connections } = twoConnections();
  const [first, second] = [connections.take(), connections.take()];
  first.giveBack();
  second.giveBack();
  expect(connections.take().connection).toBe(second.connection);
});
