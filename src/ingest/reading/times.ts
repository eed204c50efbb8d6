/** Turns times as senders write them into ISO 8601, with an offset where one is known; validation judges the result. */
import { InputError } from '../../base/inputError.ts';
import type { Format } from '../formats/format.ts';
import type { Declarations } from './declarations.ts';
import { instantText, readInstant } from './instants.ts';
import { makeOffsetAdder } from './localTime.ts';

/** March 1973 (nine digits: a date such as 20261120 is none) to 2100, in seconds since 1970; a thousand times as much is milliseconds. */
const [EARLIEST, LATEST] = [100_000_000, 4_102_444_800];
const UNIX_TIME = /^\d{9,13}(?:\.\d{1,9})?$/;

/** Seconds or milliseconds since 1970, told by their magnitude, as ISO 8601; undefined if it is neither. */
function instantOfUnixTime(given: unknown): string | undefined {
  const number = typeof given === 'string' && UNIX_TIME.test(given) ? Number(given) : given;
  if (typeof number !== 'number') return undefined;
  const seconds = number > LATEST ? number / 1_000 : number;
  if (!(seconds >= EARLIEST && seconds <= LATEST)) return undefined;
  return Number.isInteger(number) && Number.isInteger(seconds)
    ? new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
    : instantText(Math.round(seconds * 1e6));
}

/** The orders of dates that are written with slashes or hyphens; nothing but a declaration, or a day above 12, tells which it is. */
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

/** A date, and perhaps an hour and a minute: what follows them is as in ISO 8601, or says which half of the day it is. */
const WRITTEN =
  /^(\d{1,4})([./-])(\d\d?)\2(\d{1,4})(?:(?:[Tt]|,? +)(\d\d?)(:\d\d.*?)(?: ?([AaPp])[Mm])?)?$/;

/**
 * Stamps as people and PurpleAir write them, in the form of ISO 8601: `20.11.2026 8:00`, which is always day first, `2026/11/20T08:00:00z`,
 * and `11/20/2026 8:00 PM` in the declared order. Any other text stays as it is.
 */
function plainStamp(text: string, order: string | undefined): string {
  const [, first = '', separator, second = '', last = '', hour, rest = '', half] =
    WRITTEN.exec(text) ?? [];
  const isDayFirst = separator === '.' || order === 'dd/mm/yyyy';
  let date: string[] = [];
  if (first.length === 4 && separator !== '-' && last.length <= 2) date = [first, second, last];
  else if (first.length <= 2 && last.length === 4 && (isDayFirst || order === 'mm/dd/yyyy'))
    date = isDayFirst ? [last, second, first] : [last, first, second];
  if (date.length === 0) return text;
  const day = date.map((part) => part.padStart(2, '0')).join('-');
  if (hour === undefined) return day;
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return `${day}T${String(hours).padStart(2, '0')}${rest}`;
}

/** Without an abbreviation, as in `2026-11-20 08:00:00 UTC`. */
const withoutName = (stamp: string): string => stamp.replace(/ UTC$/, 'Z');

const isStamp = (given: unknown): given is string =>
  typeof given === 'string' && given.charCodeAt(4) === 45 /* - */ && !given.endsWith('C');

/**
 * Returns a function from what stands for the time, and its sensor, to a stamp. Call it in the order of the source, because of two hours of
 * an autumn night the order tells which (see makeOffsetAdder). Throws InputError for an unknown time zone or order of dates.
 */
export function makeTimeReader(
  { zone }: Pick<Format, 'zone'>,
  { zone: declared, timeZone, dateFormat }: Declarations,
): (given: unknown, sensor: unknown) => unknown {
  if (dateFormat !== undefined && !DATE_FORMATS.some((known) => known === dateFormat))
    throw new InputError(
      '--date-format',
      `there is no "${dateFormat}"`,
      `There are: ${DATE_FORMATS.join(', ')}.`,
    );
  const local = declared ?? (zone === 'network' ? timeZone : zone);
  const addOffset = local === undefined ? undefined : local === 'UTC' ? addUtc : offsetAdder(local);
  return (given, sensor) => {
    const stamp = isStamp(given)
      ? given
      : (instantOfUnixTime(given) ??
        (typeof given === 'string' ? withoutName(plainStamp(given, dateFormat)) : given));
    return addOffset === undefined || typeof stamp !== 'string'
      ? stamp
      : addOffset(stamp, String(sensor));
  };
}

const addUtc = (stamp: string): string =>
  readInstant(stamp)?.local === true ? `${stamp}Z` : stamp;

function offsetAdder(zone: string) {
  try {
    return makeOffsetAdder(zone);
  } catch {
    throw new InputError(
      '--zone',
      `there is no time zone "${zone}"`,
      'Write its IANA name, such as Europe/Berlin.',
    );
  }
}
