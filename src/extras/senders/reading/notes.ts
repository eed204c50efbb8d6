/** Collects what comes up about a source while it is read, for messages: no reading depends on it. */
import { GASES, type ParameterName } from '../../../contract/parameters.ts';
import {
  type SourceNotes as CoreNotes,
  MOST_IGNORED,
  noNotes,
} from '../../../ingest/reading/notes.ts';
import type { Row } from '../../../ingest/rows/row.ts';
import { type Format, isUnused } from '../formats/format.ts';
import { cellAt } from '../rows/cells.ts';
import { conversionFrom } from '../units.ts';
import { type Clock, makeClock } from './clock.ts';
import { type Dividing, noteDividing } from './dividing.ts';
import { isReducedPressure } from './place.ts';
import type { Plan } from './plan.ts';
import { noteUnsaidUnit, type UnsaidUnit } from './unsaidUnits.ts';
import { type NamedValue, passedOver, type UnitOfValue, unitOfValue } from './values.ts';
import { noteVerdict, type Verdicts } from './verdicts.ts';

/** Facts about a source of a foreign form. */
export type SourceNotes = CoreNotes & {
  /** True if a row has one parameter, so that several are one reading. */
  isLong: boolean;
  /** Parameters whose unit is declared, whatever the source says. */
  declared: ReadonlySet<ParameterName>;
  /** Fields whose unit is open (S6), by field and word. */
  unsaid: Map<string, UnsaidUnit>;
  /** Names of pressure that is reduced to sea level, and that would be stored (S9). */
  reduced: Set<string>;
  dividing: Dividing;
  /** True if stamps name the end of an interval, and no shift is declared. */
  namesEnd: boolean;
  clock: Clock;
  verdicts: Verdicts;
};

export const makeNotes = (): SourceNotes => ({
  ...noNotes(''),
  isLong: false,
  declared: new Set(),
  unsaid: new Map(),
  reduced: new Set(),
  dividing: new Map(),
  namesEnd: false,
  clock: makeClock(),
  verdicts: new Map(),
});

/** Notes names that are not used, unless the format knows them. */
export function noteIgnored(
  { ignored }: SourceNotes,
  format: Format,
  names: readonly string[],
): void {
  for (const name of names)
    if (ignored.size < MOST_IGNORED && !isUnused(format, name)) ignored.add(name);
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
