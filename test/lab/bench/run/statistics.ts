/**
 * Medians of rounds and how far they can be trusted: a percentile bootstrap, seeded, so the same
 * samples give the same interval.
 */
import { seeded } from '../../../support/random.ts';

/** A median and its 95 % confidence interval. */
export type Interval = { median: number; low: number; high: number };

const RESAMPLES = 2_000;

/** The median of the values with the interval that medians of resamples of them fall into. */
export function bootstrap(values: readonly number[]): Interval {
  const random = seeded(20_261_120);
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[random.below(values.length)] as number)),
  );
  const [low, high] = [percentile(medians, 2.5), percentile(medians, 97.5)];
  return { median: median(values), low, high };
}

export const median = (values: readonly number[]) => percentile(values, 50);

/** Interpolated between neighbours. NaN without values. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (p / 100) * (sorted.length - 1);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  const below = at(Math.floor(place));
  return below + (at(Math.ceil(place)) - below) * (place % 1);
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

/** The median milliseconds of a task that clients repeat at once for a time, at least once each. */
export async function repeated(
  task: () => Promise<unknown>,
  { clients, seconds: limit }: { clients: number; seconds: number },
): Promise<number> {
  const took: number[] = [];
  const until = performance.now() + limit * 1_000;
  const client = async () => {
    do took.push(1_000 * (await seconds(task)));
    while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return median(took);
}
