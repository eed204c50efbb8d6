/**
 * Finds the columns of `--column` among a row's names: where the sender's own names are, or else in
 * the row as a whole.
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import { makeColumns, type Names } from '../../../ingest/rows/row.ts';
import {
  channels,
  type Format,
  ownValues,
  text,
  type ValueColumn,
  value,
} from '../formats/format.ts';
import { unitInName } from '../formats/unitInName.ts';
import type { Position } from '../rows/cells.ts';
import { conversionFrom, ownUnitOf } from '../units.ts';
import type { DeclaredColumn } from './declarations.ts';

/** The names of a row or, one level deeper, of its payload. */
export type Level = { names: Names; isInPayload?: true };

/** Where a text is: in the first of several cells that is given, or in all of them together. */
export type Slot = {
  positions: readonly Position[];
  isJoined?: true;
  /** Where it is in a row that leaves these cells empty. */
  otherwise?: Slot;
};

/** The columns that are declared to be it, in the order of declaration, and then the format's. */
export const mappedSlot = (
  columns: readonly DeclaredColumn[],
  is: 'sensor' | 'device' | 'time',
  levels: readonly Level[],
  own: Slot,
): Slot =>
  columns
    .filter((column) => column.is === is)
    .flatMap(({ theirs }) => levels.flatMap((level) => slotIn(level, theirs) ?? []))
    .reduceRight((otherwise, slot) => ({ ...slot, otherwise }), own);

/** A text is joined from several fields where a plus sign stands between their names: `Date+Time`. */
function slotIn(level: Level, theirs: string): Slot | undefined {
  const whole = text(level.names, theirs);
  if (whole.length > 0) return { positions: located(level, whole) };
  if (!theirs.includes('+')) return undefined;
  const parts = theirs.split('+').map((part) => text(level.names, part.trim()));
  return parts.some((part) => part.length === 0)
    ? undefined
    : { positions: located(level, parts.flat()), isJoined: true };
}

/** The columns that are declared to have values of a parameter, in the order of declaration. */
export function mappedValues(
  columns: readonly DeclaredColumn[],
  { secondChannel }: Format,
  levels: readonly Level[],
): Map<ParameterName, ValueColumn[]> {
  const found = new Map<ParameterName, ValueColumn[]>();
  for (const column of columns) {
    if (column.is !== 'value') continue;
    for (const level of levels) {
      const first = value(level.names, column.theirs);
      const both =
        secondChannel === undefined
          ? first
          : channels(first, value(level.names, secondChannel(column.theirs)));
      const [own] = valuesIn(level, both);
      if (own === undefined) continue;
      const { parameter, unit, unknownUnit, isForeign, isTotal } = column;
      const all = found.get(parameter) ?? [];
      const mapped = { ...own, unit: own.unit ?? unit, unknownUnit, isForeign, isTotal };
      found.set(parameter, [...all, mapped]);
      break;
    }
  }
  return found;
}

/** The same columns, in the payload if this is one. */
export const valuesIn = (level: Level, columns: readonly ValueColumn[]): ValueColumn[] =>
  columns.map((column) => {
    const [position = column.position, second] = located(level, positionsOf(column));
    const verdicts = column.verdicts?.map(({ position: at, ...verdict }) => ({
      ...verdict,
      position: located(level, [at])[0] ?? at,
    }));
    return {
      ...column,
      position,
      second,
      ...(verdicts !== undefined && { verdicts }),
    };
  });

const located = ({ isInPayload }: Level, positions: readonly Position[]): readonly Position[] =>
  isInPayload ? positions.map((position) => ({ ...position, isInPayload })) : positions;

export const positionsOf = ({ position, second }: ValueColumn): Position[] =>
  second === undefined ? [position] : [position, second];

/**
 * The unit of a column that is mapped is said by its format or in its name, as in `--column
 * no2=NO2_mean (µg/m³)`. Where the name is ours or the format's, for values in the same unit as the
 * parameter's, it needs to say none.
 */
export function withUnitOfFormat(column: DeclaredColumn, format: Format): DeclaredColumn {
  if (column.is !== 'value' || column.unit !== undefined) return column;
  const { theirs, parameter } = column;
  const names = makeColumns([theirs], ',');
  const [explained] = [format.columns(names).values, ownValues(names)].flatMap((values) =>
    (Object.entries(values) as [ParameterName, readonly ValueColumn[]][]).filter(
      ([, columns]) => columns.length > 0,
    ),
  );
  const unit = explained?.[1][0]?.unit;
  if (unit !== undefined && conversionFrom(unit, parameter) !== undefined)
    return { ...column, unit };
  if (explained !== undefined && ownUnitOf(explained[0]) === ownUnitOf(parameter)) return column;
  const said = unitInName(theirs, parameter);
  return { ...column, unit: said.unit, unknownUnit: said.unknown, isForeign: true };
}
