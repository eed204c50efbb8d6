/**
 * Finds the columns of `--column` among a row's names: where the sender's own names are, or else in
 * the row as a whole.
 */
import type { ParameterName } from '../../contract/parameters.ts';
import { channels, type Format, text, type ValueColumn, value } from '../formats/format.ts';
import { unitInName } from '../formats/ownNames.ts';
import { makeColumns, type Names, type Position } from '../rows/row.ts';
import { conversionFrom } from '../units.ts';
import type { DeclaredColumn } from './declarations.ts';

/** Names of a row, and whether they are those of its payload. */
export type Place = { names: Names; isInPayload?: true };

/** Where a text is: in the first of several cells that is given, or in all of them together. */
export type Slot = { positions: readonly Position[]; isJoined?: true };

/** Undefined: nothing that these rows have is declared to be it. */
export function mappedSlot(
  columns: readonly DeclaredColumn[],
  is: 'sensor' | 'device' | 'time',
  places: readonly Place[],
): Slot | undefined {
  for (const column of columns) {
    if (column.is !== is) continue;
    for (const place of places) {
      const slot = slotIn(place, column.theirs);
      if (slot !== undefined) return slot;
    }
  }
  return undefined;
}

/** A text is joined from several fields where a plus sign stands between their names: `Date+Time`. */
function slotIn(place: Place, theirs: string): Slot | undefined {
  const whole = text(place.names, theirs);
  if (whole.length > 0) return { positions: located(place, whole) };
  if (!theirs.includes('+')) return undefined;
  const parts = theirs.split('+').map((part) => text(place.names, part.trim()));
  return parts.some((part) => part.length === 0)
    ? undefined
    : { positions: located(place, parts.flat()), isJoined: true };
}

/** The columns that are declared to have values of a parameter, in the order of declaration. */
export function mappedValues(
  columns: readonly DeclaredColumn[],
  { secondChannel }: Format,
  places: readonly Place[],
): Map<ParameterName, ValueColumn[]> {
  const found = new Map<ParameterName, ValueColumn[]>();
  for (const column of columns) {
    if (column.is !== 'value') continue;
    for (const place of places) {
      const first = value(place.names, column.theirs);
      const both =
        secondChannel === undefined
          ? first
          : channels(first, value(place.names, secondChannel(column.theirs)));
      const [own] = valuesIn(place, both);
      if (own === undefined) continue;
      const { parameter, unit, isTotal } = column;
      const all = found.get(parameter) ?? [];
      found.set(parameter, [...all, { ...own, unit: own.unit ?? unit, isTotal }]);
      break;
    }
  }
  return found;
}

/** The same columns, in the payload if this is one. */
export const valuesIn = (place: Place, columns: readonly ValueColumn[]): ValueColumn[] =>
  columns.map((column) => {
    const [position = column.position, second] = located(place, positionsOf(column));
    return { ...column, position, second };
  });

const located = ({ isInPayload }: Place, positions: readonly Position[]): readonly Position[] =>
  isInPayload ? positions.map((position) => ({ ...position, isInPayload })) : positions;

export const positionsOf = ({ position, second }: ValueColumn): Position[] =>
  second === undefined ? [position] : [position, second];

/**
 * The unit of a column that is mapped is said by its format or in its name, as in `--column
 * no2=NO2_mean (µg/m³)`.
 */
export function withUnitOfFormat(column: DeclaredColumn, format: Format): DeclaredColumn {
  if (column.is !== 'value' || column.unit !== undefined) return column;
  const { theirs, parameter } = column;
  const { values } = format.columns(makeColumns([theirs], ','));
  const unit = Object.values(values).flat()[0]?.unit;
  const isOfParameter = unit !== undefined && conversionFrom(unit, parameter) !== undefined;
  return { ...column, unit: isOfParameter ? unit : unitInName(theirs, parameter) };
}
