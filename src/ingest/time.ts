/** Instants as senders write them, and the offsets of local time. */

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?)?$/;

/** Microseconds since 1970, as PostgreSQL keeps them; `local` if no offset was given and they are those of a clock on the wall. */
export type Instant = { microseconds: number; local: boolean };

export function readInstant(text: string): Instant | undefined {
  const part = ISO.exec(text);
  if (part === null) return undefined;
  const [year, month, day] = [Number(part[1]), Number(part[2]), Number(part[3])];
  const [hour, minute, second] = [Number(part[4] ?? 0), Number(part[5] ?? 0), Number(part[6] ?? 0)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fraction = part[7] === undefined ? 0 : Number(part[7].padEnd(6, '0').slice(0, 6));
  const [offsetHours, offsetMinutes] = [Number(part[10] ?? 0), Number(part[11] ?? 0)];
  if (offsetHours > 15 || offsetMinutes > 59) return undefined;
  const offset = (offsetHours * 60 + offsetMinutes) * (part[9] === '-' ? -1 : 1);
  // Date.UTC takes the years 0 to 99 for 1900 to 1999
  if (year < 100) return undefined;
  const milliseconds = Date.UTC(year, month - 1, day, hour, minute, second) - offset * 60_000;
  return { microseconds: milliseconds * 1_000 + fraction, local: part[8] === undefined && part[9] === undefined };
}

/** The other way, for PostgreSQL or for this reader. */
export function instantText(microseconds: number): string {
  const milliseconds = Math.floor(microseconds / 1_000);
  const rest = String(microseconds - milliseconds * 1_000).padStart(3, '0');
  return new Date(milliseconds).toISOString().replace('Z', `${rest}Z`);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}

const DAY_MS = 86_400_000;
const HOUR = /^\d{4}-\d\d-\d\d[ T]\d\d$/;
/** Eleven years of hours. */
const REMEMBERED = 100_000;

/** Clocks change on full hours of theirs (rule Z1), so all of a local hour has the same ones. */
export type LocalOffsets = (hour: string) => readonly string[];

/**
 * Of a local hour such as `2026-10-25 01` its offsets, such as `+01:00`: one, none if the clocks skipped it, and two, the earlier
 * first, if they showed it twice.
 */
export function makeLocalOffsets(timeZone: string): LocalOffsets {
  const clock = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const offsetAt = (instant: number) =>
    clock
      .formatToParts(instant)
      .find(({ type }) => type === 'timeZoneName')
      ?.value.slice('GMT'.length) || '+00:00';
  const find = (hour: string): string[] => {
    if (!HOUR.test(hour)) return [];
    const local = `${hour.replace(' ', 'T')}:00`;
    const near = Date.parse(`${local}Z`);
    if (Number.isNaN(near)) return [];
    // it is within a day of the instant, whatever the offset, and no zone changes its clocks twice in two days
    const candidates = new Set([offsetAt(near - DAY_MS), offsetAt(near + DAY_MS)]);
    return [...candidates].filter((offset) => offsetAt(Date.parse(`${local}${offset}`)) === offset);
  };

  const known = new Map<string, readonly string[]>();
  return (hour) => {
    const before = known.get(hour);
    if (before !== undefined) return before;
    if (known.size === REMEMBERED) known.clear();
    const found = find(hour);
    known.set(hour, found);
    return found;
  };
}

/**
 * Gives stamps without an offset the one that the network's zone had then. An hour that the clocks skipped gets none, so that the door
 * finds its time unreadable. In an hour that they showed twice, the lines of a sensor are taken to be in order of time: the second
 * pass begins where their stamps no longer go forward. (Of a sensor with one line in such an hour nobody can know; it is the first.)
 */

const DATE_LENGTH = '2026-11-20'.length;
const HOUR_LENGTH = '2026-11-20 12'.length;

type Pass = { stamp: string; second: boolean };

/** A function from a stamp and the sensor it belongs to, to a stamp with an offset. */
export function makeWallClock(timeZone: string): (stamp: string, sensor: string) => string {
  const offsetsOf = makeLocalOffsets(timeZone);
  const passes = new Map<string, Pass>();

  const isSecondPass = (stamp: string, sensor: string): boolean => {
    const before = passes.get(sensor);
    const second =
      before?.stamp.slice(0, HOUR_LENGTH) === stamp.slice(0, HOUR_LENGTH) && (before.second || stamp <= before.stamp);
    passes.set(sensor, { stamp, second });
    return second;
  };

  return (stamp, sensor) => {
    const full = stamp.length === DATE_LENGTH ? `${stamp} 00:00:00` : stamp;
    if (hasOffset(full)) return full;
    const [first, other] = offsetsOf(full.slice(0, HOUR_LENGTH));
    if (first === undefined) return full;
    return full + (other !== undefined && isSecondPass(full, sensor) ? other : first);
  };
}

/** Something of an offset after the first colon: between the hour and the end. */
function hasOffset(stamp: string): boolean {
  const colon = stamp.indexOf(':');
  return colon >= 0 && /[Zz+-]/.test(stamp.slice(colon));
}
