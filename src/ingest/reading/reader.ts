/**
 * Turns the rows of one source into readings: its format finds the facts in a row, the declarations
 * come before them, and values and times become ours here, once for every format.
 */
import type { ParameterName, ReadingColumn } from '../../contract/parameters.ts';
import type { Format, Found, LongValue, Means, Measured } from '../formats/format.ts';
import { channels, value as measuredIn, text as textOf } from '../formats/format.ts';
import { chooseFormat } from '../formats/formats.ts';
import { unitInName } from '../formats/ownNames.ts';
import { isObject } from '../rows/json.ts';
import {
  cellOf,
  forgetUse,
  isGiven,
  makeColumns,
  type Names,
  type Row,
  type Unreadable,
} from '../rows/row.ts';
import { conversionFrom, withUnit } from '../units.ts';
import { type Contradictions, noContradictions } from './contradictions.ts';
import {
  type Declarations,
  type DeclaredColumn,
  declaredColumns,
  declaredOnly,
  declaredUnits,
  EVERY_VALUE,
  type Only,
  ownerOf,
} from './declarations.ts';
import { checkHeader } from './header.ts';
import { type ReadingInput, unreadable } from './reading.ts';
import { makeTimeReader } from './times.ts';
import { isVerdict, noteVerdict, type Verdicts } from './verdicts.ts';

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
  /** Parameters without a declared unit, and the fields they are in. */
  undeclared: Map<ParameterName, string>;
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

export type Reader = {
  notes: SourceNotes;
  format: Format;
  /**
   * Checks the header of a table, and notes the columns that are not used. Throws InputError for
   * one that cannot be used.
   */
  begin(header: Row, position: string): void;
  /** Undefined for a row whose parameter is unknown. Throws InputError as ownerOf does. */
  read(row: Row | Unreadable): ReadingInput | undefined;
  /** The fields of a document that mean something for each of its rows. */
  sharedBy(document: Row): [name: string, cell: unknown][];
};

/**
 * Names that are reported as not used: a bound, because a file may have a new one on every line.
 */
const MOST_IGNORED = 100;

type SomeValues = { -readonly [name in ReadingColumn]?: unknown };

export const makeNotes = (): SourceNotes => ({
  format: '',
  isLong: false,
  linesBefore: 0,
  excluded: 0,
  ignored: new Set(),
  undeclared: new Map(),
  usedServerTime: false,
  namesEnd: false,
  contradictions: noContradictions(),
  verdicts: new Map(),
});

/**
 * A reader for rows like `first`. Adds to `notes`. Throws InputError for an unknown format and a
 * declaration that cannot be followed.
 */
