/** Times as senders and files write them, and what a declaration makes of them (S3, S7). */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { timeHint } from '../../../../src/extras/senders/reading/timeHint.ts';
import {
  makeTimeReader,
  slashedDate,
  TIME_FORMS,
} from '../../../../src/extras/senders/reading/times.ts';
import { readInstant } from '../../../../src/ingest/reading/instants.ts';
import { COMMAND_LINE } from '../../../../src/ingest/reading/vocabulary.ts';

const read = (given: unknown, declared: Parameters<typeof makeTimeReader>[1]) =>
  makeTimeReader({}, declared)(given, 1).at;
const instant = (given: unknown, declared: Parameters<typeof makeTimeReader>[1]) => {
  const time = readInstant(String(read(given, declared)));
  return time === undefined || time.local
    ? undefined
    : new Date(time.microseconds / 1_000).toISOString().replace('.000Z', 'Z');
};

test.each<[given: string, remedy: string]>([
  ['19.11.26 08:00', 'has a year of two digits: write all four'],
  ['2026-W47-4', 'is a week date: write the date of the day'],
  ['2026-323', 'is a day of the year: write the date of the day'],
  ['46345,5', "looks like a day of Excel's calendar: format its cells as yyyy-mm-dd hh:mm"],
  ['11 19 2026 8', 'is joined of columns in another order than --column time=Year+Month+Day'],
  ['2026-11-19 24:30', 'of the times from 24:00 on there is only 24:00, the next midnight'],
  ['11/19/2026 8:00', 'begins with the month: --date-format mm/dd/yyyy if all of its source do'],
  ['11/12/2026 8:00', 'may begin with the day or the month: --date-format says which'],
])('whoever wrote %s is told what to write: it %s', (given, remedy) => {
  expect(timeHint(given, COMMAND_LINE, 'Asia/Yerevan')).toContain(remedy);
});

test.each<[given: unknown, at: string | undefined]>([
  ['2026-11-19 24:00', '2026-11-19T23:00:00Z'],
  ['2026-11-19T24:00:00', '2026-11-19T23:00:00Z'],
  ['2026-12-31 24:00:00', '2026-12-31T23:00:00Z'],
  ['2026-11-19T24:00:00+02:00', '2026-11-19T22:00:00Z'],
  ['19.11.2026 24:00', '2026-11-19T23:00:00Z'],
  ['2026-11-19 24:30', undefined],
  ['2026-11-19 24:00:01', undefined],
  ['19/11/2026 18.00.00', '2026-11-19T17:00:00Z'],
  ['2026-11-19 18.00', '2026-11-19T17:00:00Z'],
  ['19.11.2026 8:30', '2026-11-19T07:30:00Z'],
  ['2026-11-19 7', '2026-11-19T06:00:00Z'],
  ['2026-11-19 7 5', '2026-11-19T06:05:00Z'],
  ['2026112022', '2026-11-20T21:00:00Z'],
  [2026112022, '2026-11-20T21:00:00Z'],
  ['2026112024', '2026-11-20T23:00:00Z'],
  ['202611202230', '2026-11-20T21:30:00Z'],
  ['20261120223015', '2026-11-20T21:30:15Z'],
  ['20261120T220000Z', '2026-11-20T22:00:00Z'],
  ['20261120T2200+0100', '2026-11-20T21:00:00Z'],
  ['20261120', '2026-11-19T23:00:00Z'],
  ['2026-11-20', '2026-11-19T23:00:00Z'],
  ['2026139922', '2034-03-16T16:38:42Z'], // no month is the 13th: seconds
  ['1-Nov-2026 13:00', '2026-11-01T12:00:00Z'],
  ['01 November 2026 13:00', '2026-11-01T12:00:00Z'],
  ['Thu Nov 19 2026 08:00:00 GMT+0100 (CET)', '2026-11-19T07:00:00Z'],
  ['Thu Nov 19 2026 08:00:00 GMT-0330 (Newfoundland Standard Time)', '2026-11-19T11:30:00Z'],
  ['Thu Nov 19 2026 08:00:00', '2026-11-19T07:00:00Z'],
  ['November 19, 2026 8:05 PM', '2026-11-19T19:05:00Z'],
  ['Thu Non 19 2026 08:00:00 GMT+0100', undefined],
  ['08:00 19.11.2026', '2026-11-19T07:00:00Z'],
  ['8:00:30, 19/11/2026', '2026-11-19T07:00:30Z'],
  ['8:05 PM 2026-11-19', '2026-11-19T19:05:00Z'],
  ['08:00 19.11/2026', undefined],
  ['2026-11-19T12:00:00Z/2026-11-19T13:00:00Z', '2026-11-19T12:00:00Z'],
  ['20261120 8 5', '2026-11-20T07:05:00Z'],
  ['20261120 0805', '2026-11-20T07:05:00Z'],
  ['20261120 0805 +0100', '2026-11-20T07:05:00Z'],
  ['20261120 24', '2026-11-20T23:00:00Z'], // KNMI
  ['2026-11-20 09:00:00 +0200', '2026-11-20T07:00:00Z'],
  ['2026-11-20 08:00:00 Z', '2026-11-20T08:00:00Z'],
  ['20-Nov-2026 8:05', '2026-11-20T07:05:00Z'],
  ['20 Foo 2026 08:00', undefined],
  ['2026-02-30 24:00', undefined], // no such day
  ['20.11.2026 18:00.30', undefined], // half a minute, or 30 seconds?
  ['8:00 PM 5-6-2026', '2026-06-05T19:00:00Z'],
  ['2026-11-19 08:00 PM', '2026-11-19T19:00:00Z'],
  ['2026-11-19 8:00 a.m.', '2026-11-19T07:00:00Z'],
  ['19/11/2026 12:05 a. m.', '2026-11-18T23:05:00Z'],
  ['19/11/2026 8:00:30 p.\u00a0m.', '2026-11-19T19:00:30Z'],
  ['19.11.2026 8:00\u202fP.M.', '2026-11-19T19:00:00Z'],
  ['8:05\u2009p.m. 19.11.2026', '2026-11-19T19:05:00Z'],
  ['8:05 P. M., 19/11/2026', '2026-11-19T19:05:00Z'],
  ['19.11.2026 8:00 p.', undefined],
  ['05/06/2026 08:00+04:00', '2026-06-05T04:00:00Z'],
  [946_684_800, '2000-01-01T00:00:00Z'],
  ['946684800', '2000-01-01T00:00:00Z'],
  [946_684_800_000, '2000-01-01T00:00:00Z'],
  [100_000_000, '1973-03-03T09:46:40Z'],
  [99_999_999, undefined], // nine digits are needed
  [4_102_444_800, '2100-01-01T00:00:00Z'],
  [4_102_444_800_000, '2100-01-01T00:00:00Z'],
  [4_102_444_800_001, undefined], // beyond 2100
  ['2026-W47-5', undefined],
  ['2026-324', undefined],
  ['46345.5', undefined],
])('with winter time all year, the time %j is read as %s (S7)', (given, at) => {
  expect(instant(given, { zone: '+01:00', dateFormat: 'dd/mm/yyyy' })).toBe(at);
});

