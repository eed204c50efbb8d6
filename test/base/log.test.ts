/** A line of the log as a person reads it on a terminal. */
import { expect, it } from 'vitest';
import { terminalText } from '../../src/base/log.ts';

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
