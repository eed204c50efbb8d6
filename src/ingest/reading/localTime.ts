/**
 * Adds to local time stamps the offset that the network's time zone had then. A skipped hour gets
 * none, so its readings are rejected for their time. In an hour that occurred twice, a sensor's
 * lines are taken to be in order of time, newest last or newest first as when they came into that
 * hour: its other pass begins where the stamps turn back. A sensor whose first line is in such an
 * hour is ambiguous until then, and those lines get no offset.
 */
import { LRUCache } from 'lru-cache';
import { readInstant } from './instants.ts';

const DATE_LENGTH = '2026-11-20'.length;
const HOUR_LENGTH = '2026-11-20 12'.length;

/** `second` undefined: it cannot be told. */
type Pass = { stamp: string; second: boolean | undefined; isDescending: boolean };

/**
 * Returns a function from a stamp and its sensor to the stamp with an offset. It keeps state for
 * each sensor, so call it once for each line, in the order of the file. Stamps with an offset, in a
 * skipped or an ambiguous hour or that are no time come back without one added. Throws RangeError
 * for an unknown time zone.
 */
export function makeOffsetAdder(timeZone: string): (stamp: string, sensor: string) => string {
  const offsetsOf = makeLocalOffsets(timeZone);
  const passes = new Map<string, Pass>();

  const isSecondPass = (stamp: string, sensor: string): boolean | undefined => {
    const before = passes.get(sensor);
    const isDescending =
      before !== undefined && isSameHour(before.stamp, stamp)
        ? before.isDescending
        : stamp < (before?.stamp ?? '');
    const turnsBack =
      before !== undefined && (isDescending ? stamp >= before.stamp : stamp <= before.stamp);
    let second = before === undefined ? undefined : isDescending;
    if (before !== undefined && isSameHour(before.stamp, stamp))
      second = turnsBack ? !isDescending : before.second;
    passes.set(sensor, { stamp, second, isDescending });
    return second;
  };

  return (stamp, sensor) => {
    const full = stamp.length === DATE_LENGTH ? `${stamp} 00:00:00` : stamp;
    if (readInstant(full)?.local !== true) return full;
    const [first = '', second = first] = offsetsOf(full.slice(0, HOUR_LENGTH));
    if (second === first) {
      passes.set(sensor, { stamp: full, second: undefined, isDescending: false });
      return full + first;
    }
    const isSecond = isSecondPass(full, sensor);
    return isSecond === undefined ? full : full + (isSecond ? second : first);
  };
}

const isSameHour = (one: string, other: string): boolean =>
  one.slice(0, HOUR_LENGTH) === other.slice(0, HOUR_LENGTH);

/** Returns a function from an instant to the offset then. Throws RangeError for an unknown zone. */
export function localOffset(timeZone: string): (instant: number) => string {
  const clock = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  // of `11/20/2026, GMT+04:00`
  return (instant) => clock.format(instant).split('GMT')[1] || '+00:00';
}

const DAY_MS = 86_400_000;
const HOUR = /^\d{4}-\d\d-\d\d[ T]\d\d$/;
/** More than a year of them. */
const CACHED_HOURS = 10_000;

/**
 * The offsets, such as `+01:00`, of a local hour such as `2026-10-25 01`: one as a rule, none for a
 * skipped hour or an invalid one, and two, the earlier first, for an hour that occurred twice.
 * Clocks change on full local hours (rule Z1), so a whole hour has the same offsets. Throws
 * RangeError for an unknown time zone.
 */
export function makeLocalOffsets(timeZone: string): (hour: string) => readonly string[] {
  const offsetAt = localOffset(timeZone);
  const memoMethod = (hour: string): readonly string[] => {
    const local = `${hour.replace(' ', 'T')}:00`;
    const near = HOUR.test(hour) ? Date.parse(`${local}Z`) : Number.NaN;
    if (Number.isNaN(near)) return [];
    // it is within a day of the instant, whatever the offset, and no zone changes its clocks twice
    // in two days
    const candidates = new Set([offsetAt(near - DAY_MS), offsetAt(near + DAY_MS)]);
    return [...candidates].filter((offset) => offsetAt(Date.parse(`${local}${offset}`)) === offset);
  };
  const cache = new LRUCache({ max: CACHED_HOURS, memoMethod });
  return (hour) => cache.memo(hour);
}
