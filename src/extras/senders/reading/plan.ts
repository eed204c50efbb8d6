/**
 * Says once for rows with the same names which of their cells are read, and for what: declared
 * columns come before the format's. The columns that are left are unused.
 */
import {
  PARAMETER_NAMES,
  type ParameterName,
  type ReadingColumn,
} from '../../../contract/parameters.ts';
import type { Declarations } from '../../../ingest/reading/declarations.ts';
import type { TableColumns } from '../../../ingest/reading/reading.ts';
import type { Names } from '../../../ingest/rows/row.ts';
import type {
  Format,
  LongColumns,
  Only,
  Payload,
  Taken,
  UnitAt,
  ValueColumn,
  ValueColumns,
} from '../formats/format.ts';
import { isUnused } from '../formats/format.ts';
import { isOwn } from '../formats/formats.ts';
import { type Position, positionOf } from '../rows/cells.ts';
import { type Convert, conversionFrom, withUnit } from '../units.ts';
import {
  type DeclaredColumn,
  declaredColumns,
  declaredOnly,
  declaredUnits,
  EVERY_VALUE,
} from './declarations.ts';
import { type DividingColumn, dividingKind } from './dividing.ts';
import {
  type Level,
  mappedSlot,
  mappedValues,
  positionsOf,
  type Slot,
  valuesIn,
  withUnitOfFormat,
} from './mapped.ts';
import { isPlaceColumn, type PlaceColumns, placeColumnsOf } from './place.ts';
import { unitColumnsOf } from './unitColumns.ts';
import { isVerdict, judgedBy, type VerdictColumn } from './verdicts.ts';

/** A format, and what is declared about a source that is read by it. */
export type Layout = {
  format: Format;
  columns: readonly DeclaredColumn[];
  only: readonly Only[];
  /** By parameter, whatever the source says. */
  units: ReadonlyMap<ParameterName, string>;
  /** True if other names than ours are mapped, so that a name like ours may be someone else's. */
  isForeign: boolean;
  /** True if a sensor or a device is declared for all rows, or a column that has it. */
  hasOwner: boolean;
};

/** A column with values, and what becomes of them. */
export type PlannedColumn = ValueColumn & {
  column: ReadingColumn;
  /** Null: nothing. */
  convert: Convert | null;
  /** `--unit` says its unit, so no value may. */
  isDeclared: boolean;
  /** It is mapped, or others of its source are: a gas of our name may be in either unit there. */
  isMapped: boolean;
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
  /** The minutes before the time that count. */
  interval: Position | undefined;
  values: readonly PlannedValues[];
  long: LongColumns | undefined;
  /** Rows have one parameter each. */
  isLong: boolean;
  /** Rows without a known parameter are not readings. */
  isMixed: boolean;
  /** The layout is ours. */
  isOwn: boolean;
  corrected: Position | undefined;
  /** The cells of the row, rather than its payload, that are taken. */
  taken: ReadonlySet<number>;
  /** Names to report as unused: the payload's, if there is one. */
  unused: readonly string[];
  /** Their positions, in the same order. */
  unusedAt: readonly number[];
  /** Unused columns that seem to say whether a row counts (S7), or a value of the column `of` (S9). */
  verdicts: readonly VerdictColumn[];
  /** The verdicts by which rows are left out, without those on single values. */
  only: readonly Only[];
  /** True if verdicts leave out single values. */
  hasVerdicts: boolean;
  /** Where rows give their place themselves, unless a declaration says which place counts. */
  place: PlaceColumns | undefined;
  /** Unused columns that tell rows or values apart (S9). */
  dividing: readonly DividingColumn[];
  /** True if each row may have values in other units. */
  hasUnitsInRows: boolean;
  /** True if several columns may have the value of a parameter. */
  hasRivals: boolean;
  /** Undefined: the rows are not lines of a table. */
  table: TableColumns | undefined;
};

