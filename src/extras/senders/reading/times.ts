/**
 * Turns times as senders write them into ISO 8601, with an offset where one is known; validation
 * judges the result. The forms that are read stand in one table, in the order of the one in
 * README.md of senders.
 */
import { InputError } from '../../../base/inputError.ts';
import type { Declarations } from '../../../ingest/reading/declarations.ts';
import { instantText, isLocal, readInstant } from '../../../ingest/reading/instants.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import { COMMAND_LINE, type Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { isFixedZone, type Transitions } from '../../../ingest/reading/zone.ts';
import type { Format } from '../formats/format.ts';
import { type AddOffset, makeOffsetAdder, type Observers } from './localTime.ts';

/**
 * Seconds since 1970, March 1973 to 2100: the lower bound has nine digits, so 20261120 cannot be
 * mistaken for one. A thousand times as much is milliseconds, then micro- and nanoseconds.
 */
const EARLIEST = 100_000_000;
const LATEST = 4_102_444_800;
const UNIX_TIME = /^\d{9,19}(?:\.\d{1,9})?$/;

/**
 * Seconds, or a thousandth, millionth or billionth of them, since 1970, told by their magnitude, as
 * ISO 8601; undefined for anything else.
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

/** The same with years of this century in two digits, which are read where they are declared only. */
export const SHORT_DATE_FORMATS = ['dd/mm/yy', 'mm/dd/yy'] as const;
const ALL_DATE_FORMATS: readonly string[] = [...DATE_FORMATS, ...SHORT_DATE_FORMATS];

/** A date that begins with the day or the month; undefined for any other text. */
export function slashedDate(
  text: string,
): { text: string; first: number; second: number } | undefined {
  const [date, first, , second] = /^(\d\d?)([/-])(\d\d?)\2\d{4}(?!\d)/.exec(text) ?? [];
  return date === undefined
    ? undefined
    : { text: date, first: Number(first), second: Number(second) };
}

/** The named groups of a form. */
type Parts = { readonly [name: string]: string | undefined };

/** `read` makes ISO 8601 of the parts; undefined: not a time, or the order is undeclared. */
type TimeForm = readonly [
  name: string,
  pattern: RegExp,
  read: (text: string, parts: Parts, order: string | undefined) => string | undefined,
];

/** `8:00`, `18.00.00`, or an hour, a minute and a second from columns of their own: `8 5 30`. */
export const CLOCK = String.raw`(?<hour>\d\d?)(?:(?<mark>[:.])(?<minute>\d\d)(?:\k<mark>(?<second>\d\d(?:[.,]\d{1,9})?))?| (?<part>\d\d?)(?: (?<last>\d\d?))?)?`;

/** `AM`, `pm`, `a.m.`, `p. m.` */
const HALF = String.raw`(?<half>[AaPp])(?:[Mm]|\. ?[Mm]\.?)`;

/**
 * The half of the day, or an offset. Java and JavaScript add the name of the zone to the offset:
 * `08:00+01:00[Europe/Berlin]`, `08:00:00 GMT+0100 (CET)`.
 */
export const TAIL = String.raw`(?: ?(?:${HALF}|(?<utc>UTC|GMT)|(?:GMT)?(?<offset>[Zz]|[+-]\d\d(?::?\d\d)?)(?:\[[^\]]*\]| \([^)]*\))?))?`;

const GAP = '(?:[Tt]|,? +)';
/** The blank of ISO 8601 and its kind stays. */
const KEPT_GAP = '(?:(?<gap>[Tt ])|,? +)';

/** A date, and perhaps a time of the day behind it. */
const dated = (date: string, gap = GAP) => new RegExp(`^${date}(?:${gap}${CLOCK}${TAIL})?$`);

/** No Unix time before 2033 begins like a date of this century. */
const DIGITS = String.raw`(?<year>20\d\d)(?<month>0[1-9]|1[0-2])(?<day>[0-3]\d)`;

