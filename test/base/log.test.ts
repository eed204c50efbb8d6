/**
 * A line of the log as a person reads it on a terminal; and the bounded log, which has at most one
 * line a second of each kind, however many requests fail.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { boundedLog, terminalText } from '../../src/base/log.ts';
import { keepingLog } from '../support/keepingLog.ts';

const LONG = 'station 2 is 8,965 km from the nearest other station of example';
const ESCAPE = '\u001b[';

it('a line of the log is broken at words to the width of the terminal', () => {
  expect(terminalText(LONG, 'warn', { columns: 40 })).toBe(
    'warn: station 2 is 8,965 km from the\n  nearest other station of example',
  );
  for (const columns of [undefined, 0])
    expect(terminalText(LONG, 'warn', { columns })).toBe(`warn: ${LONG}`);
  expect(terminalText(`problems:\n  ${LONG}`, 'error', { columns: 40 })).toBe(
    'error: problems:\n  station 2 is 8,965 km from the\n    nearest other station of example',
  );
});

it('the level and "ready" are coloured on a terminal with colours', () => {
  const shown = (hasColors: boolean) =>
    (['error', 'warn', 'info'] as const).map((level) =>
      terminalText('ready: try it', level, { hasColors: () => hasColors }),
    );
  expect(shown(true)).toEqual([
    `${ESCAPE}1m${ESCAPE}31merror:${ESCAPE}39m${ESCAPE}22m ready: try it`,
    `${ESCAPE}1m${ESCAPE}33mwarn:${ESCAPE}39m${ESCAPE}22m ready: try it`,
    `${ESCAPE}1mready: try it${ESCAPE}22m`,
  ]);
  expect(shown(false)).toEqual(['error: ready: try it', 'warn: ready: try it', 'ready: try it']);
  expect(terminalText('already', 'info', { hasColors: () => true })).toBe('already');
});

describe('the bounded log', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => void vi.useRealTimers();
  });

  it('the first line is logged at once, and the latest one after a second with the number left out', () => {
    const kept = keepingLog();
    const log = boundedLog(kept);
    for (let n = 1; n <= 342; n++) log.error({ n }, 'a request failed');
    log.warn('a request failed'); // of another level
    expect(kept.lines).toEqual([
      { level: 'error', fields: { n: 1 }, message: 'a request failed' },
      { level: 'warn', fields: {}, message: 'a request failed' },
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
    const levels = kept.lines.map(({ level }) => level);
    expect(levels).toEqual(['info', 'info', ...Array(5).fill('debug')]);
  });
});
