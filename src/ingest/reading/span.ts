/** The times of a source's readings: the oldest, the newest, and whether years lie between them. */
import { readInstant } from './instants.ts';
import type { ReadingInput } from './reading.ts';

/** Times in microseconds since 1970. */
export type Span = {
  oldest: number | undefined;
  newest: number | undefined;
  /** Days with a reading, counted in UTC from 1970. */
  days: Set<number>;
};

export const emptySpan = (): Span => ({ oldest: undefined, newest: undefined, days: new Set() });

const DAY = 86_400_000_000;

/** Adds the time of a reading that was stored. */
export function addTime(span: Span, time: number): void {
  span.days.add(Math.floor(time / DAY));
  if (span.oldest === undefined || time < span.oldest) span.oldest = time;
  if (span.newest === undefined || time > span.newest) span.newest = time;
}

/** Adds the times of readings, but of those that were quarantined, by their index. */
export function addTimes(
  span: Span,
  readings: readonly ReadingInput[],
  quarantined: readonly { index: number }[],
): void {
  const refused = new Set(quarantined.map(({ index }) => index));
  for (const [index, { measuredAt }] of readings.entries()) {
    if (refused.has(index) || typeof measuredAt !== 'string') continue;
    const instant = readInstant(measuredAt);
    if (instant !== undefined) addTime(span, instant.microseconds);
  }
}

/** Adds all times of another span. */
export function addSpan(span: Span, { oldest, newest, days }: Span): void {
  for (const day of days) span.days.add(day);
  for (const time of [oldest, newest]) if (time !== undefined) addTime(span, time);
}

/** ISO 8601, without empty fractions of a second. */
export const inUtc = (time: number): string =>
  new Date(time / 1_000).toISOString().replace('.000Z', 'Z');

/** Months without a reading that are taken for a clock that was wrong. */
const LONGEST_GAP = 12;

/** `2026-11`. */
const monthOf = (at: Date) => at.toISOString().slice(0, 7);

const number = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));

/**
 * A sentence where more than a year without readings lies between two of them, or between the
 * newest and `until`: many clocks begin in 1970 or 2000 when they were reset. Undefined: there is
 * none.
 */
export function describeGap({ oldest, days }: Span, until?: Date): string | undefined {
  if (oldest === undefined) return undefined;
  const months = new Set([...days].map((day) => monthOf(new Date((day * DAY) / 1_000))));
  const sorted = [...months].sort();
  if (until !== undefined) sorted.push(monthOf(until));
  const at = sorted.findIndex(
    (month, index) => number(sorted[index + 1] ?? month) - number(month) > LONGEST_GAP,
  );
  if (at < 0) return undefined;
  return `the oldest reading is of ${inUtc(oldest)}, and between ${sorted[at]} and ${sorted[at + 1]} there is none: a clock that was reset? Set EPOCH to refuse such times, or remove them with "delete readings"`;
}
