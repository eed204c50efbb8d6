/** Collects what comes up about a source while it is read, for messages: no reading depends on it. */
import { GASES, type ParameterName } from '../../contract/parameters.ts';
import type { Format, Means } from '../formats/format.ts';
import type { Encoding } from '../rows/encoding.ts';
import { cellAt, type Row } from '../rows/row.ts';
import { conversionFrom } from '../units.ts';
import { type Clock, makeClock } from './clock.ts';
import { type Contradictions, noContradictions } from './contradictions.ts';
import { type Dividing, noteDividing } from './dividing.ts';
import { isReducedPressure, type OwnPlaces } from './place.ts';
import type { Plan } from './plan.ts';
import { noteUnsaidUnit, type UnsaidUnit } from './unsaidUnits.ts';
import { type NamedValue, passedOver, type UnitOfValue, unitOfValue } from './values.ts';
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
  /** Rows with a value, or the name of a parameter. Rows of one sensor and time may be merged. */
  rows: number;
  /** Parameters of our own names whose unit nobody says, and the fields they are in. */
  undeclared: Map<ParameterName, string>;
  /** Parameters whose unit is declared, whatever the source says. */
  declared: ReadonlySet<ParameterName>;
  /** Fields whose unit is open (S6), by field and word. */
  unsaid: Map<string, UnsaidUnit>;
  /** Names of pressure that is reduced to sea level, and that would be stored (S9). */
  reduced: Set<string>;
  /** The places that readings give themselves. */
  places: OwnPlaces;
  dividing: Dividing;
  /** Titles and comments before the first header. */
  linesBefore: number;
  /** Rows, and single values of others, that `only` leaves out. */
  excluded: number;
  /** True if a reading got the time of its arrival, because it had none. */
  usedServerTime: boolean;
  /** True if stamps name the end of an interval, and no shift is declared. */
  namesEnd: boolean;
  clock: Clock;
  contradictions: Contradictions;
  verdicts: Verdicts;
  /** The first row of which something that is read is not UTF-8. */
  notUtf8: { encoding: Encoding; line: number; text: string } | undefined;
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
  reduced: new Set(),
  places: new Map(),
  dividing: new Map(),
  usedServerTime: false,
  namesEnd: false,
  clock: makeClock(),
  contradictions: noContradictions(),
  verdicts: new Map(),
  notUtf8: undefined,
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

/** Names of reduced pressure that are asked about. */
const MOST_REDUCED = 20;

/** A function that notes what each row says, and whose it is. */
export function makeRowNoter(notes: SourceNotes, format: Format) {
  const { undeclared, unsaid, reduced, verdicts, dividing } = notes;
  const noted = new WeakSet<Plan>();
  const noteUnit = ({ parameter, field, said, isBeside, ...column }: UnitOfValue) => {
    if (said !== undefined) {
      if (isBeside && conversionFrom(said, parameter) === undefined)
        noteUnsaidUnit(unsaid, { parameter, field, said });
      return;
    }
    if (column.isForeign || (column.isMapped && GASES.includes(parameter)))
      noteUnsaidUnit(unsaid, { parameter, field, said: column.unknownUnit });
    else if (!undeclared.has(parameter)) undeclared.set(parameter, field);
  };
  const noteReduced = (names: readonly string[]) => {
    const name = names.find((one) => isReducedPressure(one, format));
    if (name !== undefined && reduced.size < MOST_REDUCED) reduced.add(name);
  };
  return (row: Row, plan: Plan, named: readonly NamedValue[], owner: unknown): void => {
    const isFirst = !noted.has(plan);
    if (isFirst) {
      noted.add(plan);
      noteIgnored(notes, format, plan.unused);
    }
    for (const verdict of plan.verdicts)
      noteVerdict(verdicts, verdict, cellAt(row, verdict.position));
    if (plan.dividing.length > 0) noteDividing(dividing, row, owner, plan);
    if (plan.hasRivals) noteIgnored(notes, format, passedOver(row, plan));
    for (const { field, column, names, unit } of named) {
      if (column === 'pressure') noteReduced(names ?? [field]);
      if (unit !== undefined) noteUnit(unit);
      else if (format.isLong) noteIgnored(notes, format, [field]);
    }
    if (plan.table !== undefined && !isFirst && !plan.hasUnitsInRows) return; // they have its units
    for (const one of plan.values) {
      if (isFirst && one.parameter === 'pressure')
        noteReduced(one.columns.map(({ field }) => field));
      const unit = unitOfValue(row, one, isFirst);
      if (unit !== undefined) noteUnit(unit);
    }
  };
}
