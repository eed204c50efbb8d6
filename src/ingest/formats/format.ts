/**
 * The shape of a format, and its helpers: a field of a row as text, as a value, as the mean of
 * channels, or by its own name.
 */
import type { ParameterName } from '../../contract/parameters.ts';
import { isObject } from '../rows/json.ts';
import { cellAt, cellOf, isGiven, type Names, positionOf, type Row } from '../rows/row.ts';
import { meanOf } from '../units.ts';
import { OTHER_NAMES, type OtherNames, ownName } from './ownNames.ts';

/** The interval that the rows of a file are means of. */
export type Means = 'hour' | 'day';

/** A layout in which readings come. */
export type Format = {
  /** As `--format`, `/v1/push/NAME` and a feed's `kind` name it. */
  name: string;
  /** Where its publisher describes it. */
  source: string;
  /** True for a row of this format, or for the header of its CSV. */
  recognizes(row: Row): boolean;
  /**
   * Undefined for a row that does not count. A header is read like a row, to find out which columns
   * are used.
   */
  read(row: Row): Found | Refused | undefined;
  /** In JSON, the document that its rows lie in. */
  document?: Document;
  /** Our parameter for a name in a row of one parameter, and the unit of its values. */
  parameter?(name: string): Parameter | undefined;
  /** True if a row has one parameter, so that several rows are one reading. */
  isLong?: true;
  /** The field of a second instrument in the same housing, whose mean with the first counts. */
  secondChannel?(field: string): string;
  /**
   * The zone of times without an offset. `network`: the zone of the network. Absent: a time needs
   * an offset.
   */
  zone?: 'UTC' | 'network';
  /** The stamps of its CSV name the end of an interval, whose length no column says. */
  namesEnd?: true;
  /** The interval that its rows are means of. */
  means?: Means;
  /** Fields that need not be reported as unused, in lower case. */
  unused?: readonly string[];
  /** The columns of its CSV for messages: whose a reading is, its time, and all in a sentence. */
  columns: { owner: string; time: string; needed: string };
};

export type Document = {
  /** The key of its rows. */
  rows: string;
  /** The key of the names of the columns, where each row is a list. */
  names?: string;
};

export type Parameter = {
  parameter: ParameterName;
  unit?: string | undefined;
  /** The values are totals of a gauge that counts up. */
  isTotal?: true | undefined;
};

/**
 * A value as it came, the unit that the source says it is in, and the field that it is from. A value
 * of null: the source has the parameter, and leaves it empty (S3).
 */
export type Measured = {
  value: unknown;
  unit: string | undefined;
  field: string;
  /** The names of other fields that have a value of the same parameter. */
  others?: readonly string[];
  /** Rain is the total of a gauge that counts up, not the amount. */
  isTotal?: boolean | undefined;
  /** The source has the total of a gauge beside this amount, and leaves it empty. */
  hasEmptyTotal?: true;
};

export type Values = { readonly [name in ParameterName]?: Measured | undefined };

/**
 * The value of one parameter, which the row names; the parameter is the first of `names` that is
 * known.
 */
export type LongValue = {
  names: readonly string[];
  value: unknown;
  unit: string | undefined;
  isTotal?: boolean;
};

/** The facts that a format finds in a row. */
export type Found = {
  sensor?: unknown;
  device?: unknown;
  time?: unknown;
  values: Values;
  /** Its PM2.5 and humidity are corrected by the sender, so no formula of the network may be. */
  isCorrected?: boolean;
  /** Values whose parameters the row names. */
  long?: readonly LongValue[] | undefined;
  /**
   * The object with the sender's own names, if that is not the row: unknown ones in it are
   * reported.
   */
  payload?: Row | undefined;
};

/** A row that is rejected. */
export type Refused = { refused: true; why: string | undefined; sensor: unknown };

export const refused = (why?: string, sensor?: unknown): Refused => ({
  refused: true,
  why,
  sensor,
});

/** Stands for a value that is an object or a list: it is not a number, and need not be kept. */
const NESTED = 'nested';

/**
 * A sensor, a device or a time: the first of these fields that is given. In a table, the first that
 * there is.
 */
export function text(row: Row, ...fields: readonly string[]): unknown {
  let first: unknown;
  for (const field of fields) {
    const cell = cellOf(row, field);
    if (!isGiven(cell)) {
      if (row.names.isTable && cell !== undefined) return undefined;
      continue;
    }
    if (row.names.isTable) return cell;
    first ??= cell;
  }
  return first;
}

/** The value of the first of these fields that is given; empty if the row has one of them. */
export function value(row: Row, ...fields: readonly string[]): Measured | undefined {
  if (row.isHeader) return columnOf(row, fields);
  let empty: Measured | undefined;
  for (const field of fields) {
    const position = positionOf(row.names, field);
    if (position === null) continue;
    const measured = measuredAt(row, position.index, cellAt(row, position), field);
    if (measured === undefined) continue;
    if (measured.value !== null) return measured;
    empty ??= measured;
  }
  return empty;
}

/** In a header: every column, because two columns of one parameter are a fault. */
function columnOf(row: Row, fields: readonly string[]): Measured | undefined {
  return columnAt(
    row,
    fields.flatMap((field) => positionOf(row.names, field)?.index ?? []),
  );
}

function columnAt({ names }: Row, indexes: readonly number[]): Measured | undefined {
  const [index, ...others] = indexes;
  if (index === undefined) return undefined;
  for (const one of indexes) names.measured.add(one);
  const nameAt = (at: number) => names.list[at] ?? '';
  const field = nameAt(index);
  const measured = { value: field, unit: names.units?.[index], field };
  return others.length === 0 ? measured : { ...measured, others: others.map(nameAt) };
}