/** Throws InputError for a declaration that cannot be followed. */
export function layoutOf(format: Format, declared: Declarations): Layout {
  const columns = declaredColumns(declared).map((column) => withUnitOfFormat(column, format));
  const only = declaredOnly(declared);
  const isOpen = ({ theirs }: Only) => !only.some((one) => isNamed(one, theirs));
  return {
    format,
    columns,
    only: [...only, ...(format.only ?? []).filter(isOpen)],
    units: new Map([...(format.units ?? []), ...declaredUnits(declared)]),
    isForeign: isOwn(format) && columns.length > 0,
    hasOwner:
      (declared.sensor ?? declared.device) !== undefined ||
      columns.some(({ is }) => is === 'sensor' || is === 'device'),
  };
}

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
    mappedSlot(columns, is, levels, {
      positions: ownPositions(layout, names, own, is),
      ...(is === 'time' && own.isTimeJoined && { isJoined: true }),
    });
  const slots = { sensor: slot('sensor'), device: slot('device'), time: slot('time') };
  const found = payload === undefined ? own.values : payload.values(payload.names);
  const mapped = mappedValues(columns, format, levels);
  const units = makeUnitFinder(inner, own.unitAt, [
    ...flat(mapped),
    ...flat(Object.entries(found) as [ParameterName, ValueColumn[]][]),
  ]);
  const values = plannedValues(layout, found, inner, mapped, units.find);
  const ofValues = verdictsOnValues(layout, inner, values);
  const planned = values.flatMap((one) => [...one.columns, ...one.otherwise]);
  const unitCells = planned.flatMap(({ unitAt }) => unitAt?.position ?? []);
  // a cell that says another unit than is declared is not obeyed (S9)
  const isObeyed = (cell: Position) =>
    !planned.some(
      ({ unitAt, isDeclared }) => isDeclared && unitAt && isSame(unitAt.position, cell),
    );
  const measured = planned.flatMap(positionsOf);
  const read = [
    ...Object.values(slots).flatMap((one) => takenBy(one, names.isTable)),
    ...measured,
    ...planned.flatMap(({ verdicts = [] }) => verdicts.map(({ position }) => position)),
    ...unitCells.filter(isObeyed),
    ...(own.interval === undefined ? [] : [own.interval]),
    ...(own.long?.positions ?? []),
    ...(own.others ?? []),
  ];
  const taken = indexesOf(read, row);
  const left = unusedOf(layout, inner, indexesOf(read, inner));
  const unused = left.filter(({ isKnown }) => !isKnown);
  // a format's own place divides, too, where a sensor has two (S9)
  const dividing = left.filter(({ name, isKnown }) => !isKnown || dividingKind(name) === 'place');
  return {
    ...slots,
    interval: own.interval,
    values,
    long: own.long,
    isLong: format.isLong === true,
    isMixed: format.isMixed === true,
    isOwn: isOwn(format),
    corrected: own.corrected,
    taken,
    unused: unused.map(({ name }) => name),
    unusedAt: unused.map(({ position }) => position.index),
    verdicts: unused.flatMap(({ name, position }) => {
      const [judged] = judgedBy(name, judgeable(values));
      if (judged !== undefined) return [{ name, of: judged.field, position }];
      return isVerdict(name) ? [{ name, position }] : [];
    }),
    only: layout.only.filter(({ theirs }) => !ofValues.has(theirs)),
    hasVerdicts: planned.some(({ verdicts = [] }) => verdicts.length > 0),
    place: isPlaceDeclared(layout)
      ? undefined
      : (placeColumnsOf(inner.names, inner.isInPayload) ?? placeColumnsOf(names)),
    dividing: dividing.flatMap(({ name, position }) => {
      const kind = dividingKind(name);
      return kind === undefined || units.ofOthers.has(position.index)
        ? []
        : [{ name, kind, position }];
    }),
    hasUnitsInRows: unitCells.length > 0,
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

/**
 * Where the format has a text. A declared sensor or device wins over a column that merely has its
 * name, as does a declaration that a column is something else.
 */
function ownPositions(
  { columns, only, hasOwner }: Layout,
  names: Names,
  own: Taken,
  is: 'sensor' | 'device' | 'time',
): readonly Position[] {
  const positions = own[is] ?? [];
  if (is === 'time') return positions;
  const isMapped = (what: 'sensor' | 'device') => columns.some((column) => column.is === what);
  if (is === 'sensor' && isMapped('device') && !isMapped('sensor')) return [];
  if (!hasOwner) return positions;
  const judged = only.map(({ theirs }) => positionOf(names, theirs)?.index);
  return positions.filter(({ index }) => !judged.includes(index));
}

/** A function that adds to a column without a unit where its rows say one. */
function makeUnitFinder(
  { names, isInPayload }: Level,
  own: UnitAt | undefined,
  columns: readonly (readonly [ParameterName, ValueColumn])[],
) {
  const { unitOf, ofOthers } = unitColumnsOf(
    names,
    columns.map(([parameter, { position }]) => ({ parameter, index: position.index })),
  );
  const find = (parameter: ParameterName, column: ValueColumn): ValueColumn => {
    if (column.unit !== undefined || column.unitAt !== undefined) return column;
    const index = unitOf({ parameter, index: column.position.index });
    if (own !== undefined || index === undefined) return { ...column, unitAt: own };
    const position = { index, path: undefined, ...(isInPayload && { isInPayload }) };
    return { ...column, unitAt: { position } };
  };
  return { find, ofOthers };
}

/** By parameter, the preferred column first. */
type Found = Iterable<readonly [ParameterName, readonly ValueColumn[]]>;

const flat = (found: Found) =>
  [...found].flatMap(([parameter, all]) => all.map((column) => [parameter, column] as const));

/** Mapped columns displace the format's. */
function plannedValues(
  layout: Layout,
  found: ValueColumns,
  level: Level,
  mapped: ReadonlyMap<ParameterName, readonly ValueColumn[]>,
  withUnitAt: (parameter: ParameterName, column: ValueColumn) => ValueColumn,
): PlannedValues[] {
  const taken = [...mapped.values()].flat().flatMap(positionsOf);
  const isFree = ({ position }: ValueColumn) => !taken.some((one) => isSame(one, position));
  return PARAMETER_NAMES.flatMap((parameter) => {
    const own = valuesIn(level, found[parameter] ?? []);
    const columns = mapped.get(parameter) ?? own;
    if (columns.length === 0) return [];
    const otherwise = columns === own || level.names.isTable ? [] : own.filter(isFree);
    const isMapped = layout.isForeign || mapped.has(parameter);
    const planned = (some: readonly ValueColumn[]) =>
      some.map((column) => ({
        ...plannedColumn(layout, level, parameter, withUnitAt(parameter, column)),
        isMapped,
      }));
    return { parameter, columns: planned(columns), otherwise: planned(otherwise) };
  });
}

function plannedColumn(
  { units, only }: Layout,
  { names }: Level,
  parameter: ParameterName,
  column: ValueColumn,
): Omit<PlannedColumn, 'isMapped'> {
  const declared = units.get(parameter);
  const unit = declared ?? column.unit;
  const isReplaced = (at: Position) =>
    only.some((one) => isSame(at, positionOf(names, one.theirs) ?? NOWHERE));
  return {
    ...column,
    ...(column.verdicts !== undefined && {
      verdicts: column.verdicts.filter(({ position }) => !isReplaced(position)),
    }),
    column: columnOf(parameter, column.isTotal),
    unit,
    convert: conversion(unit, parameter),
    isDeclared: declared !== undefined,
  };
}

const NOWHERE: Position = { index: -1, path: undefined };

const isSame = (one: Position, other: Position): boolean =>
  one.index === other.index && one.path === other.path && one.isInPayload === other.isInPayload;

/**
 * The cells that a text is read from. A format's column of a table that another is mapped for does
 * not count among them: it is reported as unused, although a row with a blank there is read by it.
 */
export function takenBy({ positions, otherwise }: Slot, isTable: boolean): readonly Position[] {
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
function leftOver({ only }: Layout, { names }: Level, taken: ReadonlySet<number>) {
  const judged = only.map(({ theirs }) => positionOf(names, theirs));
  return [...names.list.keys()].filter(
    (index) => !taken.has(index) && judged.every((one) => one?.index !== index),
  );
}

const judgeable = (values: readonly PlannedValues[]) =>
  values.flatMap(({ parameter, columns, otherwise }) =>
    [...columns, ...otherwise].map((column) => ({ parameter, field: column.field, column })),
  );

const isNamed = ({ theirs }: Only, name: string) => theirs.toLowerCase() === name.toLowerCase();

/** Gives the columns the verdicts of `--only` that judge their values; the names of these verdicts. */
function verdictsOnValues(
  { only }: Layout,
  { names, isInPayload }: Level,
  values: readonly PlannedValues[],
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const one of only) {
    const at = one.isOfFormat ? undefined : positionOf(names, one.theirs);
    const judged = at === undefined ? [] : judgedBy(one.theirs, judgeable(values));
    if (at === undefined || judged.length === 0) continue;
    found.add(one.theirs);
    if (one.values.has(EVERY_VALUE)) continue;
    const position: Position = isInPayload ? { ...at, isInPayload } : at;
    for (const { column } of judged)
      column.verdicts = [...(column.verdicts ?? []), { position, values: one.values }];
  }
  return found;
}

/** True if `--only` says which place counts, or that none matters. */
const isPlaceDeclared = ({ only }: Layout): boolean =>
  only.some(({ theirs }) => dividingKind(theirs) === 'place' || isPlaceColumn(theirs));

/** Columns that are left over, and whether the format knows them. */
function unusedOf(layout: Layout, level: Level, taken: ReadonlySet<number>) {
  const { isInPayload } = level;
  return leftOver(layout, level, taken).map((index) => {
    const name = level.names.list[index] ?? '';
    const position: Position = { index, path: undefined, ...(isInPayload && { isInPayload }) };
    return { name, position, isKnown: isUnused(layout.format, name) };
  });
}
