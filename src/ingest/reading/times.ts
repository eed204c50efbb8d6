/**
 * Turns times as senders write them into ISO 8601, with an offset where one is known; validation
 * judges the result.
 */
import { InputError } from '../../base/inputError.ts';
import type { Format } from '../formats/format.ts';
import type { Declarations } from './declarations.ts';
import { instantText, readInstant } from './instants.ts';
import { makeOffsetAdder, type Transitions } from './localTime.ts';

/**
 * March 1973 (nine digits: a date such as 20261120 is none) to 2100, in seconds since 1970; a
 * thousand times as much is milliseconds, then micro- and nanoseconds.
 */
const EARLIEST = 100_000_000;
const LATEST = 4_102_444_800;
const UNIX_TIME = /^\d{9,19}(?:\.\d{1,9})?$/;

/**
 * Seconds, or a thousandth, millionth or billionth of them, since 1970, told by their magnitude, as
 * ISO 8601; undefined if it is none.
 */
export function instantOfUnixTime(given: unknown): string | undefined {
  const number = typeof given === 'string' && UNIX_TIME.test(given) ? Number(given) : given;
  if (typeof number !== 'number') return undefined;
  const unit = [1, 1e3, 1e6, 1e9].find((one) => number / one <= LATEST) ?? Number.NaN;
  const seconds = number / unit;
  if (!(seconds >= EARLIEST && seconds <= LATEST)) return undefined;
  return Number.isInteger(number) && Number.isInteger(seconds)
    ? new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
    : instantText(Math.round(seconds * 1e6));
}

/**
 * The orders of dates that are written with slashes or hyphens; nothing but a declaration, or a day
 * above 12, tells which it is.
 */
export const DATE_FORMATS = ['dd/mm/yyyy', 'mm/dd/yyyy'] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

/** A date that begins with the day or the month; undefined for any other text. */
export function slashedDate(
  text: string,
): { text: string; first: number; second: number } | undefined {
  const [date, first, , second] = /^(\d\d?)([/-])(\d\d?)\2\d{4}(?!\d)/.exec(text) ?? [];
  return date === undefined
    ? undefined
    : { text: date, first: Number(first), second: Number(second) };
}

/**
 * A date, and perhaps an hour and a minute: what follows them is as in ISO 8601, or says which half
 * of the day it is.
 */
const WRITTEN =
  /^(\d{1,4})([./-])(\d\d?)\2(\d{1,4})(?:(?:[Tt]|,? +)(\d\d?)([:.]\d\d.*?)(?: ?([AaPp])[Mm])?)?$/;

/** `08:00 20.11.2026`. */
const TIME_FIRST = /^(\d\d?:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?),? (\d{1,4}([./-])\d\d?\3\d{1,4})$/;

/**
 * `Thu Nov 19 2026 08:00:00 GMT+0100 (CET)`, as JavaScript writes a date, and `Nov 19, 2026 08:00`.
 * The name of the zone may be one in words.
 */
const MONTH_FIRST = /^(?:[A-Z][a-z]{2} )?([A-Z][a-z]{2,8}) (\d\d?),? (\d{4})(?=$|[ ,])/;
const NAMED_OFFSET = / GMT(?=[+-]\d{4}$)/;

/** `1-Nov-2026 13:00`. */
const WITH_MONTH = /^(\d\d?)[- ]([A-Za-z]{3})[a-z]*[- ,] ?(\d{4})(?=$|[ T,])/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * `2026112008`, `202611200800`, `20261120 08:00`, and ISO 8601 without hyphens and colons: no Unix
 * time before 2033 begins like a year of this century.
 */
const COMPACT =
  /^(20\d\d)(0[1-9]|1[0-2])([0-3]\d)(?:[Tt ]?([0-2]\d):?([0-5]\d)?:?([0-5]\d)?)?([Zz]|[+-]\d\d(?::?\d\d)?)?$/;

/** A date, an hour and perhaps a minute, each from a column of its own. */
const IN_PARTS = /^(\S{8,10}) (\d\d?)(?: (\d\d?))?$/;

