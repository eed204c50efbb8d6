/**
 * Says once for rows with the same names which of their cells are read, and for what: declared
 * columns come before those of the format. The columns that are left are unused.
 */
import {
  PARAMETER_NAMES,
  type ParameterName,
  type ReadingColumn,
} from '../../contract/parameters.ts';
import type { Format, LongColumns, Payload, ValueColumn, ValueColumns } from '../formats/format.ts';
import { type Names, type Position, positionOf } from '../rows/row.ts';
import { type Convert, conversionFrom, withUnit } from '../units.ts';
import {
  type Declarations,
  type DeclaredColumn,
  declaredColumns,
  declaredOnly,
  declaredUnits,
  type Only,
} from './declarations.ts';
import {
  type Level,
  mappedSlot,
  mappedValues,
  positionsOf,
  type Slot,
  valuesIn,
  withUnitOfFormat,
} from './mapped.ts';
import type { TableColumns } from './reading.ts';
import { isVerdict } from './verdicts.ts';

/** A format, and what is declared about a source that is read by it. */
export type Layout = {
  format: Format;
  columns: readonly DeclaredColumn[];
  only: readonly Only[];
  /** By parameter, whatever the source says. */
  units: ReadonlyMap<ParameterName, string>;
};

/** A column with values, and what becomes of them. */
export type PlannedColumn = ValueColumn & {
  column: ReadingColumn;
  /** Null: nothing. */
  convert: Convert | null;
  /** `--unit` says its unit, so no value may. */
  isDeclared: boolean;
};

export type PlannedValues = {
  parameter: ParameterName;
  /** The preferred one first. */
  columns: readonly PlannedColumn[];
  /** The format's, for a row that has none of the mapped ones: a table has all of them in a row. */
  otherwise: readonly PlannedColumn[];
};

export type Plan = {
  sensor: Slot;
  device: Slot;
  time: Slot;
  values: readonly PlannedValues[];
  long: LongColumns | undefined;
  /** Rows have one parameter each. */
  isLong: boolean;
  corrected: Position | undefined;
  /** The cells of the row, rather than its payload, that are taken. */
  taken: ReadonlySet<number>;
  /** Names to report as unused: the payload's, if there is one. */
  unused: readonly string[];
  /** Unused columns that seem to say whether a row counts (S7). */
  verdicts: readonly { name: string; position: Position }[];
  /** True if each row may have values in other units. */
  hasUnitsInRows: boolean;
  /** True if several columns may have the value of a parameter. */
  hasRivals: boolean;
  /** Undefined: the rows are no lines of a table. */
  table: TableColumns | undefined;
};

/** Throws InputError for a declaration that cannot be followed. */
export const layoutOf = (format: Format, declared: Declarations): Layout => ({
  format,
  columns: declaredColumns(declared).map((column) => withUnitOfFormat(column, format)),
  only: declaredOnly(declared),
  units: declaredUnits(declared),
});

/** `payload`: the names of the object within, and the values that the format takes of it. */
export function planOf(
  layout: Layout,
  names: Names,
  payload?: { names: Names; values: Payload['values'] },
): Plan {
  const { format, columns } = layout;
  const own = format.columns(names);
  const row: Level = { names };
  const inner: Level = payload === undefined ? row : { names: payload.names, isInPayload: true };
  const levels = payload === undefined ? [row] : [inner, row];
  const slot = (is: 'sensor' | 'device' | 'time') =>
    mappedSlot(columns, is, levels, { positions: own[is] ?? [] });
  const slots = { sensor: slot('sensor'), device: slot('device'), time: slot('time') };
  const withUnitAt = (column: ValueColumn): ValueColumn =>
    column.unit === undefined && column.unitAt === undefined
      ? { ...column, unitAt: own.unitAt }
      : column;
  const values = plannedValues(
    layout,
    payload === undefined ? own.values : payload.values(payload.names),
    inner,
    mappedValues(columns, format, levels),
    withUnitAt,
  );
  const planned = values.flatMap((one) => [...one.columns, ...one.otherwise]);
  const units = planned.flatMap(({ unitAt }) => unitAt?.position ?? []);
  const measured = planned.flatMap(positionsOf);
  const read = [
    ...Object.values(slots).flatMap((one) => takenBy(one, names.isTable)),
    ...measured,
    ...units,
    ...(own.long?.positions ?? []),
    ...(own.others ?? []),
  ];
  const taken = indexesOf(read, row);
  const unused = unusedOf(layout, inner, indexesOf(read, inner));
  return {
    ...slots,
    values,
    long: own.long,
    isLong: format.isLong === true,
    corrected: own.corrected,
    taken,
    unused: unused.map(({ name }) => name),
    verdicts: unused.filter(({ name }) => isVerdict(name)),
    hasUnitsInRows: units.length > 0,
    hasRivals: values.some((one) => one.columns.length + one.otherwise.length > 1),
    table: names.isTable
      ? {
          list: names.list,
          delimiter: names.delimiter,
          measured: [...indexesOf(measured, row)],
          unused: leftOver(layout, row, taken),
        }
      : undefined,
  };
}

