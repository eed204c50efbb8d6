/**
 * The plan of a source, shown before it is stored (S10): how it is read, every doubt about it, what
 * cannot be used, and its values beside what is stored and what is measured nearby.
 */
import { type Declarations, pair } from './reading/declarations.ts';
import type { Doubt } from './reading/doubt.ts';
import type { SourceFacts, UsedColumn } from './reading/facts.ts';
import type { ReadingInput } from './reading/reading.ts';
import type { Described } from './store/describe.ts';
import type { ReplacedValues } from './store/replaced.ts';
import {
  checkReading,
  givenParameters,
  latestAcceptable,
  type ReadingReason,
  type ValueReason,
} from './store/validate.ts';

/** Rows and values that cannot be used, by reason, with the first example. */
export type Refused = {
  reason: string;
  count: number;
  position: string;
  text: string;
  explanation: string;
};

/** A declaration as the network file has it in `sources`. */
type SourceEntry = {
  format?: string;
  columns?: Record<string, string | string[]>;
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
  encoding: string;
  /** Null: it is not a table. */
  delimiter: string | null;
  /** The zone of stamps without an offset; null: none is known. */
  zone: string | null;
  columns: UsedColumn[];
  /** Columns and keys that are not used. */
  unused: { column: string; values: number }[];
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

type Outcomes = {
  counts: Map<ReadingReason | ValueReason, number>;
  examples: Map<ReadingReason | ValueReason, ReadingInput>;
};

/**
 * Why readings could not be used either, were they of a sensor: a header that names nobody hides it.
 * A time or a value that the header does not have is not among the reasons.
 */
export function refusedIfOwned(readings: readonly ReadingInput[], now: Date): Outcomes {
  const found: Outcomes = { counts: new Map(), examples: new Map() };
  const parameters = givenParameters(readings);
  for (const reading of readings) {
    const owned = { ...reading, sensorId: ANY_SENSOR };
    const { reason, rejected } = checkReading(owned, parameters, latestAcceptable(now), NO_FACTS);
    const isLacking =
      (reason === 'unreadable_time' && reading.measuredAt === undefined) ||
      (reason === 'no_value' && parameters.length === 0);
    for (const one of [...rejected, ...(reason === undefined || isLacking ? [] : [reason])]) {
      found.counts.set(one, (found.counts.get(one) ?? 0) + 1);
      if (!found.examples.has(one)) found.examples.set(one, reading);
    }
  }
  return found;
}

const ANY_SENSOR = 1;
const NO_FACTS = new Map();

/** The names that are not used, each with the number of its values. */
export const unusedIn = ({ ignored }: Pick<SourceFacts, 'ignored'>): Plan['unused'] =>
  [...ignored].map(([column, { values }]) => ({ column, values }));

/** A declaration as a source of the network file has it; the words of a named one stay. */
export function entryOf(declared: Declarations, facts: Pick<SourceFacts, 'format'>): SourceEntry {
  const { zone, dateFormat, shift, round } = declared;
  const source: SourceEntry = declared.source ?? {};
  const columns = { ...source.columns, ...columnsIn(declared.columns) };
  const units = {
    ...source.units,
    ...Object.fromEntries((declared.units ?? []).map((one) => pair(one))),
  };
  const only = { ...source.only, ...onlyIn(declared.only) };
  return {
    ...source,
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

/** By our name their column, or their columns in the order of the options. */
function columnsIn(columns: readonly string[] = []): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, theirs] of columns.map((one) => pair(one))) {
    const ours = name.toLowerCase();
    found[ours] = found[ours] === undefined ? theirs : [found[ours], theirs].flat();
  }
  return found;
}

const onlyIn = (only: readonly string[] = []): Record<string, string[]> =>
  Object.fromEntries(
    only.map((one) => {
      const [column, values] = pair(one, one.lastIndexOf('='));
      return [column, values.split(',').map((value) => value.trim())];
    }),
  );

const isFilled = (record: object) => Object.keys(record).length > 0;
