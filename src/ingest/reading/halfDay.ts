/**
 * The clock that wrote the stamps of a source, as far as they show it, for messages: no reading
 * depends on it. A stamp is noted in ISO 8601 before its offset is added. Most of it is settled after a few
 * rows, so that the others cost next to nothing.
 */
import { readInstant } from './instants.ts';
import type { TimeColumn } from './timeColumn.ts';

export type Clock = {
  /** The declared shift, in microseconds; undefined: none is declared. */
  shift: number | undefined;
  hasHour24: boolean;
  /** True if 00:00 is written so. */
  hasMidnight: boolean;
  /** Undefined: a stamp lies elsewhere than on a full minute or up to two seconds before it. */
  minutes: Minutes | undefined;
  /** The hours of stamps without an offset. Undefined: one lies elsewhere than on a full hour. */
  hours: { first: string; last: string; ofDay: number } | undefined;
  /** Undefined: a stamp without an offset has an hour that a clock of 12 hours lacks. */
  halfDays: HalfDays | undefined;
  /** The first stamp in an hour that the zone's clocks skip, and the offset until then. */
  skipped: { stamp: string; zone: string; offset: string } | undefined;
  /**
   * Stamps in an hour that the zone's clocks go through twice, whose order does not tell the pass: at
   * most one for each sensor and such hour.
   */
  undecided: Map<string, UndecidedStamp>;
  /** The first stamp whose offset is not the one that the name of its column says. */
  otherOffset: OtherOffset | undefined;
  /** Rows of a result of InfluxDB. */
  windows: { rows: number; atStop: number; ofHours: number };
  /** Why stamps are the ends of intervals, where the columns say so. */
  end: string | undefined;
};

type Minutes = {
  full: number;
  /** Up to two seconds before a full minute. */
  short: number;
  /** True if all lie at a multiple of five minutes. */
  areOfFive: boolean;
  /** The first that is short. */
  example: string | undefined;
};

type HalfDays = {
  /** For each sensor the stamp before, its column, and whether it was less than the one before. */
  bySensor: Map<unknown, { stamp: string; column: TimeColumn; isFalling: boolean }>;
  /** Two stamps of a sensor, one after the other, of which a day of 24 hours has no such pair. */
  turn: readonly [before: string, after: string] | undefined;
  has12: boolean;
};

/** `either`: the stamp with the offset of the one pass, and of the other. */
type UndecidedStamp = { sensor: string; stamp: string; zone: string; either: readonly string[] };

/** `used` undefined: no zone is known. */
type OtherOffset = { column: string; said: string; stamp: string; used: string | undefined };

export const makeClock = (): Clock => ({
  shift: undefined,
  hasHour24: false,
  hasMidnight: false,
  minutes: { full: 0, short: 0, areOfFive: true, example: undefined },
  hours: { first: '', last: '', ofDay: 0 },
  halfDays: { bySensor: new Map(), turn: undefined, has12: false },
  skipped: undefined,
  undecided: new Map(),
  otherOffset: undefined,
  windows: { rows: 0, atStop: 0, ofHours: 0 },
  end: undefined,
});

const ZERO = 48;
const twoDigits = (text: string, at: number): number =>
  (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;

/** Where the parts of `2026-11-20T08:00:12` begin. */
const HOUR = 11;
const MINUTE = 14;
const SECOND = 17;
const COLON = 58;
const DATE_LENGTH = 10;

const hourOf = (stamp: string) => twoDigits(stamp, HOUR);
const minuteOf = (stamp: string) => twoDigits(stamp, MINUTE);
const secondOf = (stamp: string) =>
  stamp.charCodeAt(SECOND - 1) === COLON ? twoDigits(stamp, SECOND) : 0;
const dateOf = (stamp: string) => stamp.slice(0, DATE_LENGTH);

/** `stamp`: not of 24:00; a text that is no stamp is passed over. */
export function noteClock(clock: Clock, stamp: string): void {
  if (stamp.charCodeAt(MINUTE - 1) !== COLON) return;
  if (!clock.hasMidnight) clock.hasMidnight = hourOf(stamp) === 0 && minuteOf(stamp) === 0;
  const { minutes } = clock;
  if (minutes !== undefined && minutes.full < MOST_MINUTES) noteMinute(clock, minutes, stamp);
}

/** Enough to know a clock by. */
const MOST_MINUTES = 50_000;

function noteMinute(clock: Clock, minutes: Minutes, stamp: string): void {
  const second = secondOf(stamp);
  const isShort = second === 58 || second === 59;
  if (!isShort && second !== 0) {
    clock.minutes = undefined;
    return;
  }
  if (isShort) {
    minutes.short += 1;
    minutes.example ??= stamp;
  } else {
    minutes.full += 1;
  }
  if (minutes.areOfFive) minutes.areOfFive = (minuteOf(stamp) + (isShort ? 1 : 0)) % 5 === 0;
}

/** A stamp without an offset, to which its zone's was added. */
export function noteLocalTime(
  clock: Clock,
  column: TimeColumn,
  stamp: string,
  sensor: unknown,
): void {
  if (stamp.length <= DATE_LENGTH) return;
  if (clock.hours !== undefined) noteHour(clock, clock.hours, stamp);
  if (clock.halfDays !== undefined) noteHalfDay(clock, clock.halfDays, column, stamp, sensor);
}

function noteHour(clock: Clock, hours: NonNullable<Clock['hours']>, stamp: string): void {
  if (minuteOf(stamp) !== 0 || secondOf(stamp) !== 0) {
    clock.hours = undefined;
    return;
  }
  hours.ofDay |= 1 << hourOf(stamp);
  if (hours.first === '') hours.first = stamp;
  if (stamp > hours.last) hours.last = stamp;
  else if (stamp < hours.first) hours.first = stamp;
}

/**
 * A day of 12:00, 1:00 … 12:00, 1:00 … turns back behind twelve, or forward in a file whose newest
 * stamp comes first. Another table begins anew.
 */
function noteHalfDay(
  clock: Clock,
  halfDays: HalfDays,
  column: TimeColumn,
  stamp: string,
  sensor: unknown,
): void {
  const hour = hourOf(stamp);
  if (hour === 0 || hour > 12) {
    clock.halfDays = undefined;
    return;
  }
  halfDays.has12 ||= hour === 12;
  const before = halfDays.bySensor.get(sensor);
  if (before?.column !== column) {
    halfDays.bySensor.set(sensor, { stamp, column, isFalling: false });
    return;
  }
  const [from, to] = before.isFalling ? [1, 12] : [12, 1];
  const turns =
    hour === to && hourOf(before.stamp) === from && dateOf(before.stamp) === dateOf(stamp);
  if (turns) halfDays.turn ??= [before.stamp, stamp];
  else before.isFalling = stamp < before.stamp;
  before.stamp = stamp;
}

/** Compares the offset that the name of the column says with the one of the zone. */
export function noteOffset(
  clock: Clock,
  { name, offset }: TimeColumn,
  stamp: string,
  /** The stamp with the offset of its zone; undefined: no zone is known. */
  exact: string | undefined,
): void {
  if (clock.otherOffset !== undefined || offset === undefined) return;
  if (readInstant(stamp)?.local !== true) return;
  const [, used] = OFFSET.exec(exact ?? '') ?? [];
  if (exact !== undefined && (used === undefined || used.replace('Z', '+00:00') === offset)) return;
  clock.otherOffset = { column: name, said: offset, stamp, used };
}

const OFFSET = /:\d\d(Z|[-+]\d\d:\d\d)$/;
