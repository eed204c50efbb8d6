/** The times of a source's readings: the oldest, the newest, and whether years lie between them. */
import { readInstant } from './instants.ts';
import type { ReadingInput } from './reading.ts';

export type Span = {
  /** As they were given. */
  oldest: string | undefined;
  newest: string | undefined;
  /** Months with a reading, as `2026-11`. */
  months: Set<string>;
};

export const emptySpan = (): Span => ({ oldest: undefined, newest: undefined, months: new Set() });

/** Adds the time of a reading that was stored: ISO 8601 with an offset. */
export function addTime(span: Span, measuredAt: string): void {
  span.months.add(measuredAt.slice(0, 7));
  if (span.oldest === undefined || isEarlier(measuredAt, span.oldest)) span.oldest = measuredAt;
  if (span.newest === undefined || isEarlier(span.newest, measuredAt)) span.newest = measuredAt;
}

/** Adds the times of readings, but of those that were quarantined, by their index. */
export function addTimes(
  span: Span,
  readings: readonly ReadingInput[],
  quarantined: readonly { index: number }[],
): void {
  const refused = new Set(quarantined.map(({ index }) => index));
  for (const [index, { measuredAt }] of readings.entries())
    if (typeof measuredAt === 'string' && !refused.has(index)) addTime(span, measuredAt);
}

/** Most sources write all times in one form, which sorts as text. */
function isEarlier(one: string, other: string): boolean {
  if (one.length === other.length && one.endsWith('Z') && other.endsWith('Z')) return one < other;
  return microseconds(one) < microseconds(other);
}

const microseconds = (text: string) => readInstant(text)?.microseconds ?? Number.NaN;

/** In UTC, without empty fractions of a second. */
export const inUtc = (measuredAt: string): string =>
  new Date(microseconds(measuredAt) / 1_000).toISOString().replace('.000Z', 'Z');

/** Months without a reading that are taken for a clock that was wrong. */
const LONGEST_GAP = 12;

const number = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));

/**
 * A sentence where more than a year without readings lies between two of them, or between the
 * newest and `until`: many clocks begin in 1970 or 2000 when they were reset. Undefined: there is
 * none.
 */
export function describeGap({ oldest, months }: Span, until?: Date): string | undefined {
  if (oldest === undefined) return undefined;
  const sorted = [...months].sort();
  if (until !== undefined) sorted.push(until.toISOString().slice(0, 7));
  const at = sorted.findIndex(
    (month, index) => number(sorted[index + 1] ?? month) - number(month) > LONGEST_GAP,
  );
  if (at < 0) return undefined;
  return `the oldest reading is of ${inUtc(oldest)}, and between ${sorted[at]} and ${sorted[at + 1]} there is none: a clock that was reset? Set EPOCH to refuse such times, or remove them with "delete readings"`;
}
