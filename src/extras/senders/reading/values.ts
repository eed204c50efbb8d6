/** Reads the values of a row by its plan, in our units. */
import type { ParameterName, ReadingColumn } from '../../../contract/parameters.ts';
import { NESTED } from '../../../ingest/reading/reading.ts';
import { isObject } from '../../../ingest/rows/json.ts';
import type { Names, Row } from '../../../ingest/rows/row.ts';
import type { LongValue } from '../formats/format.ts';
import { meanOf, withPoint } from '../numbers.ts';
import { cellAt, isGiven } from '../rows/cells.ts';
import {
  columnOf,
  conversion,
  type Layout,
  type Plan,
  type PlannedColumn,
  type PlannedValues,
} from './plan.ts';

/** By column; null where the source has a parameter and leaves it empty (S3). */
type ReadValues = { -readonly [name in ReadingColumn]?: unknown };

export function readValues(row: Row, { values: planned }: Plan): ReadValues {
  const values: ReadValues = {};
  for (const one of planned) {
    const isOnly = one.columns.length + one.otherwise.length === 1;
    const column = isOnly ? one.columns[0] : columnThatCounts(row, one);
    if (column === undefined) continue;
    const value = valueAt(row, column);
    if (value === undefined) continue;
    const said = unitIn(row, column, one.parameter);
    const convert = said === undefined ? column.convert : conversion(said, one.parameter);
    values[column.column] = convert === null || value === null ? value : convert(value);
    if (isAmountBesideEmptyTotal(row, column, one)) values.rain_total = null;
  }
  return values;
}

/** An empty cell of a mapped column counts, too: only a row without one is read by the format's. */
const columnThatCounts = (
  row: Row,
  { columns, otherwise }: PlannedValues,
): PlannedColumn | undefined => firstWithValue(row, columns) ?? firstWithValue(row, otherwise);

/** The first that has a value, else the first that the row has. */
function firstWithValue(row: Row, columns: readonly PlannedColumn[]): PlannedColumn | undefined {
  let empty: PlannedColumn | undefined;
  for (const column of columns) {
    const value = valueAt(row, column);
    if (value === undefined) continue;
    if (value !== null) return column;
    empty ??= column;
  }
  return empty;
}

function isAmountBesideEmptyTotal(
  row: Row,
  column: PlannedColumn,
  { columns, otherwise }: PlannedValues,
): boolean {
  if (column.column !== 'rain' || columns.length + otherwise.length === 1) return false;
  const rivals = columns.includes(column) ? columns : otherwise;
  return rivals.some((other) => other.isTotal && valueAt(row, other) === null);
}

/** The fields with a value that another of the same parameter is preferred to. */
export const passedOver = (row: Row, { values }: Plan): string[] =>
  values.flatMap((one) => {
    const counting = columnThatCounts(row, one);
    return [...one.columns, ...one.otherwise]
      .filter((column) => column !== counting && (valueAt(row, column) ?? null) !== null)
      .map(({ field }) => field);
  });

/** The value of a column as it came; null: it is empty; undefined: the row does not have it. */
function valueAt(row: Row, column: PlannedColumn): unknown {
  return column.verdicts !== undefined && isLeftOut(row, column) ? undefined : givenAt(row, column);
}

/** True if a verdict on the value is not among those that count. */
const isLeftOut = (row: Row, { verdicts = [] }: PlannedColumn): boolean =>
  verdicts.some(
    ({ position, values, isRefused = false }) =>
      values.has(String(cellAt(row, position) ?? '').trim()) === isRefused,
  );

/** How many values of a row their own verdicts leave out. */
export const leftOut = (row: Row, { values }: Plan): number =>
  values
    .flatMap(({ columns, otherwise }) => [...columns, ...otherwise])
    .filter((one) => isLeftOut(row, one) && (givenAt(row, one) ?? null) !== null).length;

function givenAt(row: Row, { position, second }: PlannedColumn): unknown {
  const value = plainValue(row.names, cellAt(row, position));
  if (second === undefined) return value;
  const other = plainValue(row.names, cellAt(row, second));
  if (value === undefined || other === undefined) return value ?? other;
  return meanOf(value, other);
}

/**
 * A decoder may give a value as an object: `{"value": 21.5, "unit": "°C"}`. Every measured value
 * passes here as its source wrote it.
 */
