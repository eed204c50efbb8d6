/** Reads the periods of a network file as half-open ranges of instants; an end that is not given is infinite. */
import { instantText, readInstant } from '../ingest/validate.ts';
import type { Flag } from './schema.ts';

/** In microseconds since 1970; `until` is exclusive. */
export type Period = { since: number; until: number };
type Given = { since?: string | null | undefined; until?: string | null | undefined };

const ALWAYS: Period = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export type PeriodReader = {
  /** Undefined: it is invalid, and an issue was added. */
  period(position: string, given: Given): Period | undefined;
  /** The periods in which a flag is set. Adds an issue for each that is invalid, and leaves it out. */
  flag(position: string, given: Flag): Period[];
};

/** `instants` maps local times to instants, both in microseconds since 1970. */
export function makePeriodReader(
  instants: ReadonlyMap<number, number>,
  addIssue: (position: string, message: string) => void,
): PeriodReader {
  const end = (position: string, text: string | null | undefined, otherwise: number) => {
    if (text == null) return otherwise;
    const read = readInstant(text);
    const instant = read?.local ? instants.get(read.microseconds) : read?.microseconds;
    if (instant === undefined) {
      addIssue(
        position,
        `${JSON.stringify(text)} is not a time: give 2026-11-20, 2026-11-20T13:00 or 2026-11-20T09:00Z`,
      );
    }
    return instant;
  };
  const reader: PeriodReader = {
    period(position, given) {
      const since = end(`${position}.since`, given.since, ALWAYS.since);
      const until = end(`${position}.until`, given.until, ALWAYS.until);
      if (since === undefined || until === undefined) return undefined;
      if (since < until) return { since, until };
      addIssue(position, `since ${given.since} is not before until ${given.until}`);
      return undefined;
    },
    flag(position, given) {
      if (typeof given === 'boolean') return given ? [ALWAYS] : [];
      return given.flatMap((each, index) => reader.period(`${position}[${index}]`, each) ?? []);
    },
  };
  return reader;
}

/** The positions of two periods that overlap, if any do, the later one second. */
export function overlap(periods: readonly (Period & { position: string })[]): [string, string] | undefined {
  const sorted = [...periods].sort((a, b) => a.since - b.since);
  let last: (Period & { position: string }) | undefined;
  for (const period of sorted) {
    if (last !== undefined && period.since < last.until) return [last.position, period.position];
    last = period;
  }
  return undefined;
}

/** An instant or infinity as text that PostgreSQL reads. */
export function timestamp(microseconds: number): string {
  if (!Number.isFinite(microseconds)) return microseconds < 0 ? '-infinity' : 'infinity';
  return instantText(microseconds);
}
