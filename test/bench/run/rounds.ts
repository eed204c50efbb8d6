/**
 * Compares variants round by round: within a round each is measured once, in an order that rotates,
 * so that a drift of the machine's speed meets all of them. The reference is measured twice: how
 * much it differs from itself tells how much a difference means.
 */
import { bootstrap, type Interval, median } from './statistics.ts';

/** One measurement of a variant, in its unit. */
export type Variant = () => Promise<number>;

export type Comparison = {
  ours: number;
  reference: number;
  /** Ours ÷ reference. */
  ratio: Interval;
  /** The reference ÷ itself. */
  control: Interval;
};

type Options = {
  ours: Variant;
  reference: Variant;
  rounds: number;
  onRound?: (round: number, ratio: number) => void;
};

/** Medians of all rounds; ratios are taken within a round. */
export async function compare({ ours, reference, rounds, onRound }: Options): Promise<Comparison> {
  const variants = [ours, reference, reference];
  const samples: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const which = (turn + round) % variants.length;
      samples[which]?.push(await (variants[which] as Variant)());
    }
    onRound?.(round + 1, at(samples[0], round) / at(samples[1], round));
  }
  const [own, first, second] = samples;
  return comparisonOf(
    own,
    own.flatMap((_, round) => [at(first, round), at(second, round)]),
  );
}

/** Of one value of ours a round, and two of the reference. */
export function comparisonOf(ours: readonly number[], reference: readonly number[]): Comparison {
  const first = (round: number) => at(reference, 2 * round);
  const second = (round: number) => at(reference, 2 * round + 1);
  return {
    ours: median(ours),
    reference: median(reference),
    ratio: bootstrap(ours.map((value, round) => value / Math.sqrt(first(round) * second(round)))),
    control: bootstrap(ours.map((_, round) => second(round) / first(round))),
  };
}

/** Several variants interleaved, without a control: the samples of each, by its name. */
export async function interleave<Name extends string>(
  variants: Record<Name, Variant>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(variants) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round) % names.length] as Name;
      samples[name].push(await variants[name]());
    }
  }
  return samples;
}

const at = (values: readonly number[], index: number) => values[index] ?? Number.NaN;
