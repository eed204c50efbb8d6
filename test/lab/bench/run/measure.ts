/** A measure, its context, and its report: one row for each figure that is judged. */
import type { Engine } from '../../../../src/schema/aggregates.ts';
import type { Targets } from '../../../support/run/servers.ts';
import type { Generator } from '../load/generator.ts';
import type { Country } from './country.ts';
import type { Comparison, Least } from './rounds.ts';
import type { Interval } from './statistics.ts';
import type { World } from './world.ts';

export type Row = {
  /** The measure, such as `B1`. */
  id: string;
  title: string;
  /** The size of the country, if it is about one. */
  stations?: number;
  /** The judged figure: a ratio, or an absolute figure in `unit`. */
  value: Interval;
  /** The unit of `value`; empty for a ratio. */
  unit: string;
  /** Ours and its reference, as measured, with their unit. */
  detail: string;
  better: 'higher' | 'lower';
  /** Left out: reported only. */
  must?: number;
  goal?: number;
  /** The reference ÷ itself. */
  control?: Interval;
  /** The least times behind a ratio. */
  least?: Least;
  /** True for a ratio of rates; of times otherwise. */
  isOfRates?: boolean;
};

export type Context = {
  targets: Targets;
  /** TimescaleDB where this machine has it. */
  engine: Engine;
  /** Small sizes and few rounds: to see that it works, not to judge. */
  quick: boolean;
  generator: Generator;
  /** True if a measure of a family is wanted. */
  wants(id: string): boolean;
  /** Says on stderr what is being done. */
  progress(text: string): void;
  /** The network that several measures share, set up when first needed. */
  town(): Promise<World>;
  /** The network of the size that the run was asked for. */
  country(): Promise<Country>;
};

export type Measure = {
  /** One, or several that share their set-up. */
  ids: readonly string[];
  title: string;
  run(context: Context): Promise<Row[]>;
};

/** A row that judges a ratio of two rates (`isOfRates`) or times. */
export function ratioRow(
  { ratio, control, least, ours, reference }: Comparison,
  {
    unit,
    ...row
  }: Pick<Row, 'id' | 'title' | 'better' | 'must' | 'goal' | 'isOfRates'> & { unit: string },
): Row {
  return {
    ...row,
    value: ratio,
    unit: '',
    control,
    least,
    detail: `${figure(ours)} : ${figure(reference)} ${unit}`,
  };
}

/** Three significant digits, thousands with separators. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Math.abs(value) < 0.1 && value !== 0
    ? value.toPrecision(2)
    : value.toLocaleString('en', { maximumFractionDigits: digits });
}
