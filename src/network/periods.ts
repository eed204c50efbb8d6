/** Periods of the network file as instants, and what can be wrong with them. Half-open; what was not said is infinite. */
import { instantText, readInstant } from '../ingest/time.ts';
import type { Flag } from './schema.ts';

/** In microseconds since 1970. */
export type Period = { since: number; until: number };
type Given = { since?: string | null | undefined; until?: string | null | undefined };

const FOREVER: Period = { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

export type PeriodReader = {
  /** Undefined: it is wrong, and was noted. */
  period(place: string, given: Given): Period | undefined;
  flag(place: string, given: Flag): Period[];
};

export function makePeriodReader(
  instants: ReadonlyMap<number, number>,
  note: (place: string, what: string) => void,
): PeriodReader {
  const end = (place: string, text: string | null | undefined, otherwise: number) => {
    if (text == null) return otherwise;
    const read = readInstant(text);
    const instant = read?.local ? instants.get(read.microseconds) : read?.microseconds;
    if (instant === undefined) {
      note(place, `${JSON.stringify(text)} is no time: give 2026-11-20, 2026-11-20T13:00 or 2026-11-20T09:00Z`);
    }
    return instant;
  };
  const reader: PeriodReader = {
    period(place, given) {
      const since = end(`${place}.since`, given.since, FOREVER.since);
      const until = end(`${place}.until`, given.until, FOREVER.until);
      if (since === undefined || until === undefined) return undefined;
      if (since < until) return { since, until };
      note(place, `since ${given.since} is not before until ${given.until}`);
      return undefined;
    },
    flag(place, given) {
      if (typeof given === 'boolean') return given ? [FOREVER] : [];
      return given.flatMap((each, index) => reader.period(`${place}[${index}]`, each) ?? []);
    },
  };
  return reader;
}

/** The places of two periods that share time, if any do. */
export function overlap(periods: readonly (Period & { place: string })[]): [string, string] | undefined {
  const sorted = [...periods].sort((a, b) => a.since - b.since);
  let last: (Period & { place: string }) | undefined;
  for (const period of sorted) {
    if (last !== undefined && period.since < last.until) return [last.place, period.place];
    last = period;
  }
  return undefined;
}

/** As PostgreSQL reads it. */
export function timestamp(microseconds: number): string {
  if (!Number.isFinite(microseconds)) return microseconds < 0 ? '-infinity' : 'infinity';
  return instantText(microseconds);
}
