/**
 * What a stranger sent reaches a terminal as text: in tables, in facts, in JSON and in lines of the
 * log.
 */
import { afterEach, expect, it, vi } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import { printable } from '../../src/base/printable.ts';
import { sensorTable } from '../../src/commands/status.ts';
import { facts, resultTable, table } from '../../src/commands/table.ts';
import type { Quarantined } from '../../src/ingest/quarantine/list.ts';

/**
 * Sets the window's title, clears the screen, by C1 too, goes back to the line's beginning, and
 * reorders what follows.
 */
const HOSTILE = 'roof\x1b]0;owned\x07\x1b[2J\x9b2J\rforged\nline\u2028\u202egpj.exe\x7f';
const ESCAPED = String.raw`roof\u001b]0;owned\u0007\u001b[2J\u009b2J\u000dforged\u000aline\u2028\u202egpj.exe\u007f`;

afterEach(() => void vi.restoreAllMocks());

it.each([
  ['a cell', table(['device'], [[HOSTILE]], 200).split('\n')[1]],
  ['a fact', facts([['device', HOSTILE]], 200).slice(8)],
  ['a result', resultTable([HOSTILE])],
  ['a name in a result', resultTable({ by_reason: { [HOSTILE]: 1 } }, 200).slice(11, -2)],
  ['a list in a result', resultTable({ [HOSTILE]: ['a'] }, 200).slice(0, -3)],
])('%s shows control characters as escapes', (_, shown) => expect(shown).toBe(ESCAPED));

it('so do quarantine list and status --sensors', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const line = {
    ...{ id: 1, recorded_at: now.toISOString(), source: HOSTILE, provider: 'us', line: 1 },
    ...{ kind: 'reading' as const, reason: 'unreadable_line', explanation: null, text: HOSTILE },
  };
  const quarantined: Quarantined = { total: 1, by_reason: { unreadable_line: 1 }, lines: [line] };
  const unknown = [{ sensor: null, device: HOSTILE, waiting: 1, newest: now.toISOString() }];
  for (const text of [
    resultTable(quarantined, 400),
    sensorTable({ sensors: [], unknown }, now, 400),
  ]) {
    expect(text).toContain(ESCAPED);
    expect(text).toBe(printable(text));
  }
});

it('JSON keeps its values exactly', () => {
  const result = { text: HOSTILE, plain: 'Երևան 21 °C' };
  const shown = printable(JSON.stringify(result, null, 1));
  expect(JSON.parse(shown)).toEqual(result);
  expect(shown).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
});

it('a line of the log on a terminal stays one line', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  makeLog('info', true).warn(
    { source: HOSTILE, columns: [HOSTILE], err: new Error(HOSTILE) },
    'odd',
  );
  const [[text] = []] = written.mock.calls;
  expect(text).toContain(`warn: odd  source=${ESCAPED} `);
  expect(text).toMatch(/^\P{Cc}*\n$/u);
});
