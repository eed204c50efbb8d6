/** Collects what comes up about a source while it is read, for messages: no reading depends on it. */
import type { ParameterName } from '../../contract/parameters.ts';
import type { Format, Means } from '../formats/format.ts';
import { cellAt, type Row } from '../rows/row.ts';
import { type Contradictions, noContradictions } from './contradictions.ts';
import type { Plan } from './plan.ts';
import type { UnsaidUnit } from './unsaidUnits.ts';
import { columnThatCounts, isWithoutUnitAt, type NamedValue, passedOver } from './values.ts';
import { noteVerdict, type Verdicts } from './verdicts.ts';

/** Facts about a source that come up while it is read. */
export type SourceNotes = {
  /** The name of its format. */
  format: string;
  /** Undefined: its rows are no means of hours or days. */
  means?: Means | undefined;
  /** True if a row has one parameter, so that several are one reading. */
  isLong: boolean;
  /** Columns, keys or names of parameters that are not used, as far as they were met. */
  ignored: Set<string>;
  /** Rows with a value, or the name of a parameter: those of one sensor and time may be merged. */
  rows: number;
  /** Parameters whose unit nobody says, and the fields they are in. */
  undeclared: Map<ParameterName, string>;
  /** Parameters whose unit is declared, whatever the source says. */
  declared: ReadonlySet<ParameterName>;
  /** Fields whose unit is open, by field and word. */
  unsaid: Map<string, UnsaidUnit>;
  /** Titles and comments before the first header. */
  linesBefore: number;
  /** Rows that `only` leaves out. */
  excluded: number;
  /** True if a reading got the time of its arrival, because it had none. */
  usedServerTime: boolean;
  /** True if stamps name the end of an interval, and no shift is declared. */
  namesEnd: boolean;
  contradictions: Contradictions;
  verdicts: Verdicts;
};

export const makeNotes = (): SourceNotes => ({
  format: '',
  isLong: false,
  linesBefore: 0,
  excluded: 0,
  ignored: new Set(),
  rows: 0,
  undeclared: new Map(),
  declared: new Set(),
  unsaid: new Map(),
  usedServerTime: false,
  namesEnd: false,
  contradictions: noContradictions(),
  verdicts: new Map(),
});

/**
 * At most this many names are reported as not used: a file may bring a new one on every line.
 */
const MOST_IGNORED = 100;

/** Notes names that are not used, unless the format knows them. */
export function noteIgnored(
  { ignored }: SourceNotes,
  { unused = [] }: Format,
  names: readonly string[],
): void {
  for (const name of names)
    if (ignored.size < MOST_IGNORED && !unused.includes(name.toLowerCase())) ignored.add(name);
}

/** A function that notes what each row says. `named`: the values whose parameters it names. */
export function makeRowNoter(notes: SourceNotes, format: Format) {
  const { undeclared, verdicts } = notes;
  const noted = new WeakSet<Plan>();
  const noteUndeclared = (parameter: ParameterName, field: string) => {
    if (!undeclared.has(parameter)) undeclared.set(parameter, field);
  };
  return (row: Row, plan: Plan, named: readonly NamedValue[]): void => {
    const isFirst = !noted.has(plan);
    if (isFirst) {
      noted.add(plan);
      noteIgnored(notes, format, plan.unused);
    }
    for (const { name, position } of plan.verdicts)
      noteVerdict(verdicts, name, cellAt(row, position));
    if (plan.hasRivals) noteIgnored(notes, format, passedOver(row, plan));
    for (const { parameter, field, isWithoutUnit } of named) {
      if (parameter === undefined && format.isLong) noteIgnored(notes, format, [field]);
      if (parameter !== undefined && isWithoutUnit) noteUndeclared(parameter, field);
    }
    if (plan.table !== undefined && !isFirst && !plan.hasUnitsInRows) return; // they have its units
    for (const one of plan.values) {
      const column = columnThatCounts(row, one);
      if (column !== undefined && isWithoutUnitAt(row, column, one.parameter))
        noteUndeclared(one.parameter, column.field);
    }
  };
}
