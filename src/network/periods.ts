/**
 * Reads the periods of a network file as half-open ranges of instants; an end that is not given is
 * infinite.
 */
import { instantText } from '../ingest/reading/instants.ts';
import type { Flag } from './schema.ts';

/** In microseconds since 1970; `until` is exclusive. */
export type Period = { since: number; until: number };
export type Given = { since?: string | null | undefined; until?: string | null | undefined };
type AddIssue = (position: string, message: string) => void;

export type PeriodReader = {
  /**
   * Adds an issue for each period that is invalid, and leaves it out. Undefined was an issue
   * before.
   */
  list<T extends Given>(
    position: string,
    given: readonly (T | undefined)[],
  ): (T & Period & { position: string })[];
  /** The periods in which a flag is set. */
  flag(position: string, given: Flag | undefined): Period[];
};

/**
 * `instants`: the times of the file in microseconds since 1970; a text that is not there is not a
 * time.
 */
export function makePeriodReader(
  instants: ReadonlyMap<string, number>,
  addIssue: AddIssue,
): PeriodReader {
  const end = (position: string, text: string | null | undefined, otherwise: number) => {
    if (text == null) return otherwise;
    const instant = instants.get(text);
    if (instant === undefined) {
      addIssue(
        position,
        `${JSON.stringify(text)} is not a time: give 2026-11-20, 2026-11-20T13:00 or 2026-11-20T09:00Z`,
      );
    }
    return instant;
  };
  const list: PeriodReader['list'] = (key, given) =>
    given.flatMap((each, index) => {
      if (each === undefined) return [];
      const position = `${key}[${index}]`;
      const since = end(`${position}.since`, each.since, Number.NEGATIVE_INFINITY);
      const until = end(`${position}.until`, each.until, Number.POSITIVE_INFINITY);
      if (since === undefined || until === undefined) return [];
      if (since < until) return [{ ...each, position, since, until }];
      addIssue(position, `since ${each.since} is not before until ${each.until}`);
      return [];
    });
  return {
    list,
    flag(key, given = false) {
      if (given === true) return list(key, [{}]);
      return list(key, given === false ? [] : given);
    },
  };
}

/**
 * For every period that overlaps an earlier one of its group, adds an issue with `message`, unless
 * the two are compatible.
 */
export function addOverlaps<T extends Period & { position: string }>(
  periods: readonly T[],
  group: (period: T) => unknown,
  message: (period: T, earlier: T) => string,
  addIssue: AddIssue,
  isCompatible: (period: T, earlier: T) => boolean = () => false,
): void {
  const groups = new Map<unknown, T[]>();
  for (const period of periods) {
    const before = groups.get(group(period)) ?? [];
    const earlier = before.find(
      (each) =>
        each.since < period.until && period.since < each.until && !isCompatible(period, each),
    );
    if (earlier !== undefined) addIssue(period.position, message(period, earlier));
    groups.set(group(period), [...before, period]);
  }
}

/** An instant or infinity as text that PostgreSQL reads. */
export function timestamp(microseconds: number): string {
  if (!Number.isFinite(microseconds)) return microseconds < 0 ? '-infinity' : 'infinity';
  return instantText(microseconds);
}