/** Columns that are mapped displace those of the format. */
function plannedValues(
  layout: Layout,
  found: ValueColumns,
  level: Level,
  mapped: ReadonlyMap<ParameterName, readonly ValueColumn[]>,
  withUnitAt: (column: ValueColumn) => ValueColumn,
): PlannedValues[] {
  const taken = [...mapped.values()].flat().flatMap(positionsOf);
  const isFree = ({ position }: ValueColumn) => !taken.some((one) => isSame(one, position));
  return PARAMETER_NAMES.flatMap((parameter) => {
    const own = valuesIn(level, found[parameter] ?? []);
    const columns = mapped.get(parameter) ?? own;
    if (columns.length === 0) return [];
    const otherwise = columns === own || level.names.isTable ? [] : own.filter(isFree);
    const planned = (some: readonly ValueColumn[]) =>
      some.map((column) => plannedColumn(layout, parameter, withUnitAt(column)));
    return { parameter, columns: planned(columns), otherwise: planned(otherwise) };
  });
}

function plannedColumn(
  { units }: Layout,
  parameter: ParameterName,
  column: ValueColumn,
): PlannedColumn {
  const declared = units.get(parameter);
  const unit = declared ?? column.unit;
  return {
    ...column,
    column: columnOf(parameter, column.isTotal),
    unit,
    unitAt: declared === undefined ? column.unitAt : undefined,
    convert: conversion(unit, parameter),
    isDeclared: declared !== undefined,
  };
}

const isSame = (one: Position, other: Position): boolean =>
  one.index === other.index && one.path === other.path && one.isInPayload === other.isInPayload;

/**
 * The cells that a text is read from. A format's column of a table that another is mapped for does
 * not count among them: it is reported as unused, although a row with a blank there is read by it.
 */
function takenBy({ positions, otherwise }: Slot, isTable: boolean): readonly Position[] {
  if (otherwise === undefined) return positions;
  const isOwn = otherwise.otherwise === undefined;
  return isOwn && isTable ? positions : [...positions, ...takenBy(otherwise, isTable)];
}

/** The total of a gauge has a column of its own. */
export const columnOf = (parameter: ParameterName, isTotal?: boolean): ReadingColumn =>
  parameter === 'rain' && isTotal === true ? 'rain_total' : parameter;

/** How values in a unit become ours; null: they are as they came. */
export function conversion(unit: string | undefined, parameter: ParameterName): Convert | null {
  if (unit === undefined) return null;
  const convert = conversionFrom(unit, parameter);
  return convert === undefined ? withUnit(unit) : convert;
}

const indexesOf = (positions: readonly Position[], { isInPayload }: Level): Set<number> =>
  new Set(positions.flatMap((one) => (one.isInPayload === isInPayload ? one.index : [])));

/** Columns that nothing is read from, not even for `--only`. */
function leftOver({ only }: Layout, { names, isInPayload }: Level, taken: ReadonlySet<number>) {
  const judged = only.map(({ theirs }) => (isInPayload ? undefined : positionOf(names, theirs)));
  return [...names.list.keys()].filter(
    (index) => !taken.has(index) && judged.every((one) => one?.index !== index),
  );
}

/** Columns that are left over, and that the format does not know. */
function unusedOf(layout: Layout, level: Level, taken: ReadonlySet<number>) {
  const known = new Set(layout.format.unused);
  const { isInPayload } = level;
  return leftOver(layout, level, taken).flatMap((index) => {
    const name = level.names.list[index] ?? '';
    const position: Position = { index, path: undefined, ...(isInPayload && { isInPayload }) };
    return known.has(name.toLowerCase()) ? [] : { name, position };
  });
}