/** A number as people write it where a comma is not the delimiter. */
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/;

/**
 * A cell as a value; undefined if the row has no such cell. A decoder may give a value as an object:
 * `{"value": 21.5, "unit": "°C"}`. Every measured value passes here as its source wrote it.
 */
function measuredAt(
  { names }: Row,
  index: number,
  cell: unknown,
  field: string,
): Measured | undefined {
  if (cell === undefined) return undefined;
  let unit = names.units?.[index];
  if (!isGiven(cell)) return { value: null, unit, field };
  let given: unknown = cell;
  if (typeof given === 'string') {
    const mayHaveComma = names.isTable && names.delimiter !== ',';
    if (mayHaveComma && DECIMAL_COMMA.test(given)) given = given.replace(',', '.');
  } else if (typeof given === 'object') {
    if (isObject(given)) {
      if (typeof given.unit === 'string' && given.unit !== '') unit = given.unit;
      if (Object.hasOwn(given, 'value')) given = given.value;
    }
    if (!isGiven(given)) given = null;
    else if (typeof given === 'object') given = NESTED;
  }
  return { value: given, unit, field };
}

/** The same value, in this unit unless the source says another. */
export function unit(
  name: string | undefined,
  measured: Measured | undefined,
): Measured | undefined {
  if (measured !== undefined) measured.unit ??= name;
  return measured;
}

/**
 * The mean of what two instruments of one housing measured, or the one of them that has a number.
 */
export function channels(a: Measured | undefined, b: Measured | undefined): Measured | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { ...a, value: meanOf(a.value, b.value) };
}

/**
 * The values of fields that have our names, perhaps with a unit: `no2_ugm3`, `pressure [hPa]`.
 * `others` are names that mean ours, in lower case, each with its parameter and perhaps a unit. Of
 * several for one parameter the first of that list counts.
 */
export function ownValues(row: Row, others: OtherNames = OTHER_NAMES): Values {
  const all = ownColumns(row.names, others);
  return row.isHeader ? valuesOfHeader(row, all) : valuesOfRow(row, all);
}

type SomeValues = { [name in ParameterName]?: Measured | undefined };

function valuesOfHeader(row: Row, all: readonly OwnColumn[]): Values {
  const values: SomeValues = {};
  for (const { parameter, columns } of all) {
    // a total and its amount are no two columns of one parameter
    const same = columns
      .filter(({ isTotal }) => isTotal === columns[0]?.isTotal)
      .map(({ index }) => index);
    values[parameter] = unit(columns[0]?.unit, columnAt(row, same));
  }
  return values;
}

/** Apart from headers: with a closure in this loop, each value took 45 bytes more. */
function valuesOfRow(row: Row, all: readonly OwnColumn[]): Values {
  const values: SomeValues = {};
  for (const { parameter, columns } of all) {
    let found: Measured | undefined;
    for (const column of columns) {
      const { index, name } = column;
      const measured = measuredAt(row, index, row.cells[index], name);
      if (measured === undefined) continue;
      if (column.isTotal) measured.isTotal = true;
      if (measured.value === null && found !== undefined) continue;
      if (found === undefined || found.value === null) {
        const isAmountBesideEmptyTotal = found?.isTotal === true && !column.isTotal;
        found = unit(column.unit, measured);
        if (isAmountBesideEmptyTotal) measured.hasEmptyTotal = true;
      } else found.others = [...(found.others ?? []), name];
    }
    if (found !== undefined) values[parameter] = found;
  }
  return values;
}

const columnsByNames = new WeakMap<Names, readonly OwnColumn[]>();

type OwnColumn = {
  parameter: ParameterName;
  /** The preferred one first. */
  columns: { index: number; name: string; unit: string | undefined; isTotal?: true | undefined }[];
};

/** Looked up once for rows with the same names. */
function ownColumns(names: Names, others: OtherNames): readonly OwnColumn[] {
  const known = columnsByNames.get(names);
  if (known !== undefined) return known;
  const found = names.list
    .flatMap((name, index) => {
      const own = ownName(name, others);
      return own === undefined ? [] : { ...own, index, name };
    })
    .sort((a, b) => a.rank - b.rank);
  const columns: OwnColumn[] = [];
  for (const { parameter, unit, index, name, isTotal } of found) {
    names.used.add(index);
    const before = columns.find((one) => one.parameter === parameter);
    if (before === undefined)
      columns.push({ parameter, columns: [{ index, name, unit, isTotal }] });
    else before.columns.push({ index, name, unit, isTotal });
  }
  columnsByNames.set(names, columns);
  return columns;
}

/**
 * The value of the one parameter that a row names; none where it names none, or in a table that has
 * no such columns. Undefined: the name is malformed.
 */
export function longRow(
  row: Row,
  fields: { parameter: readonly string[]; value: readonly string[]; unit?: readonly string[] },
): LongValue[] | undefined {
  const all = (some: readonly string[] = []) =>
    some.map((field) => cellOf(row, field)).filter((cell) => cell !== undefined && !isObject(cell));
  const names = all(fields.parameter);
  const [given] = all(fields.value);
  const [said] = all(fields.unit);
  if (names.length === 0 || (row.names.isTable && given === undefined)) return [];
  if (typeof names[0] !== 'string') return undefined;
  return [
    longValue(
      names.filter((name) => typeof name === 'string'),
      given,
      said,
    ),
  ];
}

export const longValue = (names: readonly string[], value: unknown, unit?: unknown): LongValue => ({
  names,
  value: typeof value === 'object' && value !== null ? NESTED : value,
  unit: typeof unit === 'string' && unit !== '' ? unit : undefined,
});
