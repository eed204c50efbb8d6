/** The parts of a stamp in ISO 8601, by their place: every stamp of a source is looked at. */
const ZERO = 48;
const COLON = 58;
const twoDigits = (text: string, at: number): number =>
  (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;

/** Where the parts of `2026-11-20T08:00:12` begin. */
const HOUR = 11;
const MINUTE = 14;
const SECOND = 17;
const DATE_LENGTH = 10;

export const hourOf = (stamp: string): number => twoDigits(stamp, HOUR);
export const minuteOf = (stamp: string): number => twoDigits(stamp, MINUTE);
export const secondOf = (stamp: string): number =>
  stamp.charCodeAt(SECOND - 1) === COLON ? twoDigits(stamp, SECOND) : 0;
export const dateOf = (stamp: string): string => stamp.slice(0, DATE_LENGTH);

/** False for a date alone, and for most texts that are not a stamp. */
export const hasTimeOfDay = (stamp: string): boolean => stamp.charCodeAt(MINUTE - 1) === COLON;