/** The first form that a text has counts. */
export const TIME_FORMS: readonly TimeForm[] = [
  [
    'digits',
    new RegExp(
      String.raw`^${DIGITS}(?:[Tt ]?(?<hour>[0-2]\d):?(?<minute>[0-5]\d)?:?(?<second>[0-5]\d)?)?${TAIL}$`,
    ),
    (_, parts) => isoOf(parts, parts.month, parts.day, parts.second ?? '00'),
  ],
  ['Unix time', UNIX_TIME, instantOfUnixTime],
  ['ISO 8601', dated(String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)`, KEPT_GAP), asWritten],
  ['day first', dated(String.raw`(?<day>\d\d?)\.(?<month>\d\d?)\.(?<year>\d{4})`), asWritten],
  [
    'declared order',
    dated(String.raw`(?<first>\d\d?)(?<sign>[/-])(?<then>\d\d?)\k<sign>(?<year>\d{4})`),
    inOrder,
  ],
  [
    'two-digit year',
    dated(String.raw`(?<first>\d\d?)(?<sign>[/.-])(?<then>\d\d?)\k<sign>(?<short>\d\d)`),
    inOrder,
  ],
  [
    'year first',
    dated(String.raw`(?<year>\d{4})(?<sign>[./-])(?<month>\d\d?)\k<sign>(?<day>\d\d?)`),
    asWritten,
  ],
  [
    'month in letters',
    dated(String.raw`(?<day>\d\d?)[- ](?<name>[A-Za-z]{3})[a-z]*[- ,] ?(?<year>\d{4})`, KEPT_GAP),
    withMonth,
  ],
  [
    'month in letters first',
    dated(
      String.raw`(?:[A-Z][a-z]{2} )?(?<name>[A-Z][a-z]{2})[a-z]{0,6} (?<day>\d\d?),? (?<year>\d{4})`,
      KEPT_GAP,
    ),
    withMonth,
  ],
  ['digits and a time', dated(DIGITS), asWritten],
  ['parts', dated(String.raw`(?<year>\d{4}) (?<month>\d\d?) (?<day>\d\d?)`), asWritten],
  [
    'day of the week first',
    /^[A-Z][a-z]{2}, (?<rest>\d.*)$/,
    (_, { rest = '' }, order) => stampOf(rest, order),
  ],
  [
    'time first',
    /^(?<time>\d\d?:\d\d(?::\d\d)?(?: ?[AaPp](?:[Mm]|\. ?[Mm]\.?))?),? (?<date>\d{1,4}([./-])\d\d?\3\d{1,4})$/,
    (_, { time, date }, order) => stampOf(`${date} ${time}`, order),
  ],
  [
    'interval',
    /^(?<start>\d{4}-\d\d-\d\dT[^/]+)\/.+$/,
    (_, { start = '' }, order) => stampOf(start, order),
  ],
  // which do not break, and which a table in a page may have
  [
    'other spaces',
    /[\u00a0\u2007\u2009\u202f]/,
    (text, _, order) => stampOf(text.replaceAll(/[\u00a0\u2007\u2009\u202f]/g, ' '), order),
  ],
];

/** A text that has no form, or is not a time, stays as it is. */
const stampOf = (text: string, order: string | undefined): string => readForm(text, order) ?? text;

const NO_PARTS: Parts = {};

function readForm(text: string, order: string | undefined): string | undefined {
  for (const [, pattern, read] of TIME_FORMS) {
    const found = pattern.exec(text);
    if (found !== null) return read(text, found.groups ?? NO_PARTS, order);
  }
  return undefined;
}

const pad = (part = '') => part.padStart(2, '0');

function asWritten(_text: string, parts: Parts): string {
  return isoOf(parts);
}

/** A date alone has no offset. */
function isoOf(parts: Parts, month = parts.month, day = parts.day, second = parts.second): string {
  const { year, hour, half, minute, part = '00', last, utc, offset = '', gap = 'T' } = parts;
  const date = `${year}-${pad(month)}-${pad(day)}`;
  if (hour === undefined) return date;
  const end = second ?? (last && pad(last));
  const seconds = end === undefined ? '' : `:${end}`;
  const rest = `:${pad(minute ?? part)}${seconds}${utc === undefined ? offset : 'Z'}`;
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return `${date}${gap}${pad(String(hours))}${rest}`;
}

/** Only a declaration says whether day or month comes first between slashes or hyphens. */
function inOrder(_text: string, parts: Parts, order: string | undefined): string | undefined {
  const [month, day] = order?.startsWith('dd')
    ? [parts.then, parts.first]
    : [parts.first, parts.then];
  if (order === undefined || Number(month) > 12) return undefined;
  if (parts.short === undefined) return isoOf(parts, month, day);
  return order.endsWith('yyyy')
    ? undefined
    : isoOf({ ...parts, year: `20${parts.short}` }, month, day);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The name of a month begins with its three letters. */
function withMonth(_text: string, parts: Parts): string | undefined {
  const month = MONTHS.indexOf(parts.name?.toLowerCase() ?? '') + 1;
  return month === 0 ? undefined : isoOf(parts, String(month));
}

/**
 * Nearly every stamp is ISO 8601: `2026-11-20T08:00…`, of an hour below 20 or from 20 to 23, that
 * ends with a digit or Z and has nothing behind a blank, such as `PM`, `UTC` or an offset.
 */
function isPlain(given: string): boolean {
  const last = given.charCodeAt(given.length - 1);
  return (
    given.charCodeAt(4) === 45 /* - */ &&
    given.charCodeAt(13) === 58 /* : */ &&
    ((last >= 48 && last <= 57) || last === 90 || last === 122) /* 0 to 9, Z, z */ &&
    !isOfHour24(given) &&
    given.charCodeAt(10) < 128 &&
    !given.includes(' ', 11) &&
    !given.includes('/')
  );
}

const isOfHour24 = (stamp: string): boolean =>
  stamp.charCodeAt(11) === 50 && stamp.charCodeAt(12) === 52;

const DAY_US = 86_400_000_000;
const HOUR_24 = /^\d{4}-\d\d-\d\d[Tt ]24:00(?::00(?:[.,]0{1,9})?)?(?![:.,\d])/;

/** Twenty-four hours of a day are the next midnight; undefined for any other time. */
function nextMidnight(stamp: string): string | undefined {
  if (!HOUR_24.test(stamp)) return undefined;
  const day = readInstant(stamp.slice(0, DATE_LENGTH));
  if (day === undefined) return undefined;
  const next = instantText(day.microseconds + DAY_US).slice(0, DATE_LENGTH);
  return `${next}${stamp.charAt(DATE_LENGTH)}00${stamp.slice(DATE_LENGTH + 3)}`;
}

/** The only unit that times are rounded to. */
const MINUTE = 'minute';
const MINUTE_US = 60_000_000;
const WITH_SECONDS = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?/;

/** To the nearest full minute of the clock that wrote it. */
function rounded(stamp: string): string {
  const [local] = WITH_SECONDS.exec(stamp) ?? [];
  const at = local === undefined ? undefined : readInstant(local)?.microseconds;
  if (local === undefined || at === undefined) return stamp;
  const minute = instantText(Math.round(at / MINUTE_US) * MINUTE_US);
  return minute.slice(0, 'yyyy-mm-ddThh:mm:ss'.length) + stamp.slice(local.length);
}

/** The zone of times without an offset; undefined: none is known. */
export const zoneOf = (
  format: Pick<Format, 'zone'>,
  { zone, timeZone }: Declarations,
): string | undefined => zone ?? (format.zone === 'network' ? timeZone : format.zone);

/** A time as it was read. */
export type ReadTime = {
  /** In ISO 8601, before an offset is added; empty: it is not a text. */
  stamp: string;
  /** The same with the offset of its zone; undefined: no zone is known. */
  exact: string | undefined;
  /** It is written as 24:00 of the day before. */
  isOf24: boolean;
  /** The time of the reading, in ISO 8601 where it could be read. */
  at: unknown;
};

/** `interval`: the microseconds of the interval that ends then. `values`: the values of its row. */
type TimeReader = (
  given: unknown,
  sensor: unknown,
  interval?: number,
  values?: ReadingInput['values'],
) => ReadTime;

const NO_VALUES: ReadingInput['values'] = {};

/**
 * Returns a function that reads what stands for the time. Call it in the order of the source,
 * because the order tells the two passes of an hour that occurs twice (see makeOffsetAdder).
 * `observersOf`: what gets stamps in such hours of a zone, and in skipped ones. Throws InputError for
 * an unknown time zone, order of dates, shift or rounding.
 */
export function makeTimeReader(
  format: Pick<Format, 'zone' | 'shift' | 'dateFormat'>,
  declarations: Declarations,
  observersOf?: (zone: string) => Observers,
): TimeReader {
  const { zone: declared, transitions, dateFormat = format.dateFormat } = declarations;
  const { round, say = COMMAND_LINE } = declarations;
  if (dateFormat !== undefined && !ALL_DATE_FORMATS.includes(dateFormat))
    throw new InputError(
      say.option('date-format'),
      `there is no "${dateFormat}"`,
      `There are: ${ALL_DATE_FORMATS.join(', ')}.`,
    );
  if (round !== undefined && round !== MINUTE)
    throw new InputError(
      say.option('round'),
      `expected ${MINUTE}, found "${round}"`,
      `For stamps a second short of a full minute, write ${say.option('round', MINUTE)}.`,
    );
  const local = zoneOf(format, declarations);
  const addOffset =
    local === undefined
      ? undefined
      : offsetAdder(local, declared !== undefined, transitions, say, observersOf);
  const declaredShift = shiftOf(format, declarations) ?? 0;
  return (given, sensor, interval = 0, values = NO_VALUES) => {
    let read = given;
    if (typeof given === 'number') read = readForm(String(given), dateFormat) ?? given;
    else if (typeof given === 'string' && !isPlain(given)) read = stampOf(given, dateFormat);
    if (typeof read !== 'string') return { stamp: '', exact: undefined, isOf24: false, at: read };
    let stamp = read;
    const isOf24 = isOfHour24(read);
    if (isOf24) stamp = nextMidnight(read) ?? read;
    else if (round !== undefined) stamp = rounded(read);
    const exact = addOffset?.(stamp, String(sensor), values);
    const shift = declaredShift - interval;
    const at = exact ?? stamp;
    return { stamp, exact, isOf24, at: shift === 0 ? at : shifted(at, shift) };
  };
}

/** A time without an offset stays as it is: it is rejected. */
function shifted(stamp: string, by: number): string {
  const instant = readInstant(stamp);
  return instant === undefined || instant.local ? stamp : instantText(instant.microseconds + by);
}

const UNITS_OF_TIME = { h: 3_600_000_000, min: 60_000_000, m: 60_000_000 } as const;

/**
 * The declared shift, such as `-1h` or `+30min`, in microseconds, else the format's; undefined: there
 * is none. Throws InputError for anything else, and for more than two days.
 */
export function shiftOf(
  format: Pick<Format, 'shift'>,
  { shift: text = format.shift, say = COMMAND_LINE }: Declarations,
): number | undefined {
  if (text === undefined) return undefined;
  const [, sign, count = '', unit] = /^([+-]?)(\d{1,4})(h|min|m)$/.exec(text) ?? [];
  const by = Number(count) * (UNITS_OF_TIME[unit as keyof typeof UNITS_OF_TIME] ?? Number.NaN);
  if (by <= 172_800_000_000) return sign === '-' ? -by : by;
  throw new InputError(
    say.option('shift'),
    `expected hours or minutes, found "${text}"`,
    `For stamps that name the end of an hour, write ${say.option('shift', '-1h')}.`,
  );
}

/** `isDeclared`: by a person, who may mean another zone than an abbreviation stands for. */
function offsetAdder(
  zone: string,
  isDeclared: boolean,
  transitions: Transitions | undefined,
  say: Vocabulary,
  observersOf?: (zone: string) => Observers,
): AddOffset {
  if (isFixedZone(zone)) return fixedOffset(zone === 'UTC' ? 'Z' : zone);
  const isShort = isDeclared && !zone.includes('/');
  // of Node only names, for the message and where no server was asked
  const name = isShort || transitions === undefined ? nameInNode(zone) : zone;
  if (isShort && name !== undefined)
    throw new InputError(
      say.option('zone'),
      `"${zone}" is an abbreviation, which stands for ${name} here, perhaps with summer time`,
      WRITE_ZONE,
    );
  if (name === undefined || transitions?.length === 0)
    throw new InputError(say.option('zone'), `there is no time zone "${zone}"`, WRITE_ZONE);
  return makeOffsetAdder(transitions ?? [], observersOf?.(zone));
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
    if (!isLocal(stamp)) return stamp;
    return stamp.length === DATE_LENGTH ? `${stamp}T00:00:00${offset}` : stamp + offset;
  };

const DATE_LENGTH = '2026-11-20'.length;
