/**
 * Compares two things round by round: within a round each is measured in an order that rotates, so
 * that a drift of the machine's speed meets both. The reference is measured twice: how much it
 * differs from itself tells how much a difference means.
 */
import { bootstrap, type Interval, median } from './statistics.ts';

export type Comparison = {
  ours: number;
  reference: number;
  /** Ours ÷ reference. */
  ratio: Interval;
  /** The reference ÷ itself; left out where it tells nothing. */
  control?: Interval;
};

/** One measurement, which may have several figures. */
type Variant<Name extends string> = () => Promise<Record<Name, number>>;

/** The comparison of each figure. */
export async function compare<Name extends string>(
  variants: { ours: Variant<Name>; reference: Variant<Name> },
  rounds: number,
): Promise<Record<Name, Comparison>> {
  const order = [variants.ours, variants.reference, variants.reference];
  const samples: Record<Name, number>[][] = order.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < order.length; turn++) {
      const which = (turn + round) % order.length;
      samples[which]?.push(await (order[which] as Variant<Name>)());
    }
  }
  const names = Object.keys(samples[0]?.[0] ?? {}) as Name[];
  const compared = names.map((name) => {
    const [ours = [], first = [], second = []] = samples.map((all) => all.map((one) => one[name]));
    return [name, comparisonOf(ours, first, second)];
  });
  return Object.fromEntries(compared);
}

/** Ratios are taken within a round, of one sample of ours and two of the reference. */
export function comparisonOf(
  ours: readonly number[],
  first: readonly number[],
  second: readonly number[],
): Comparison {
  const firstOf = (round: number) => first[round] as number;
  const both = second.map((value, round) => Math.sqrt(value * firstOf(round)));
  return {
    ours: median(ours),
    reference: median([...first, ...second]),
    ratio: bootstrap(ours.map((value, round) => value / (both[round] as number))),
    control: bootstrap(second.map((value, round) => value / firstOf(round))),
  };
}
