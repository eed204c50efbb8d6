/** Counts stored values that a source has replaced by others or withdrawn (S3). */
import { inUtc } from '../reading/span.ts';

/** How many values, and the first and last hour with one, in microseconds since 1970. */
export type Replaced = { values: number; oldest: number | null; newest: number | null };

export const NOTHING_REPLACED: Replaced = { values: 0, oldest: null, newest: null };

export function addReplaced(one: Replaced, other: Replaced): Replaced {
  if (one.oldest === null || one.newest === null) return other;
  if (other.oldest === null || other.newest === null) return one;
  return {
    values: one.values + other.values,
    oldest: Math.min(one.oldest, other.oldest),
    newest: Math.max(one.newest, other.newest),
  };
}

/** As summaries, answers and logs have it, the hours in UTC. */
export type ReplacedValues = { values: number; oldest: string; newest: string };

/** Undefined: nothing was replaced. */
export function describeReplaced({ values, oldest, newest }: Replaced): ReplacedValues | undefined {
  if (oldest === null || newest === null) return undefined;
  return { values, oldest: inUtc(oldest), newest: inUtc(newest) };
}