export function makeReader(first: Row, declared: Declarations, notes: SourceNotes): Reader {
  const format = chooseFormat(declared.name, first);
  const columns = declaredColumns(declared).map((column) => withUnitOfFormat(column, format));
  const units = declaredUnits(declared);
  const only = declaredOnly(declared);
  const timeOf = makeTimeReader(format, declared);
  const arrival = declared.now?.toISOString();
  const unused = new Set(format.unused);
  const { ignored, undeclared } = notes;
  /** With the positions of verdicts that are not used. */
  const noted = new WeakMap<Names, number[]>();
  notes.format = format.name;
  notes.means = format.means;
  notes.isLong = format.isLong === true;

  const ignore = (name: string) => {
    if (ignored.size < MOST_IGNORED && !unused.has(name.toLowerCase())) ignored.add(name);
  };
  const noteUnused = (names: Names) => {
    if (noted.has(names)) return;
    const verdicts: number[] = [];
    noted.set(names, verdicts);
    for (const [index, name] of names.list.entries()) {
      if (names.used.has(index)) continue;
      ignore(name);
      if (isVerdict(name) && !unused.has(name.toLowerCase())) verdicts.push(index);
    }
  };
  const noteVerdicts = ({ names, cells }: Row) => {
    for (const index of noted.get(names) ?? NONE)
      noteVerdict(notes.verdicts, names.list[index] as string, cells[index]);
  };
  const add = (values: SomeValues, name: ParameterName, measured: Measured) => {
    const { value, unit, field } = measured;
    const column = name === 'rain' && measured.isTotal === true ? 'rain_total' : name;
    if (measured.hasEmptyTotal) values.rain_total = null;
    const said = units.get(name) ?? unit;
    if (said === undefined) {
      if (!undeclared.has(name)) undeclared.set(name, field);
      values[column] = value;
      return;
    }
    if (value === null) {
      values[column] = null;
      return;
    }
    const convert = conversionFrom(said, name);
    values[column] = convert === null ? value : (convert ?? withUnit(said))(value);
  };
  /** The parameter of a name in a row of one parameter, and the unit that goes without saying. */
  const parameterOf = (name: string) => {
    for (const column of columns)
      if (column.is === 'value' && isSame(column.theirs, name)) return column;
    return format.parameter?.(name);
  };
  /** False: the parameter is unknown. */
  const addLong = (values: SomeValues, { names, value, unit, isTotal }: LongValue): boolean => {
    for (const name of names) {
      const known = parameterOf(name);
      if (known === undefined) continue;
      const measured = {
        ...{ value, unit: unit ?? known.unit, field: name },
        isTotal: isTotal === true || known.isTotal,
      };
      add(values, known.parameter, isGiven(value) ? measured : { ...measured, value: null });
      return true;
    }
    return false;
  };

  const read: Reader['read'] = (row) => {
    if ('unreadable' in row) return unreadable(row.text, row.line, row.why);
    if (only.length > 0 && isExcluded(row, only)) {
      notes.excluded += 1;
      return undefined;
    }
    let found = format.read(row);
    if (found === undefined) return undefined;
    if ('refused' in found) {
      const { sensor } = ownerOf(declared, found.sensor, undefined);
      return { ...unreadable(row.text, row.line, found.why), sensorId: sensor };
    }
    if (columns.length > 0) found = declaredFirst(row, found, columns, format);
    if (!row.names.isTable) noteUnused((found.payload ?? row).names);
    noteVerdicts(found.payload ?? row);
    if (typeof found.device === 'number' && Math.abs(found.device) > Number.MAX_SAFE_INTEGER)
      return unreadable(row.text, row.line, ROUNDED);
    const owner = ownerOf(declared, scalar(found.sensor), scalar(found.device));
    const values: SomeValues = {};
    let count = 0;
    for (const name in found.values) {
      const measured = found.values[name as ParameterName];
      if (measured === undefined) continue;
      count += 1;
      add(values, name as ParameterName, measured);
      if (measured.others !== undefined) measured.others.forEach(ignore);
    }
    let isOfOthers = false;
    for (const one of found.long ?? NONE) {
      if (addLong(values, one)) count += 1;
      else if (format.isLong === true) {
        ignore(one.names[0] ?? '');
        isOfOthers = true;
      }
    }
    if (isOfOthers && count === 0) return undefined;
    if (count === 0 && owner.sensor === undefined && owner.device === undefined) {
      const why = nestedRows(row);
      if (why !== undefined) return unreadable(row.text, row.line, why);
    }
    const time = typeof found.time === 'object' ? 'nested' : (found.time ?? arrival);
    const hasArrivalTime = found.time === undefined && arrival !== undefined;
    if (hasArrivalTime) notes.usedServerTime = true;
    const reading: ReadingInput = {
      sensorId: owner.sensor,
      measuredAt: timeOf(time, owner.sensor ?? owner.device),
      values,
      text: row.text,
      line: row.line,
    };
    if (owner.device !== undefined) reading.device = String(owner.device);
    if (hasArrivalTime) reading.hasArrivalTime = true;
    if (row.names.isTable) reading.columns = row.names;
    if (found.isCorrected) reading.isCorrected = true;
    return reading;
  };

  return {
    notes,
    format,
    read,
    begin(header, position) {
      const read = format.read(header);
      const plain: Found = read === undefined || 'refused' in read ? { values: {} } : read;
      const found = declaredFirst(header, plain, columns, format);
      for (const { theirs } of only) cellOf(header, theirs); // they are used
      checkHeader({ header, position, found, columns, only, format, declared });
      notes.isLong = format.isLong === true && (found.long?.length ?? 0) > 0;
      notes.namesEnd = format.namesEnd === true && declared.shift === undefined;
      noteUnused(header.names);
    },
    sharedBy(document) {
      forgetUse(document.names);
      const found = format.read(document);
      if (found !== undefined && !('refused' in found))
        declaredFirst(document, found, columns, format);
      const { list, used } = document.names;
      return list.flatMap((name, index) =>
        used.has(index) ? [[name, document.cells[index]]] : [],
      );
    },
  };
}

const NONE: readonly [] = [];

/**
 * How to take out the rows of a document that is no reading: it has a list of objects in a field,
 * else objects whose keys are times.
 */
function nestedRows({ names, cells }: Row): string | undefined {
  if (names.isTable) return undefined;
  let keyed: string | undefined;
  for (const [at, cell] of cells.entries()) {
    const field = names.list[at] as string;
    const [one] = isObject(cell) || Array.isArray(cell) ? Object.values(cell) : NONE;
    if (!isObject(one)) continue;
    if (Array.isArray(cell)) return `its rows lie in "${field}": ${takeOut(field)}`;
    if (STARTS_WITH_DATE.test(Object.keys(one)[0] ?? '')) keyed ??= field;
  }
  if (keyed === undefined) return undefined;
  return `its values lie under stations and times in "${keyed}": ${makeRows(keyed)}`;
}

