/**
 * Compares variants round by round: within a round each is measured once, in an order that rotates,
 * so that a drift of the machine's speed meets all of them. The reference is measured twice: how
 * much it differs from itself tells how much a difference means.
 */
import { bootstrap, type Interval, median } from './statistics.ts';

/**
 * One measurement of a variant: in its unit, and the least time of a request in it, in
 * milliseconds.
 */
export type Sample = { value: number; least: number };
export type Variant = () => Promise<Sample>;

/**
 * The least times of a request in all rounds, in milliseconds. They tell of the code: whatever else
 * the machine does only adds to a time.
 */
export type Least = {
  ours: number;
  reference: number;
  /** The reference in its second turns ÷ in its first: how much a difference means. */
  control: number;
};

export type Comparison = {
  ours: number;
  reference: number;
  /** Ours ÷ reference. */
  ratio: Interval;
  /** The reference ÷ itself. */
  control: Interval;
  least: Least;
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
  const samples: [Sample[], Sample[], Sample[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < variants.length; turn++) {
      const which = (turn + round) % variants.length;
      samples[which]?.push(await (variants[which] as Variant)());
    }
    onRound?.(round + 1, at(samples[0], round).value / at(samples[1], round).value);
  }
  const [own, first, second] = samples;
  return comparisonOf(
    own,
    own.flatMap((_, round) => [at(first, round), at(second, round)]),
  );
}

/** The comparison of one sample of ours a round with two of the reference. */
export function comparisonOf(ours: readonly Sample[], reference: readonly Sample[]): Comparison {
  const first = reference.filter((_, index) => index % 2 === 0);
  const second = reference.filter((_, index) => index % 2 === 1);
  const ratioOf = ({ value }: Sample, round: number) =>
    value / Math.sqrt(at(first, round).value * at(second, round).value);
  return {
    ours: median(valuesOf(ours)),
    reference: median(valuesOf(reference)),
    ratio: bootstrap(ours.map(ratioOf)),
    control: bootstrap(second.map(({ value }, round) => value / at(first, round).value)),
    least: {
      ours: leastOf(ours),
      reference: leastOf(reference),
      control: leastOf(second) / leastOf(first),
    },
  };
}

const valuesOf = (samples: readonly Sample[]) => samples.map(({ value }) => value);
const leastOf = (samples: readonly Sample[]) => Math.min(...samples.map(({ least }) => least));

/** Several variants interleaved, without a control: the samples of each, by its name. */
export async function interleave<Name extends string>(
  variants: Record<Name, () => Promise<number>>,
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

const NOTHING: Sample = { value: Number.NaN, least: Number.NaN };
const at = (samples: readonly Sample[], index: number) => samples[index] ?? NOTHING;
