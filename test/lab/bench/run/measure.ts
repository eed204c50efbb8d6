/** A measure, its context, and its report: one row for each figure. */
import type { Engine } from '../../../../src/schema/aggregates.ts';
import type { Targets } from '../../../support/run/servers.ts';
import type { Country } from './country.ts';
import type { Comparison } from './rounds.ts';
import { bootstrap, type Interval } from './statistics.ts';
import type { World } from './world.ts';

export type Row = {
  /** The measure, such as `B1`. */
  id: string;
  title: string;
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
};

export type Context = {
  targets: Targets;
  /** TimescaleDB where this machine has it. */
  engine: Engine;
  /** Small sizes and few rounds: to see that it works, not to judge. */
  quick: boolean;
  /** True if a measure of a family is wanted. */
  wants(id: string): boolean;
  /** Does something when the measure is over, the last first. */
  after(task: () => unknown): void;
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

type Judged = Pick<Row, 'id' | 'title' | 'better' | 'unit' | 'must' | 'goal'>;

/** A row that judges a ratio; the unit is of what was compared. */
export function ratioRow(
  { ratio, ours, reference, ...control }: Comparison,
  { unit, ...row }: Judged,
): Row {
  const detail = `${figure(ours)} : ${figure(reference)} ${unit}`;
  return { ...row, ...control, value: ratio, unit: '', detail };
}

/** A row of an absolute figure, measured once or several times: the less, the better. */
export function figureRow(
  values: readonly number[],
  { detail, ...row }: Omit<Judged, 'better'> & { detail?: string },
): Row {
  const most = `at most ${figure(Math.max(...values))} ${row.unit} of ${values.length}`;
  const parts = [detail, values.length > 1 && most].filter(Boolean);
  return { ...row, value: bootstrap(values), better: 'lower', detail: parts.join('; ') };
}

/** Three significant digits, thousands with separators. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Math.abs(value) < 0.1 && value !== 0
    ? value.toPrecision(2)
    : value.toLocaleString('en', { maximumFractionDigits: digits });
}
