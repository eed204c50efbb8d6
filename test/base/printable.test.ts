/** Input from strangers reaches a terminal as text: in tables, facts, JSON and lines of the log. */
import { spawnSync } from 'node:child_process';
import { afterEach, expect, it, vi } from 'vitest';
import { makeLog } from '../../src/base/log.ts';
import { printable } from '../../src/base/printable.ts';
import { sensorTable } from '../../src/commands/status.ts';
import { facts, resultTable, table } from '../../src/commands/table.ts';
import type { Quarantined } from '../../src/ingest/quarantine/list.ts';

/**
 * Sets the window's title, clears the screen, by C1 too, goes back to the line's beginning, and
 * reorders the characters after it.
 */
const HOSTILE = 'roof\x1b]0;owned\x07\x1b[2J\x9b2J\rforged\nline\u2028\u202egpj.exe\x7f';
const ESCAPED = String.raw`roof\u001b]0;owned\u0007\u001b[2J\u009b2J\u000dforged\u000aline\u2028\u202egpj.exe\u007f`;

/**
 * Zero-width space, joiner, soft hyphen, byte order mark, a tag, fillers, variation selectors, an
 * unassigned code point and half a character.
 */
const UNSEEN = 'a\u200b\u200d\u00ad\ufeff\u{e0041}\u115f\u3164\ufe0f\u{e0100}\u0378\ud800z';
const SEEN = String.raw`a\u200b\u200d\u00ad\ufeff\udb40\udc41\u115f\u3164\ufe0f\udb40\udd00\u0378\ud800z`;

afterEach(() => void vi.restoreAllMocks());

it.each([
  ['a cell', table(['device'], [[HOSTILE]], 200).split('\n')[1]],
  ['a fact', facts([['device', HOSTILE]], 200).slice(8)],
  ['a result', resultTable([HOSTILE])],
  ['a name in a result', resultTable({ by_reason: { [HOSTILE]: 1 } }, 200).slice(11, -2)],
  ['a list in a result', resultTable({ [HOSTILE]: ['a'] }, 200).slice(0, -3)],
])('%s shows control characters as escapes', (_, shown) => expect(shown).toBe(ESCAPED));

it('invisible characters are shown as escapes, and letters, signs and emoji as they are', () => {
  expect(table(['device'], [[UNSEEN]], 200).split('\n')[1]).toBe(SEEN);
  const shown = printable(JSON.stringify({ text: UNSEEN.replace('\ud800', '') }));
  expect(JSON.parse(shown)).toEqual({ text: UNSEEN.replace('\ud800', '') });
  const seen = 'Երևան Ёж São Paulo 東京 🏭 µg/m³ e\u0301 \u{e000}';
  expect(printable(seen)).toBe(seen);
});

it('quarantine list and status --sensors show control characters as escapes', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const line = {
    id: 1,
    recorded_at: now.toISOString(),
    source: HOSTILE,
    provider: 'us',
    line: 1,
    kind: 'reading' as const,
    reason: 'unreadable_line',
    explanation: UNSEEN,
    text: HOSTILE,
  };
  const quarantined: Quarantined = { total: 1, by_reason: { unreadable_line: 1 }, lines: [line] };
  const unknown = [{ sensor: null, device: HOSTILE, waiting: 1, newest: now.toISOString() }];
  for (const text of [
    resultTable(quarantined, 400),
    sensorTable({ sensors: [], unknown }, now, 400),
  ]) {
    expect(text).toContain(ESCAPED);
    expect(text).toBe(printable(text));
    expect(text).not.toContain(UNSEEN);
  }
});

it('printable JSON keeps its values exactly', () => {
  const result = { text: HOSTILE, plain: 'Երևան 21 °C' };
  const shown = printable(JSON.stringify(result, null, 1));
  expect(JSON.parse(shown)).toEqual(result);
  expect(shown).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
});

it('a line of the log on a terminal stays one line, with the code of the cause of an error', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const log = makeLog('info', true);
  log.debug('unasked');
  const err = new Error(HOSTILE, { cause: { code: 'ECONNREFUSED' } });
  log.warn({ source: HOSTILE, columns: [HOSTILE], err }, 'odd');
  const [[text] = []] = written.mock.calls;
  expect(text).toContain(`warn: odd  source=${ESCAPED} `);
  expect(text).toContain(' code=ECONNREFUSED');
  expect(text).toMatch(/^\P{Cc}*\n$/u);
});

it('a line of the JSON log has no character that a terminal obeys, and the same values', async () => {
  const script = `const { makeLog } = await import('./dist/base/log.js');
    const text = JSON.parse(process.argv[1]);
    const err = new Error(text, { cause: { code: 'ECONNREFUSED' } });
    makeLog('info', false).warn({ source: text, err }, text);`;
  const text = HOSTILE + UNSEEN.replace('\ud800', '');
  const { stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', script, JSON.stringify(text)],
    { encoding: 'utf8', cwd: new URL('../..', import.meta.url).pathname },
  );
  expect(stderr).toBe(printable(stderr));
  expect(stderr.split('\n')).toHaveLength(2);
  const err = { message: text, code: 'ECONNREFUSED' };
  expect(JSON.parse(stderr)).toMatchObject({ source: text, msg: text, err });
});