/** The table of src/extras/senders/README.md: each form with its examples. */
const [, README_TABLE = ''] = readFileSync('src/extras/senders/README.md', 'utf8').split(
  '| form | as in',
);
const README_FORMS = [
  ...(README_TABLE.split('\n\n')[0] ?? '').matchAll(/^\| `([^`]+)` +\|(.*)/gm),
].map(([, name, examples = '']) => ({
  name,
  examples: [...examples.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one),
}));

test('the forms of times have the names and the order of the table in the README', () => {
  expect(TIME_FORMS.map(([name]) => name)).toEqual(README_FORMS.map(({ name }) => name));
});

test.each(README_FORMS)(
  'the README’s examples of the time form $name are first recognized by it, and are read (S7)',
  ({ name, examples }) => {
    expect(examples).not.toEqual([]);
    for (const example of examples) {
      expect(TIME_FORMS.find(([, pattern]) => pattern.test(example))?.[0]).toBe(name);
      const dateFormat = name === 'two-digit year' ? 'dd/mm/yy' : 'dd/mm/yyyy';
      expect(instant(example, { zone: '+01:00', dateFormat })).toBe('2026-11-20T07:00:00Z');
    }
  },
);

test('a year of two digits is of this century, and read only where it is declared (S7)', () => {
  expect(instant('11/20/26 08:00', { zone: 'UTC', dateFormat: 'mm/dd/yy' })).toBe(
    '2026-11-20T08:00:00Z',
  );
  expect(instant('20.11.99', { zone: 'UTC', dateFormat: 'dd/mm/yy' })).toBe('2099-11-20T00:00:00Z');
  for (const dateFormat of [undefined, 'dd/mm/yyyy', 'mm/dd/yyyy'])
    expect(read('11/10/26 08:00', { zone: 'UTC', dateFormat })).toBe('11/10/26 08:00');
});

test('a date with slashes keeps them without a declared order, whatever stands before it', () => {
  expect(read('5-6-2026 8:00', { zone: 'UTC' })).toBe('5-6-2026 8:00');
  for (const given of ['8:00 05/06/2026', '05/06/2026\u00a08:00'])
    expect(slashedDate(String(read(given, { zone: 'UTC' })))).toMatchObject({
      first: 5,
      second: 6,
    });
  expect(read('Fri, 05/06/2026 8:00', { zone: 'UTC' })).toBe('05/06/2026 8:00');
});

test('a date without a time of day is its midnight, also in UTC', () => {
  expect(read('2026-11-20', { zone: 'UTC' })).toBe('2026-11-20T00:00:00Z');
  expect(makeTimeReader({ zone: 'UTC' }, {})('2026-11-20', 1).at).toBe('2026-11-20T00:00:00Z');
});

test.each(['2026-03-29 02:30', '2026-07-01 12:00', '2026-10-25 02:30'])(
  'a declared offset has no summer time and no skipped hour: %s (S7)',
  (given) => {
    const at = new Date(`${given.replace(' ', 'T')}:00+01:00`).toISOString();
    expect(instant(given, { zone: '+01:00' })).toBe(at.replace('.000Z', 'Z'));
  },
);

test.each([
  ['BST', /"BST" is an abbreviation, which stands for Asia\/Dhaka here/],
  ['CET', /"CET" is an abbreviation, .* an offset for winter time all year, such as \+01:00/],
  ['MEZ', /there is no time zone "MEZ"\. Write its IANA name, such as Europe\/Berlin/],
  ['Europe/Berln', /there is no time zone "Europe\/Berln"/],
  ['+25:00', /there is no time zone/],
])('the zone %s is refused with what to write (S7)', (zone, message) => {
  expect(() => makeTimeReader({}, { zone })).toThrow(message);
});

test.each([
  ['-1h', '2026-11-19T23:00:00Z'],
  ['+30min', '2026-11-20T00:30:00Z'],
  ['90m', '2026-11-20T01:30:00Z'],
])('a declared shift of %s moves every time (S3)', (shift, at) => {
  expect(instant('2026-11-20 00:00', { zone: 'UTC', shift })).toBe(at);
  expect(instant('2026-11-20T01:00:00+01:00', { shift })).toBe(at);
  expect(read('2026-11-20 00:00', { shift })).toBe('2026-11-20 00:00'); // rejected all the same
});

test.each(['1', '-1d', '-99h', 'h'])('a declared shift of %s is refused', (shift) => {
  expect(() => makeTimeReader({}, { shift })).toThrow(/^--shift: expected hours or minutes, found/);
});

test.each([
  ['2026-11-19 23:59:59', '2026-11-19T23:00:00Z'],
  ['2026-11-19 23:59:30', '2026-11-19T23:00:00Z'],
  ['2026-11-19 23:59:29.999', '2026-11-19T22:59:00Z'],
  ['2026-12-31T23:59:58.5+01:00', '2026-12-31T23:00:00Z'],
  ['19.11.2026 24:00', '2026-11-19T23:00:00Z'],
  ['2026-11-19 12:00', '2026-11-19T11:00:00Z'],
  ['2026-11-19', '2026-11-18T23:00:00Z'],
  ['2026-02-30 23:59:59', undefined],
  [1_795_158_059, '2026-11-20T07:01:00Z'],
])('rounded to the minute, the time %j is %s', (given, at) => {
  expect(instant(given, { zone: '+01:00', round: 'minute' })).toBe(at);
});

test('times are rounded before they are shifted, and to nothing but minutes', () => {
  const declared = { zone: 'UTC', round: 'minute', shift: '-1h' };
  expect(instant('2026-11-20 00:59:59', declared)).toBe('2026-11-20T00:00:00Z');
  expect(() => makeTimeReader({}, { round: 'hour' })).toThrow(
    '--round: expected minute, found "hour". For stamps a second short of a full minute, write --round minute.',
  );
});

test('the usual form of a time is read like any other form, and impossible times are refused (S2)', () => {
  const two = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => String(from + n).padStart(2, '0'));
  const stamps = [
    ...['0001', '0099', '0999', '1000', '1970', '2026', '2028', '2900', '3000'].flatMap((year) =>
      two(0, 13).flatMap((month) =>
        two(0, 32).map((day) => `${year}-${month}-${day}T23:59:59.123`),
      ),
    ),
    ...two(0, 25).map((hour) => `2026-11-20T${hour}:00:00`),
    ...two(0, 61).flatMap((sixtieth) => [
      `2026-11-20T08:${sixtieth}:00`,
      `2026-11-20T08:00:${sixtieth}.999`,
    ]),
  ];
  const differing = stamps.filter((stamp) => {
    const [usual, other] = ['Z', '+00:00'].map((offset) => readInstant(stamp + offset));
    return usual?.microseconds !== other?.microseconds || usual?.local !== other?.local;
  });
  expect(differing).toEqual([]);
  expect(stamps.filter((stamp) => readInstant(`${stamp}Z`) !== undefined).length).toBe(
    7 * 365 + 1 + 24 + 2 * 60,
  );
});
