/**
 * The shape of a format, and its helpers. A format says once for rows with the same names which of
 * their cells it takes: as a text, as a value, as the mean of two channels, or by its own name.
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import type { Means } from '../../../ingest/reading/facts.ts';
import { NESTED } from '../../../ingest/reading/reading.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { isObject } from '../../../ingest/rows/json.ts';
import type { Names, Row } from '../../../ingest/rows/row.ts';
import { cellAt, isGiven, type Position, positionOf } from '../rows/cells.ts';
import type { DocumentRows } from '../rows/rows.ts';
import { OTHER_NAMES, type OtherNames, ownName } from './ownNames.ts';

/** A layout in which readings come. */
export type Format = {
  /** As `--format`, `/v1/push/NAME` and a feed's `kind` name it. */
  name: string;
  /** Its meaning, in the table of sources. */
  about: string;
  /** Where its publisher describes it. */
  source: string;
  /** True for a row of this format, or for the header of its CSV. */
  recognizes(row: Row): boolean;
  /** True for a row that is neither a reading nor a fault: it is passed over. */
  skips?(row: Row): boolean;
  /** Why a row is refused; undefined: it is not. */
  refuses?(row: Row): string | undefined;
  /** The cells that it takes of rows with these names. */
  columns(names: Names): Taken;
  /** Where the object with the sender's own names is, if that is not the row itself. */
  payload?(row: Row): Payload;
  /** The JSON document that its rows lie in. */
  document?: Document;
  /** Our parameter for a name in a row of one parameter, and the unit of its values. */
  parameter?(name: string): Parameter | undefined;
  /** True if a row has one parameter, so that several rows are one reading. */
  isLong?: true;
  /** The field of a second instrument in the same housing, whose mean with the first counts. */
  secondChannel?(field: string): string;
  /** A row without a known parameter is neither a reading nor a fault. */
  isMixed?: true;
  /**
   * The zone of times without an offset: UTC, an offset, or `network`, the zone of the network.
   * Absent: a time needs an offset.
   */
  zone?: string | undefined;
  /** Is added to every time, as `--shift` is. */
  shift?: string | undefined;
  /** The order of its dates, as `--date-format` says it. */
  dateFormat?: string | undefined;
  /** By parameter, whatever a row says. */
  units?: ReadonlyMap<ParameterName, string>;
  /** Verdicts on its rows, unless others are declared. */
  only?: readonly Only[];
  /** The stamps of its CSV name the end of an interval, whose length must be declared or `interval`. */
  namesEnd?: true;
  /** The interval that its rows are means of. */
  means?: Means;
  /** Fields with pressure that is reduced to sea level, in lower case, whose names do not say so. */
  reduced?: readonly string[];
  /** Fields that need not be reported as unused, and the ends of more, in lower case. */
  unused?: readonly string[];
  unusedEnds?: readonly string[];
  /** The columns of its tables, which have no header. */
  header?: { list: readonly string[]; delimiter: string };
  /** Fields of a form that are dropped. */
  secret?: readonly string[] | undefined;
  /** Parameters that its sender adds to the address, and that mean nothing. */
  appends?: readonly string[] | undefined;
  /** It sends each reading as the query of a GET. */
  push?: 'get' | undefined;
  /** The columns of its CSV for messages: whose a reading is, its time, and all in a sentence. */
  needs: { owner: string; time: string; all: (say: Vocabulary) => string };
};

export type Document = DocumentRows & {
  /** Begins the names of the document's own fields in its rows, which may have the same. */
  prefix?: string;
};

/** The path to an object within a row, and the values that are taken from it. */
export type Payload = { path: string; values(names: Names): ValueColumns };

export type Parameter = {
  parameter: ParameterName;
  unit?: string | undefined;
  /** The values are totals of a gauge that counts up. */
  isTotal?: true | undefined;
};

/** A cell of each row that says the unit of a value in another cell. */
export type UnitAt = {
  position: Position;
  /**
   * The unit that the cell means. Undefined: it says none, and the unit of the column counts.
   * Absent: its text is the unit. A unit that the parameter does not have makes the value unreadable.
   */
  unitOf?(cell: unknown, parameter: ParameterName): string | undefined;
};

/** The values of a column that count, or with `isRefused` those that do not. */
export type Only = {
  theirs: string;
  values: ReadonlySet<string>;
  isRefused?: true;
  /** The format says so: a row without the column counts. */
  isOfFormat?: true;
};

/** A cell with the verdict on a value, and the verdicts with which the value counts (S9). */
export type Verdict = { position: Position } & Pick<Only, 'values' | 'isRefused'>;

/** A column with values of a parameter. */
export type ValueColumn = {
  position: Position;
  /** The second instrument of the same housing: the mean of both counts. */
  second?: Position | undefined;
  /** Its name, for messages. */
  field: string;
  /** The unit that the source or the format says; undefined: neither does. */
  unit: string | undefined;
  /** Where each row says the unit, which counts before `unit`. A declared unit counts before it. */
  unitAt?: UnitAt | undefined;
  /** The text in the place of a unit in its name, which is not a unit of the parameter. */
  unknownUnit?: string | undefined;
  /** Its name is someone else's, and no format explains it, so no unit is assumed (S6). */
  isForeign?: boolean | undefined;
  /** Rain is the total of a gauge that counts up, not the amount. */
  isTotal?: true | undefined;
  verdicts?: readonly Verdict[];
};