function plainValue(names: Names, cell: unknown): unknown {
  if (cell === undefined) return undefined;
  if (!isGiven(cell)) return null;
  if (typeof cell === 'string') return withPoint(cell, names);
  if (typeof cell !== 'object') return cell;
  const value = isObject(cell) && Object.hasOwn(cell, 'value') ? cell.value : cell;
  if (!isGiven(value)) return null;
  return typeof value === 'object' ? NESTED : value;
}

/** The unit that a value says itself, or another cell of its row. `--unit` comes before both. */
function unitIn(
  row: Row,
  { position, unitAt, isDeclared }: PlannedColumn,
  parameter: ParameterName,
): string | undefined {
  if (isDeclared) return undefined;
  const cell = row.names.isTable ? undefined : cellAt(row, position);
  if (isObject(cell) && typeof cell.unit === 'string' && cell.unit !== '') return cell.unit;
  if (unitAt === undefined) return undefined;
  const said = cellAt(row, unitAt.position);
  if (unitAt.unitOf !== undefined) return unitAt.unitOf(said, parameter);
  return isGiven(said) ? String(said) : undefined;
}

/** The unit of a value, as far as anything says it. */
export type UnitOfValue = Pick<
  PlannedColumn,
  'field' | 'unknownUnit' | 'isForeign' | 'isMapped'
> & {
  parameter: ParameterName;
  /** Undefined: neither the value nor its column nor a declaration says one. */
  said: string | undefined;
  /** A column or a row of units says it, so one that is unknown is a mistake of the whole table. */
  isBeside?: boolean;
};

/** Undefined: the row has no value of the parameter, and is not the first with its names. */
function unitOfValue(row: Row, one: PlannedValues, isFirst: boolean): UnitOfValue | undefined {
  const column = columnThatCounts(row, one);
  if (column === undefined || (!isFirst && (valueAt(row, column) ?? null) === null))
    return undefined;
  const { parameter } = one;
  const { field, unknownUnit, isForeign, isMapped, unit, unitAt, position } = column;
  const said = unitIn(row, column, parameter) ?? unit;
  const isBeside = unitAt !== undefined || row.names.units?.[position.index] !== undefined;
  return { field, unknownUnit, isForeign, isMapped, parameter, said, isBeside };
}

/** A value whose parameter the row names by `field`. */
export type NamedValue = {
  field: string;
  /** Undefined: `field` is not the name of a parameter. */
  column?: ReadingColumn;
  /** All names that the row gives it. */
  names?: readonly string[];
  value?: unknown;
  unit?: UnitOfValue;
};

/** The units of a row's values. A table says them with its first row, unless each has its own. */
export function unitsOf(
  { row, plan, named }: { row: Row; plan: Plan; named: readonly NamedValue[] },
  isFirst: boolean,
): readonly UnitOfValue[] {
  const ofNamed = named.length === 0 ? NONE : named.flatMap(({ unit }) => unit ?? []);
  if (plan.table !== undefined && !isFirst && !plan.hasUnitsInRows) return ofNamed;
  return [...ofNamed, ...plan.values.flatMap((one) => unitOfValue(row, one, isFirst) ?? [])];
}

/** The values whose parameters the row names; undefined: the row is malformed. */
export const readNamedValues = (
  row: Row,
  { long }: Plan,
  layout: Layout,
): readonly NamedValue[] | undefined =>
  long === undefined ? NONE : long.read(row)?.map((one) => readNamedValue(one, row.names, layout));

const NONE: readonly [] = [];

function readNamedValue(
  { names, value: given, unit, isTotal }: LongValue,
  rowNames: Names,
  { format, columns, units }: Layout,
): NamedValue {
  const value = typeof given === 'string' ? withPoint(given, rowNames) : given;
  for (const field of names) {
    const mapped = columns.find((one) => one.is === 'value' && isSame(one.theirs, field));
    const declared = mapped?.is === 'value' ? mapped : undefined;
    const known = declared ?? format.parameter?.(field);
    if (known === undefined) continue;
    const { parameter } = known;
    const { isForeign, unknownUnit } = declared ?? {};
    const said = units.get(parameter) ?? unit ?? known.unit;
    const convert = conversion(said, parameter);
    return {
      field,
      names,
      unit: { field, parameter, said, isForeign, unknownUnit, isMapped: true },
      column: columnOf(parameter, isTotal === true || known.isTotal),
      value: convert === null || value === null ? value : convert(value),
    };
  }
  return { field: names[0] ?? '' };
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
