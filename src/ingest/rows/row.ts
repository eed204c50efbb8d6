/** A row of a source, CSV or JSON: the names of its fields, their values, and where it stands. */
import type { Encoding } from './encoding.ts';

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

const TOO_WIDE = `it has more than ${MOST_FIELDS} fields`;

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

/** The parts of a line outside of quotes: of every pair of quotes, whatever is escaped in it. */
export const outsideQuotes = (text: string): string =>
  text
    .split('"')
    .filter((_, part) => part % 2 === 0)
    .join(' ');