/** Where several columns have values of one parameter, the preferred one comes first. */
export type ValueColumns = { readonly [name in ParameterName]?: readonly ValueColumn[] };

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

/** Where rows name the parameters of their values. */
export type LongColumns = {
  positions: readonly Position[];
  /** Undefined: the name is malformed, and the row is refused. */
  read(row: Row): readonly LongValue[] | undefined;
};

/**
 * The cells that a format takes of a row: whose the reading is, its time and its values. Of several
 * positions of a text the first counts that is given.
 */
export type Taken = {
  sensor?: readonly Position[];
  device?: readonly Position[];
  time?: readonly Position[];
  /** The time is in all of its cells together: a date, an hour. */
  isTimeJoined?: true;
  /** Minutes: the time is the end of an interval that long, and its start counts (S3). */
  interval?: Position | undefined;
  values: ValueColumns;
  /** A cell that says the units of all values whose columns say none, of mapped columns too. */
  unitAt?: UnitAt | undefined;
  long?: LongColumns | undefined;
  /** Cells that say whether a row counts. */
  others?: readonly Position[];
  /**
   * Where this has a value, PM2.5 and humidity are corrected by the sender, so no formula of the
   * network may be.
   */
  corrected?: Position | undefined;
};

/** True for a field that need not be reported as unused. */
export function isUnused({ unused = [], unusedEnds = [] }: Format, field: string): boolean {
  const key = field.toLowerCase();
  return unused.includes(key) || unusedEnds.some((end) => key.endsWith(end));
}

/**
 * A sensor, a device or a time, in any of these fields. In a table, the first that there is: an
 * empty cell of it is not made up for by another column.
 */
export function text(names: Names, ...fields: readonly string[]): Position[] {
  const found = fields.flatMap((field) => positionOf(names, field) ?? []);
  return names.isTable ? found.slice(0, 1) : found;
}

/** The first cell that is given; undefined: all are absent or empty. */
export function textAt(row: Row, positions: readonly Position[]): unknown {
  for (const position of positions) {
    const cell = cellAt(row, position);
    if (isGiven(cell)) return cell;
  }
  return undefined;
}

/** Values in any of these fields. */
export const value = (names: Names, ...fields: readonly string[]): ValueColumn[] =>
  fields.flatMap((field) => {
    const position = positionOf(names, field);
    return position === undefined ? [] : { position, field, unit: names.units?.[position.index] };
  });

/** The same columns, in this unit unless the source says another. */
export const unit = (name: string, columns: readonly ValueColumn[]): ValueColumn[] =>
  columns.map((column) => ({ ...column, unit: column.unit ?? name }));

/** The mean of two instruments of one housing, or the one of them that there is. */
export function channels(
  a: readonly ValueColumn[],
  b: readonly ValueColumn[],
): readonly ValueColumn[] {
  const [first] = a;
  const [second] = b;
  if (first === undefined || second === undefined) return first === undefined ? b : a;
  return [{ ...first, second: second.position }];
}

/**
 * The columns that have our names, perhaps with a unit: `no2_ugm3`, `pressure [hPa]`. `others` are
 * names that mean ours, in lower case, each with its parameter and perhaps a unit, the preferred
 * first.
 */
export function ownValues(names: Names, others: OtherNames = OTHER_NAMES): ValueColumns {
  const columns: { [name in ParameterName]?: ValueColumn[] } = {};
  const found = names.list.flatMap((field, index) => {
    const own = ownName(field, others);
    return own === undefined ? [] : { ...own, field, index };
  });
  for (const { parameter, unit, field, index, isTotal } of found.sort((a, b) => a.rank - b.rank)) {
    columns[parameter] ??= [];
    columns[parameter].push({
      position: { index, path: undefined },
      field,
      unit: names.units?.[index] ?? unit,
      isTotal,
    });
  }
  return columns;
}

/**
 * Where rows name a parameter and give its value. `areNumbers`: a number may be a name. Undefined: rows with these names name none, or in
 * a table have no column of values.
 */
export function longColumns(
  names: Names,
  fields: { parameter: readonly string[]; value: readonly string[]; unit: readonly string[] },
  areNumbers = false,
): LongColumns | undefined {
  const [named, values, units] = [fields.parameter, fields.value, fields.unit].map((some) =>
    some.flatMap((field) => positionOf(names, field) ?? []),
  ) as [Position[], Position[], Position[]];
  if (named.length === 0 || (names.isTable && values.length === 0)) return undefined;
  const cells = (row: Row, positions: readonly Position[]) =>
    positions
      .map((position) => cellAt(row, position))
      .filter((cell) => cell !== undefined && !isObject(cell));
  return {
    positions: [...named, ...values, ...units],
    read(row) {
      const given = cells(row, named).map((cell) =>
        areNumbers && typeof cell === 'number' ? String(cell) : cell,
      );
      if (given.length === 0) return [];
      if (typeof given[0] !== 'string') return undefined;
      const all = given.filter((name) => typeof name === 'string');
      return [longValue(all, cells(row, values)[0], cells(row, units)[0])];
    },
  };
}

/** An empty value is null: the source has the parameter, and leaves it empty (S3). */
export function longValue(names: readonly string[], given: unknown, said?: unknown): LongValue {
  const plain = typeof given === 'object' && given !== null ? NESTED : given;
  return {
    names,
    value: isGiven(plain) ? plain : null,
    unit: typeof said === 'string' && said !== '' ? said : undefined,
  };
}