const takeOut = (list: string) =>
  `send them by themselves, as jq -c '.${list}[]' takes them out (of GeoJSON: '.${list}[].properties')`;

const STARTS_WITH_DATE = /^\d{4}-\d\d-\d\d/;

const makeRows = (field: string) =>
  `make a row of each, as jq -c '.${field} | to_entries[] | .key as $id | .value | to_entries[] | {device: $id, time: .key, value: .value[2]}' does of UBA's, and add --column pm10=value and --zone +01:00`;

const ROUNDED =
  'its device is a number above 2^53, whose last digits JSON does not keep: send it in quotes';

/** True if the row's own verdict is not among the accepted values. */
const isExcluded = (row: Row, only: readonly Only[]): boolean =>
  only.some(
    ({ theirs, values }) =>
      !values.has(String(cellOf(row, theirs) ?? '').trim()) && !values.has(EVERY_VALUE),
  );

/** Objects and lists are no sensor and no device. */
const scalar = (given: unknown): unknown => (typeof given === 'object' ? undefined : given);

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/**
 * Declared columns count, whatever the format finds. They may lie where the sender's own names are,
 * or in the row as a whole.
 */
function declaredFirst(
  row: Row,
  found: Found,
  columns: readonly DeclaredColumn[],
  { secondChannel }: Format,
): Found {
  const places = found.payload === undefined ? [row] : [found.payload, row];
  const values: { [name in ParameterName]?: Measured | undefined } = { ...found.values };
  const result = { ...found, values };
  const declared = new Set<string>();
  for (const column of columns) {
    const { theirs } = column;
    if (column.is !== 'value') {
      const cell = first(places, (place) => declaredText(place, theirs));
      if (cell === undefined || declared.has(column.is)) continue;
      declared.add(column.is);
      if (row.isHeader)
        release(row.names, [String(result[column.is])], [theirs, ...partsOf(theirs)]);
      result[column.is] = cell;
      continue;
    }
    const { parameter } = column;
    const measured = first(places, (place) => {
      const own = measuredIn(place, theirs);
      return secondChannel === undefined
        ? own
        : channels(own, measuredIn(place, secondChannel(theirs)));
    });
    if (measured === undefined) continue;
    measured.unit ??= column.unit;
    measured.isTotal = column.isTotal;
    const before = values[parameter];
    if (declared.has(parameter) && before?.value !== null) {
      if (before !== undefined) before.others = [...(before.others ?? []), measured.field];
      continue;
    }
    declared.add(parameter);
    values[parameter] = measured;
    if (before === undefined || isSame(before.field, measured.field)) continue;
    if (!row.isHeader) measured.others = [before.field];
    else release(row.names, [before.field, ...(before.others ?? [])], [theirs]);
  }
  return result;
}

function first<T>(places: readonly Row[], find: (place: Row) => T | undefined): T | undefined {
  for (const place of places) {
    const one = find(place);
    if (one !== undefined) return one;
  }
  return undefined;
}

/** A text, joined from several fields where a plus sign stands between their names: `Date+Time`. */
function declaredText(row: Row, theirs: string): unknown {
  const whole = textOf(row, theirs);
  if (whole !== undefined || !theirs.includes('+')) return whole;
  const parts = partsOf(theirs).map((part) => textOf(row, part));
  return parts.some((part) => part === undefined) ? undefined : parts.map(String).join(' ');
}

const partsOf = (theirs: string) => theirs.split('+').map((part) => part.trim());

/** Columns of a header that a declaration displaces are not used. */
function release({ positions, used }: Names, names: readonly string[], kept: readonly string[]) {
  for (const name of names) {
    const index = positions.get(name.toLowerCase());
    if (index !== undefined && !kept.some((one) => isSame(one, name))) used.delete(index);
  }
}

/**
 * The unit of a column that is mapped is said by its format or in its name, as in `--column
 * no2=NO2_mean (µg/m³)`.
 */
function withUnitOfFormat(column: DeclaredColumn, format: Format): DeclaredColumn {
  if (column.is !== 'value' || column.unit !== undefined) return column;
  const { theirs, parameter } = column;
  const header = headerOf([theirs]);
  const found = format.read(header);
  const values = found === undefined || 'refused' in found ? {} : found.values;
  const unit = Object.values(values).find((one) => one !== undefined)?.unit;
  const isOfParameter = unit !== undefined && conversionFrom(unit, parameter) !== undefined;
  return { ...column, unit: isOfParameter ? unit : unitInName(theirs, parameter) };
}

const headerOf = (names: readonly string[]): Row => ({
  names: makeColumns(names, ','),
  cells: names,
  text: '',
  line: 0,
  isHeader: true,
});
