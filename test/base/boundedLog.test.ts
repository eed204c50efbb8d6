/** The log has at most one line a second of each kind, however many requests fail. */
import { beforeEach, expect, it, vi } from 'vitest';
import { boundedLog } from '../../src/base/log.ts';
import { keepingLog } from '../support/keepingLog.ts';

beforeEach(() => {
  vi.useFakeTimers();
  return () => void vi.useRealTimers();
});

it('the first line is logged at once, and the latest one after a second with the number left out', () => {
  const kept = keepingLog();
  const log = boundedLog(kept);
  for (let n = 1; n <= 342; n++) log.error({ n }, 'a request failed');
  log.warn('something else');
  expect(kept.lines).toEqual([
    { level: 'error', fields: { n: 1 }, message: 'a request failed' },
    { level: 'warn', fields: {}, message: 'something else' },
  ]);
  vi.advanceTimersByTime(1_000);
  expect(kept.lines.slice(2)).toEqual([
    { level: 'error', fields: { n: 342, left_out: 340 }, message: 'a request failed' },
  ]);
});

it('a hundred failures per second for ten seconds make eleven lines', () => {
  const kept = keepingLog();
  const log = boundedLog(kept);
  for (let n = 0; n < 1_000; n++) {
    log.error('a request failed');
    vi.advanceTimersByTime(10);
  }
  expect(kept.lines).toHaveLength(11);
  const left = kept.lines.reduce(
    (sum, { fields }) => sum + ((fields as { left_out?: number }).left_out ?? 0),
    0,
  );
  expect(kept.lines.length + left).toBe(1_000);
});

it('the latest of two alternating messages is logged last', () => {
  const kept = keepingLog();
  const log = boundedLog(kept);
  for (const message of ['away', 'back', 'away', 'back', 'away']) log.info(message);
  vi.advanceTimersByTime(1_000);
  expect(kept.lines.map(({ message }) => message)).toEqual(['away', 'back', 'back', 'away']);
});

it('a line after a second of silence is logged at once, and every debug line is', () => {
  const kept = keepingLog();
  const log = boundedLog(kept);
  log.info('ready');
  vi.advanceTimersByTime(1_000);
  log.info('ready');
  for (let n = 0; n < 5; n++) log.debug({ n }, 'request');
  expect(kept.lines.map(({ level }) => level)).toEqual([
    'info',
    'info',
    'debug',
    'debug',
    'debug',
    'debug',
    'debug',
  ]);
});
