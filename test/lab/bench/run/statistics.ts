/**
 * Medians of rounds and how far they can be trusted: a percentile bootstrap, seeded, so the same
 * samples give the same interval.
 */
import { seeded } from '../../../support/random.ts';

/** A median and its 95 % confidence interval. */
export type Interval = { median: number; low: number; high: number };

const RESAMPLES = 2_000;

/** NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (
    ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
  );
}

/**
 * The median of the values with the interval that medians of resamples of them fall into. One value
 * has no width.
 */
export function bootstrap(values: readonly number[]): Interval {
  const random = seeded(20_261_120);
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[random.below(values.length)] as number)),
  ).sort((a, b) => a - b);
  const at = (share: number) => medians[Math.round(share * (RESAMPLES - 1))] ?? Number.NaN;
  return { median: median(values), low: at(0.025), high: at(0.975) };
}

/** Nearest rank, unrounded. NaN without values. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((p / 100) * sorted.length) - 1)] ?? Number.NaN;
}