/** Twenty-four hours of a day are the next midnight. */
const END_OF_DAY =
  /^(\d{4}-\d\d-\d\d)[Tt ]24(:00(?::00(?:[.,]0+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)$/;

/** Spaces that do not break, which a table in a page may have. */
const OTHER_SPACES = /[\u00a0\u2007\u202f]/g;

const ENDS_IN_OFFSET = /(?:[Zz]|[+-]\d\d:?\d\d)$/;

/**
 * Java and JavaScript add the name of the zone to the offset:
 * `2026-11-20T08:00+01:00[Europe/Berlin]`, `08:00:00 GMT+0100 (CET)`.
 */
function withoutZoneName(text: string): string {
  const start = text.endsWith(']') ? '[' : ' (';
  if (!text.endsWith(']') && !text.endsWith(')')) return text;
  const before = text.slice(0, Math.max(text.lastIndexOf(start), 0));
  return ENDS_IN_OFFSET.test(before) ? before : text;
}

const pad = (part: string) => part.padStart(2, '0');

/**
 * A stamp as people, loggers and PurpleAir write it, in the form of ISO 8601: `20.11.2026 8:00`,
 * which is always day first, `2026/11/20T08:00:00z`, `11/20/2026 8:00 PM` in the declared order,
 * and the forms above. Of an interval, its start. Any other text stays as it is.
 */
function plainStamp(given: string, order: string | undefined): string {
  let text = withoutZoneName(given.replaceAll(OTHER_SPACES, ' '))
    .replace(/^(\d{4}-\d\d-\d\dT[^/]+)\/.+$/, '$1')
    .replace(/^[A-Z][a-z]{2}, (?=\d)/, '')
    .replace(/ (?:UTC|GMT|Z)$/, 'Z')
    .replace(/ (?=[+-]\d\d:?\d\d$)/, '');
  text = text
    .replace(NAMED_OFFSET, '')
    .replace(TIME_FIRST, '$2 $1')
    .replace(MONTH_FIRST, (whole, name: string, day: string, year: string) => {
      return dateOf(year, name, day) ?? whole;
    })
    .replace(WITH_MONTH, (whole, day: string, name: string, year: string) => {
      return dateOf(year, name, day) ?? whole;
    });
  text = text.replace(IN_PARTS, (_, day: string, hour: string, minute = '0') => {
    return `${day} ${pad(hour)}:${pad(minute)}`;
  });
  const [, year, month, day, hour, minute = '00', second = '00', offset = ''] =
    COMPACT.exec(text) ?? [];
  if (year !== undefined) {
    text = `${year}-${month}-${day}`;
    if (hour !== undefined) text += `T${hour}:${minute}:${second}${offset}`;
  }
  return endOfDay(writtenStamp(text, order));
}

/** The name of a month begins with its three letters; undefined for any other. */
function dateOf(year: string, name: string, day: string): string | undefined {
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? undefined : `${year}-${pad(String(month))}-${pad(day)}`;
}

function writtenStamp(text: string, order: string | undefined): string {
  const [, first = '', separator, second = '', last = '', hour, rest = '', half] =
    WRITTEN.exec(text) ?? [];
  const isDayFirst = separator === '.' || order === 'dd/mm/yyyy';
  let date: string[] = [];
  if (first.length === 4 && last.length <= 2) date = [first, second, last];
  else if (first.length <= 2 && last.length === 4 && (isDayFirst || order === 'mm/dd/yyyy'))
    date = isDayFirst ? [last, second, first] : [last, first, second];
  if (date.length === 0) return text;
  const day = date.map(pad).join('-');
  if (hour === undefined) return day;
  if (separator === '-' && first.length === 4 && rest.startsWith(':') && half === undefined)
    return text; // ISO 8601 as it is
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  // `18.00.00`
  const minutes = rest.startsWith('.') ? rest.replace(/^\.(\d\d)(?:\.(?=\d\d))?/, ':$1:') : rest;
  return `${day}T${pad(String(hours))}${minutes.replace(/:$/, '')}`;
}

function endOfDay(stamp: string): string {
  const [, day, rest = ''] = END_OF_DAY.exec(stamp) ?? [];
  if (day === undefined) return stamp;
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return stamp;
  return `${new Date(at + 86_400_000).toISOString().slice(0, 10)}T00${rest}`;
}

/** `UTC`, `GMT`, the name of a zone, or an offset behind a blank. */
const ENDS_APART = /[CT\]]$| [-+Zz][\d:]{0,6}$/;

/** Nearly every stamp is ISO 8601: `2026-11-20T08:00…`, of an hour below 20 or from 20 to 23. */
function isPlain(given: string): boolean {
  const isOfHour24 = given.charCodeAt(11) === 50 && given.charCodeAt(12) === 52;
  return (
    given.charCodeAt(4) === 45 /* - */ &&
    given.charCodeAt(13) === 58 /* : */ &&
    !isOfHour24 &&
    given.charCodeAt(10) < 128 &&
    !ENDS_APART.test(given) &&
    !given.includes('/')
  );
}

/**
 * Returns a function from what stands for the time, and its sensor, to a stamp. Call it in the
 * order of the source, because of two hours of an autumn night the order tells which (see
 * makeOffsetAdder). Throws InputError for an unknown time zone, order of dates or shift.
 */
export function makeTimeReader(
  { zone }: Pick<Format, 'zone'>,
  { zone: declared, timeZone, transitions, dateFormat, shift: shiftText }: Declarations,
): (given: unknown, sensor: unknown) => unknown {
  if (dateFormat !== undefined && !DATE_FORMATS.some((known) => known === dateFormat))
    throw new InputError(
      '--date-format',
      `there is no "${dateFormat}"`,
      `There are: ${DATE_FORMATS.join(', ')}.`,
    );
  const local = declared ?? (zone === 'network' ? timeZone : zone);
  const addOffset =
    local === undefined ? undefined : offsetAdder(local, declared !== undefined, transitions);
  const shift = shiftText === undefined ? 0 : microsecondsOf(shiftText);
  return (given, sensor) => {
    let stamp = given;
    if (typeof given !== 'string') stamp = stampOfNumber(given) ?? given;
    else if (!isPlain(given)) stamp = stampOf(given, dateFormat);
    if (typeof stamp !== 'string') return stamp;
    const exact = addOffset === undefined ? stamp : addOffset(stamp, String(sensor));
    return shift === 0 ? exact : shifted(exact, shift);
  };
}

const stampOf = (text: string, order: string | undefined): string =>
  COMPACT.test(text)
    ? plainStamp(text, order)
    : (instantOfUnixTime(text) ?? plainStamp(text, order));

const stampOfNumber = (given: unknown): string | undefined =>
  typeof given === 'number' && COMPACT.test(String(given))
    ? plainStamp(String(given), undefined)
    : instantOfUnixTime(given);

/** A time without an offset stays as it is: it is rejected. */
function shifted(stamp: string, by: number): string {
  const instant = readInstant(stamp);
  return instant === undefined || instant.local ? stamp : instantText(instant.microseconds + by);
}

const UNITS_OF_TIME = { h: 3_600_000_000, min: 60_000_000, m: 60_000_000 } as const;

/** `-1h`, `+30min`. Throws InputError for anything else, and for more than two days. */
function microsecondsOf(text: string): number {
  const [, sign, count = '', unit] = /^([+-]?)(\d{1,4})(h|min|m)$/.exec(text) ?? [];
  const by = Number(count) * (UNITS_OF_TIME[unit as keyof typeof UNITS_OF_TIME] ?? Number.NaN);
  if (by <= 172_800_000_000) return sign === '-' ? -by : by;
  throw new InputError(
    '--shift',
    `expected hours or minutes, found "${text}"`,
    'For stamps that name the end of an hour, write --shift -1h.',
  );
}

const FIXED = /^[+-](?:0\d|1[0-4]):[0-5]\d$/;

/** True for a zone that has the same offset at all times. */
export const isFixedZone = (zone: string): boolean => zone === 'UTC' || FIXED.test(zone);

type AddOffset = (stamp: string, sensor: string) => string;

/** `isDeclared`: by a person, who may mean another zone than an abbreviation stands for. */
function offsetAdder(
  zone: string,
  isDeclared: boolean,
  transitions: Transitions | undefined,
): AddOffset {
  if (zone === 'UTC') return fixedOffset('Z');
  if (FIXED.test(zone)) return fixedOffset(zone);
  const isShort = isDeclared && !zone.includes('/');
  // of Node only names, for the message and where no server was asked
  const name = isShort || transitions === undefined ? nameInNode(zone) : zone;
  if (isShort && name !== undefined)
    throw new InputError(
      '--zone',
      `"${zone}" is an abbreviation, which stands for ${name} here, perhaps with summer time`,
      WRITE_ZONE,
    );
  if (isShort || name === undefined || transitions?.length === 0)
    throw new InputError('--zone', `there is no time zone "${zone}"`, WRITE_ZONE);
  return makeOffsetAdder(transitions ?? []);
}

/** Undefined: Node knows no such zone. */
function nameInNode(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

const WRITE_ZONE =
  'Write its IANA name, such as Europe/Berlin, or an offset for winter time all year, such as +01:00.';

/** A date alone is its midnight. */
const fixedOffset =
  (offset: string): AddOffset =>
  (stamp) => {
    if (readInstant(stamp)?.local !== true) return stamp;
    return stamp.length === DATE_LENGTH ? `${stamp}T00:00:00${offset}` : stamp + offset;
  };

const DATE_LENGTH = '2026-11-20'.length;
