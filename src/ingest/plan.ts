/**
 * What a source would do, said before it is done (S10): how it is read, every doubt about it, what
 * cannot be used, and its values beside what is stored and what is measured nearby.
 */
import type { Declarations } from './reading/declarations.ts';
import type { Doubt } from './reading/doubt.ts';
import type { SourceFacts } from './reading/facts.ts';
import type { Described } from './store/describe.ts';
import type { ReplacedValues } from './store/replaced.ts';

/** What cannot be used, by reason, with the first that has it. */
export type Refused = {
  reason: string;
  count: number;
  position: string;
  text: string;
  explanation: string;
};

/** A declaration as the network file has it in `sources`. */
export type SourceEntry = {
  format?: string;
  columns?: Record<string, string>;
  units?: Record<string, string>;
  zone?: string;
  date_format?: string;
  shift?: string;
  round?: string;
  only?: Record<string, string[]>;
  device?: string;
};

export type Plan = {
  source: string;
  format: string;
  /** The zone of stamps without an offset, where one was declared. */
  zone: string | null;
  columns: { column: string; parameter: string; unit: string | null; said: string }[];
  /** Columns and keys that are not used. */
  unused: string[];
  /** Rows and values that `only` leaves out. */
  excluded: number;
  doubts: Pick<Doubt, 'what' | 'remedy'>[];
  /** Why it could not be read to its end. */
  failure?: string;
  received: number;
  accepted: number;
  unchanged: number;
  replaced: ReplacedValues | null;
  refused: Refused[];
  values: Described[];
  /** The declaration that reads it, for `sources` in the network file. */
  entry: SourceEntry;
};

/** A declaration as a source of the network file has it. */
export function entryOf(declared: Declarations, facts: Pick<SourceFacts, 'format'>): SourceEntry {
  const { zone, dateFormat, shift, round } = declared;
  const pairs = (all: readonly string[] = []) =>
    Object.fromEntries(
      all.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    );
  const columns = pairs(declared.columns);
  const units = pairs(declared.units);
  const only = Object.fromEntries(
    Object.entries(pairs(declared.only)).map(([column, values]) => [column, values.split(',')]),
  );
  return {
    format: declared.name ?? facts.format,
    ...(isFilled(columns) && { columns }),
    ...(isFilled(units) && { units }),
    ...(zone !== undefined && { zone }),
    ...(dateFormat !== undefined && { date_format: dateFormat }),
    ...(shift !== undefined && { shift }),
    ...(round !== undefined && { round }),
    ...(isFilled(only) && { only }),
    ...(declared.device !== undefined && { device: declared.device }),
  };
}

const isFilled = (record: object) => Object.keys(record).length > 0;
