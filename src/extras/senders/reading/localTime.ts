/**
 * Adds to local time stamps the offset that their zone had then, by the database server's rules
 * (Z5). A skipped hour gets none, so its readings are rejected for their time. In an hour that
 * occurred twice, the order of a sensor's lines tells the pass (repeatedHour.ts); where it does not,
 * they get no offset either.
 */
import { LRUCache } from 'lru-cache';
import { isLocal } from '../../../ingest/reading/instants.ts';
import type { ReadingInput } from '../../../ingest/reading/reading.ts';
import type { Transitions } from '../../../ingest/reading/zone.ts';
import { makePassFinder } from './repeatedHour.ts';

const DATE_LENGTH = '2026-11-20'.length;
const HOUR_LENGTH = '2026-11-20 12'.length;

/** `values`: the values of the stamp's line. */
export type AddOffset = (stamp: string, sensor: string, values: ReadingInput['values']) => string;

/** What gets the stamps that a zone makes doubtful. */
export type Observers = {
  /** Gets a stamp in a skipped hour, and the offset until then. */
  onSkipped?: (stamp: string, offset: string) => void;
  /**
   * Gets a sensor's stamp whose pass the order does not tell, and the stamp with either offset; no
   * stamp for an hour whose pass later lines tell.
   */
  onUndecided?: (sensor: string, hour: string, stamp?: string, either?: readonly string[]) => void;
};

/**
 * Returns a function that adds the offset of its zone to a stamp. It keeps state for each sensor, so
 * call it once for each line, in the order of the file. Stamps with an offset, in a skipped hour, in
 * one that occurred twice where nothing tells the pass, or that are no time come back without one
 * added.
 */
export function makeOffsetAdder(
  transitions: Transitions,
  { onSkipped, onUndecided }: Observers = {},
): AddOffset {
  const offsetsOf = makeLocalOffsets(transitions);
  const { outside, isSecond } = makePassFinder((sensor, hour, stamp) => {
    const either = stamp && offsetsOf(hour).map((offset) => stamp + offset);
    onUndecided?.(sensor, hour, stamp, either || []);
  });
  return (stamp, sensor, values) => {
    const full = stamp.length === DATE_LENGTH ? `${stamp} 00:00:00` : stamp;
    if (!isLocal(full)) return full;
    const hour = full.slice(0, HOUR_LENGTH);
    const [first = '', second = first] = offsetsOf(hour);
    if (first === '') {
      const offset = offsetBefore(transitions, hour);
      if (offset !== undefined) onSkipped?.(full, offset);
    }
    if (second === first) {
      outside(full, sensor, values);
      return full + first;
    }
    const isOfSecond = isSecond(full, sensor, values);
    return isOfSecond === undefined ? full : full + (isOfSecond ? second : first);
  };
}

const DAY_MS = 86_400_000;
const HOUR = /^\d{4}-\d\d-\d\d[ T]\d\d$/;
/** More than a year of them. */
const CACHED_HOURS = 10_000;

/**
 * The offsets, such as `+01:00`, of a local hour such as `2026-10-25 01`: one as a rule, none for a
 * skipped hour or an invalid one, and two, the earlier first, for an hour that occurred twice.
 * Clocks change on full local hours (rule Z1), so a whole hour has the same offsets.
 */
export function makeLocalOffsets(transitions: Transitions): (hour: string) => readonly string[] {
  const [first] = transitions;
  if (first === undefined) return () => [];
  const offsetAt = (instant: number) => offsetOf(transitions, first, instant);
  const memoMethod = (hour: string): readonly string[] => {
    const near = instantNear(hour);
    if (Number.isNaN(near)) return [];
    // it is within a day of the instant, whatever the offset, and no zone changes its clocks twice
    // in two days
    const candidates = new Set([offsetAt(near - DAY_MS), offsetAt(near + DAY_MS)]);
    return [...candidates].filter((offset) => offsetAt(near - offset) === offset).map(offsetText);
  };
  const cache = new LRUCache({ max: CACHED_HOURS, memoMethod });
  return (hour) => cache.memo(hour);
}

/** The offset a day before a local hour; undefined: the hour is invalid, or the zone unknown. */
function offsetBefore(transitions: Transitions, hour: string): string | undefined {
  const [first] = transitions;
  const near = instantNear(hour);
  if (first === undefined || Number.isNaN(near)) return undefined;
  return offsetText(offsetOf(transitions, first, near - DAY_MS));
}

const offsetOf = (transitions: Transitions, first: Transitions[number], instant: number): number =>
  (transitions.findLast(({ since }) => since <= instant) ?? first).offset;

/** The instant of a local hour in UTC, which no offset moves by a day; NaN: it is invalid. */
const instantNear = (hour: string): number =>
  HOUR.test(hour) ? Date.parse(`${hour.replace(' ', 'T')}:00Z`) : Number.NaN;

/** `+01:00`; with seconds, as before 1972, no time of ISO 8601 has it. */
const offsetText = (offset: number): string =>
  (offset < 0 ? '-' : '+') +
  new Date(Math.abs(offset)).toISOString().slice(11, 19).replace(/:00$/, '');
