/**
 * Findings about a source while it is read: facts for reports and answers, and doubts. No
 * reading depends on it.
 */

import type { InputError } from '../../base/inputError.ts';
import type { ParameterName } from '../../contract/parameters.ts';
import { type Encoding, notUtf8, UTF_8 } from '../rows/encoding.ts';
import type { Row } from '../rows/row.ts';
import type { Doubt } from './doubt.ts';
import type { ReadingInput } from './reading.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The interval that the rows of a file are means of. */
export type Means = 'hour' | 'day';

/** Who says the unit of a column, in the words of a plan. */
type SaidBy =
  | 'in the name'
  | 'declared'
  | 'our name'
  | 'by the format'
  | 'in a row of units'
  | 'in each row'
  | 'assumed';

/** A column or key that is used, and for what. */
export type UsedColumn = {
  /** As its source writes it. */
  column: string;
  /** Or `sensor_id`, `device`, `time`. */
  parameter: string;
  /** Null: the column has none, or nothing says one for all rows. */
  unit: string | null;
  said_by: SaidBy | null;
};

/** How many values a column that is not used has. */
export type Unused = { values: number };

/** Facts that the core reports or asks about; who reads foreign forms has more. */
export type SourceFacts = {
  /** The name of its format. */
  format: string;
  /** Undefined: its rows are not means of hours or days. */
  means?: Means | undefined;
  /** The name of its encoding. */
  encoding: string;
  /** Undefined: it is not a table. */
  delimiter: string | undefined;
  /** The zone of stamps without an offset; undefined: none is known. */
  zone: string | undefined;
  /** By a key that tells them apart, in the order in which they were met. */
  columns: Map<string, UsedColumn>;
  /** Columns, keys or names of parameters that are not used, as far as they were met. */
  ignored: Map<string, Unused>;
  /** Rows with a value, or the name of a parameter. */
  rows: number;
  /** Parameters of our own names whose unit nobody says, and the fields they are in. */
  undeclared: Map<ParameterName, string>;
  /** Parameters whose unit is declared, whatever the source says; undefined: none can be. */
  declared: ReadonlySet<ParameterName> | undefined;
  /** True if a row has one parameter, so that several are one reading. */
  isLong: boolean;
  /** The hours and minutes of all times, as `08:00`; null: they have several. */
  timeOfDay: string | null | undefined;
  /** Titles and comments before the first header. */
  linesBefore: number;
  /** Rows, and single values of others, that `only` leaves out. */
  excluded: number;
  /** True if a reading got the time of its arrival, because it had none. */
  usedServerTime: boolean;
  /** The first row with a cell that is read and is not UTF-8; line 0: the very beginning is not. */
  notUtf8: { encoding: Encoding; line: number; text: string } | undefined;
  /** Why it is refused as a whole, although it is read on for its plan. */
  refusals: InputError[];
};

export const makeFacts = (format: string): SourceFacts => ({
  format,
  encoding: UTF_8,
  delimiter: undefined,
  zone: undefined,
  columns: new Map(),
  ignored: new Map(),
  rows: 0,
  undeclared: new Map(),
  declared: undefined,
  isLong: false,
  timeOfDay: undefined,
  linesBefore: 0,
  excluded: 0,
  usedServerTime: false,
  notUtf8: undefined,
  refusals: [],
});

/** At most this many names are reported as used, and as not used: each line may bring a new one. */
const MOST_NAMES = 100;

/** Why a source cannot be stored, whatever its values are. `name`: the source, for messages. */
export function refusalsOf(name: string, { notUtf8: bytes, refusals }: SourceFacts): InputError[] {
  if (bytes === undefined) return refusals;
  const position = bytes.line === 0 ? name : `${name}:${bytes.line}`;
  return [notUtf8(position, bytes.encoding, bytes.text), ...refusals];
}

/** Notes a column that is used. `key`: tells it apart; a row of units behind a header says more. */
export function noteUsed({ columns }: SourceFacts, key: string, used: UsedColumn): void {
  if (columns.has(key) || columns.size < MOST_NAMES) columns.set(key, used);
}

/** Notes a name that is not used, and returns the count of its values; undefined: there are too many names. */
export function noteUnused({ ignored }: SourceFacts, name: string): Unused | undefined {
  const known = ignored.get(name);
  if (known !== undefined || ignored.size >= MOST_NAMES) return known;
  const unused = { values: 0 };
  ignored.set(name, unused);
  return unused;
}

/** Cells that are not used, each with the count of its values. */
export type UnusedCells = readonly (readonly [index: number, unused: Unused])[];

/** Counts the values of a row in cells that are not used. */
export function countUnused(cells: Row['cells'], unusedCells: UnusedCells): void {
  for (const [index, unused] of unusedCells) {
    const cell = cells[index];
    if (cell !== '' && cell !== null && cell !== undefined) unused.values += 1;
  }
}

/** A place that readings of a sensor or device give, and the times of the first and the last. */
export type OwnPlace = {
  sensorId: unknown;
  device: string | undefined;
  latitude: number;
  longitude: number;
  /** The field with the latitude. */
  name: string;
  first: string;
  last: string;
};

export type Doubts = {
  /** By sensor or device, and place: to be compared with the network. */
  places: ReadonlyMap<string, OwnPlace>;
  /**
   * The doubts, the gravest first. `readings`: those whose values are looked at; none where that
   * was done before. `without`: parameters whose values are explained elsewhere.
   */
  of(readings: readonly ReadingInput[], say: Vocabulary, without?: ReadonlySet<string>): Doubt[];
  /** Doubts about times, which count where rows of one sensor and time contradict each other. */
  ofContradictions(say: Vocabulary): Doubt[];
};

export type Findings<Facts extends SourceFacts = SourceFacts> = { facts: Facts; doubts: Doubts };

/** For a source in our own form, which leaves nothing open. */
export const makeFindings = (format: string): Findings => ({
  facts: makeFacts(format),
  doubts: { places: new Map(), of: () => [], ofContradictions: () => [] },
});
