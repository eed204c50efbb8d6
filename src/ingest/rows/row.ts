/** A row of a source, CSV or JSON: the names of its fields, their values, and where it stands. */
import type { Encoding } from './encoding.ts';
import { isObject } from './json.ts';

type Fields = {
  /** As the source writes them. */
  list: readonly string[];
  /** The position of each, by its name in lower case; of two with one name, the first. */
  positions: ReadonlyMap<string, number>;
};

/** The columns of a table: every row has all of them. */
export type Columns = Fields & {
  isTable: true;
  /** What stands between the fields of a line. */
  delimiter: string;
  /** Their units, where a row of units says them. */
  units: readonly (string | undefined)[] | undefined;
  /** How a logger computed each, where a row says it: `Avg`. */
  processing?: readonly string[] | undefined;
};

/**
 * The names of a row's fields. Rows with the same names share them, so what a field means is looked
 * up once.
 */
export type Names =
  | Columns
  | (Fields & { isTable: false; units?: undefined; processing?: undefined });

/** Where a value is: in a cell of a row, or at a path within the cell. */
export type Position = {
  index: number;
  path: string | undefined;
  /** The cell is one of the row's payload. */
  isInPayload?: true;
};

export type Row = {
  names: Names;
  /** One for each of the names. Values are texts in CSV, and anything in JSON. */
  cells: readonly unknown[];
  /** The whole row, for the quarantine. */
  text: string;
  /** Its number in the source. */
  line: number;
  /** The object within it that has the sender's own names. */
  payload?: Row;
  /** Its bytes are not UTF-8: its text and cells are what they probably mean. */
  encoding?: Encoding;
};

/** A line or an element that is not a row. */
export type Unreadable = { unreadable: true; text: string; line: number; why: string | undefined };

/** Fields of a row, and columns that are declared: each costs time in every row. */
export const MOST_FIELDS = 200;

export const TOO_WIDE = `it has more than ${MOST_FIELDS} fields`;

export function makeColumns(
  list: readonly string[],
  delimiter: string,
  units?: Columns['units'],
): Columns {
  return { ...fieldsOf(list), isTable: true, delimiter, units };
}

function fieldsOf(list: readonly string[]): Fields {
  const positions = new Map<string, number>();
  for (const [index, name] of list.entries()) {
    const key = name.toLowerCase();
    if (!positions.has(key)) positions.set(key, index);
  }
  return { list, positions };
}

/** Bounds for memory: a file may have new names on every line. */
const MOST_SHAPES = 20_000;

type Shape = { names: Names | undefined; next: Map<string, Shape> };
const emptyShape = (): Shape => ({ names: undefined, next: new Map() });

export type ObjectReader = (
  object: Readonly<Record<string, unknown>>,
  text: string,
  line: number,
) => Row | Unreadable;

/** Makes rows of parsed objects. Objects with the same keys in the same order share their names. */
export function makeObjectReader(): ObjectReader {
  let first = emptyShape();
  let count = 0; // of shapes
  return (object, text, line) => {
    let shape = first;
    const cells: unknown[] = [];
    for (const key in object) {
      if (cells.length === MOST_FIELDS) return { unreadable: true, text, line, why: TOO_WIDE };
      cells.push(object[key]);
      let next = shape.next.get(key);
      if (next === undefined) {
        next = emptyShape();
        shape.next.set(key, next);
        count += 1;
      }
      shape = next;
    }
    shape.names ??= { ...fieldsOf(Object.keys(object)), isTable: false };
    if (count > MOST_SHAPES) {
      first = emptyShape();
      count = 0;
    }
    return { names: shape.names, cells, text, line };
  };
}

/**
 * Where a field is: it is a name as a whole (`pm2.5`), in upper or lower case, or else a path of
 * keys (`sensor.id`). Undefined: rows with these names do not have it.
 */
export function positionOf({ positions, isTable }: Names, field: string): Position | undefined {
  const key = field.toLowerCase();
  const index = positions.get(key);
  if (index !== undefined) return { index, path: undefined };
  const dot = field.indexOf('.');
  const head = dot > 0 && !isTable ? positions.get(key.slice(0, dot)) : undefined;
  return head === undefined ? undefined : { index: head, path: field.slice(dot + 1) };
}

/**
 * The value at a path within a value: at each step a key as a whole, or else what stands before its
 * first dot.
 */
function within(value: unknown, path: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  const dot = path.indexOf('.');
  const key = path.slice(0, dot);
  return dot > 0 && Object.hasOwn(value, key) ? within(value[key], path.slice(dot + 1)) : undefined;
}

export function cellAt({ cells, payload }: Row, { index, path, isInPayload }: Position): unknown {
  const cell = isInPayload ? payload?.cells[index] : cells[index];
  return path === undefined ? cell : within(cell, path);
}

/** The value of a field; undefined if the row has no such field. */
export function cellOf(row: Row, field: string): unknown {
  const position = positionOf(row.names, field);
  return position === undefined ? undefined : cellAt(row, position);
}

/** The object at a path, as a row of its own in the same place; undefined if there is none. */
export function rowWithin(
  row: Row,
  field: string,
  read: ObjectReader,
): Row | Unreadable | undefined {
  const object = cellOf(row, field);
  return isObject(object) ? read(object, row.text, row.line) : undefined;
}

/** True if the row has all of these fields. */
export const has = (row: Row, ...fields: readonly string[]): boolean =>
  fields.every((field) => cellOf(row, field) !== undefined);

export const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '';

/** The parts of a line outside of quotes: of every pair of quotes, whatever is escaped in it. */
export const outsideQuotes = (text: string): string =>
  text
    .split('"')
    .filter((_, part) => part % 2 === 0)
    .join(' ');
