/**
 * Finds rows of one source that contradict each other: the same parameter of one sensor and time
 * twice, with different values. Rows that complete each other do not. The last value counts (S3).
 * Where there are many, a column was mistaken (S7).
 */

import { readNumber } from '../numbers.ts';
import { splitCsvLine } from '../rows/csv.ts';
import { isObject } from '../rows/json.ts';
import type { Doubt } from './doubt.ts';
import type { ReadingInput, TableColumns } from './reading.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Rows that are compared with each other, and characters of their texts: up to twice as many are
 * kept in memory. Before there was a bound for text, 100,000 lines of 20 kB took 2.8 GB.
 */
const REMEMBERED = 50_000;
const REMEMBERED_TEXT = 20_000_000;

/** Quoted values are cut to this length. */
const LONGEST_PART = 60;

/** A row: of a table its text is enough, of others their values are kept. */
type Known = { time: string; line: number | undefined; text: string } & (
  | { columns: TableColumns; values?: undefined }
  | { values: ReadingInput['values']; columns: TableColumns | undefined }
);

/** Rows of one sensor or device. */
type RowsOfOwner = {
  /** The greatest text of a time: a row whose text is greater is the first of its time. */
  newest: string;
  /**
   * Those in the order of time, of which few are ever looked up: an import without them in a map
   * takes 7 % less of the processor.
   */
  inOrder: Known[];
  byTime: Map<string, Known[]>;
};

/** Rows of one sensor and time that are kept: one for each parameter, and a few. */
const MOST_OF_ONE_TIME = 32;

/** Up to one row, or 1 % of the rows, counts as a correction. */
const MOST_CORRECTIONS = 1;
const MOST_OF_ROWS = 0.01;

const NONE: ReadonlySet<string> = new Set();

export function makeContradictions() {
  /** Rows with a sensor and a time. */
  let rows = 0;
  let contradicting = 0;
  /** The first two rows that do. */
  let example: string | undefined;
  /** An unused field that tells these two apart, and its value in the first. */
  let apart: { field: string; value: string } | undefined;
  /** The hours and minutes of all rows, as long as they have the same. */
  let timeOfDay: string | undefined;
  let hasTimesOfDay = false;
  let recent = new Map<unknown, RowsOfOwner>();
  let earlier = new Map<unknown, RowsOfOwner>();
  let remembered = 0;
  let rememberedText = 0;
  /** True if they are too many for corrections, so that a column was mistaken. */
  const areMany = () =>
    contradicting > (hasTimesOfDay ? Math.max(MOST_CORRECTIONS, rows * MOST_OF_ROWS) : 0);
  return {
    /**
     * Compares a row with those before it. `isLong`: a row has one parameter. `unused`: fields that
     * are not used, as far as they are known.
     */
    see(reading: ReadingInput, isLong: boolean, unused = NONE): void {
      const { sensorId, device, measuredAt, values, line, text, columns } = reading;
      if (reading.unreadable || typeof measuredAt !== 'string') return;
      rows += 1;
      if (!hasTimesOfDay) {
        timeOfDay ??= measuredAt.slice(11, 16);
        hasTimesOfDay = timeOfDay !== measuredAt.slice(11, 16);
      }
      const owner = sensorId ?? device;
      let own = recent.get(owner);
      if (own === undefined) {
        own = { newest: earlier.get(owner)?.newest ?? '', inOrder: [], byTime: new Map() };
        recent.set(owner, own);
      }
      remembered += 1;
      rememberedText += text.length;
      const known: Known =
        columns === undefined || isLong
          ? { time: measuredAt, line, text, values, columns }
          : { time: measuredAt, line, text, columns };
      if (measuredAt > own.newest) {
        own.newest = measuredAt;
        own.inOrder.push(known);
      } else {
        const others = rowsAt(own, measuredAt);
        const all = [...rowsAt(earlier.get(owner), measuredAt), ...others];
        for (const other of all.toReversed()) {
          const difference = differenceOf(other, known);
          if (difference === undefined) continue;
          contradicting += 1;
          if (example === undefined) {
            const fields = unusedFieldsOf(other, known, unused);
            example = inWords(other, known, owner, difference, fields);
            const [field] = fields;
            apart = field && { field: field[0], value: field[1] };
          }
          break;
        }
        own.byTime.set(measuredAt, [...others, known].slice(-MOST_OF_ONE_TIME));
      }
      if (remembered < REMEMBERED && rememberedText < REMEMBERED_TEXT) return;
      earlier = recent;
      recent = new Map();
      remembered = 0;
      rememberedText = 0;
    },
    isAny: () => contradicting > 0,
    /** A sentence about a few, which may be corrections; undefined: there are none. */
    corrections(): string | undefined {
      if (contradicting === 0 || areMany()) return undefined;
      const gives = contradicting === 1 ? 'row gives' : 'rows give';
      return `${contradicting} ${gives} a parameter another value than an earlier row of the same sensor and time (${example}); the last one counts`;
    },
    /**
     * Where rows contradict each other because a column was mistaken: two or more and more than 1 %
     * of them, or any where all have one time of day, as dates alone.
     */
    doubts(say: Vocabulary): Doubt[] {
      if (!areMany()) return [];
      const how =
        apart === undefined
          ? `Say which columns make the time, as in ${say.option('column', 'time=Date+Time')}.`
          : tellApart(apart, say);
      return [
        {
          what: `${contradicting} of ${rows} rows give a parameter another value than an earlier row of the same sensor and time (${example})`,
          remedy: `${how} Where a later row corrects an earlier one, leave out the earlier.`,
        },
      ];
    },
  };
}

function rowsAt(rows: RowsOfOwner | undefined, time: string): readonly Known[] {
  if (rows === undefined) return [];
  for (const row of rows.inOrder) rows.byTime.set(row.time, [row]);
  rows.inOrder = [];
  return rows.byTime.get(time) ?? [];
}

type Values = Readonly<Record<string, unknown>>;

/** By parameter; of a table as its columns are named and its cells written. */
function valuesOf(row: Known): Values {
  if (row.values !== undefined) return row.values;
  return cellsAt(row, row.columns, row.columns.measured);
}

function cellsAt(
  { text }: Known,
  { list, delimiter }: TableColumns,
  positions: readonly number[],
): Values {
  const cells = splitCsvLine(text, delimiter) ?? [];
  return Object.fromEntries(positions.map((at) => [list[at], cells[at]]));
}

/** The first name that both rows give a value, and not the same one. */
function differenceOf(
  first: Known,
  second: Known,
): [name: string, one: unknown, other: unknown] | undefined {
  const one = valuesOf(first);
  const other = valuesOf(second);
  const name = Object.keys(other).find((key) => isDifferent(one[key], other[key]));
  return name === undefined ? undefined : [name, one[name], other[name]];
}

/** False where one of them is empty, and for two ways to write a number. */
function isDifferent(one: unknown, other: unknown): boolean {
  const [a, b] = [readNumber(one), readNumber(other)];
  if (a === null || b === null) return false;
  return a === undefined || b === undefined ? one !== other : a !== b;
}

/** Fields that nobody uses and in which two rows differ: what tells them apart may be there. */
function unusedFieldsOf(
  first: Known,
  second: Known,
  unused: Pick<ReadonlySet<string>, 'has'>,
): [name: string, one: string, other: string][] {
  const one = unusedOf(first, unused);
  const other = unusedOf(second, unused);
  return Object.keys(one).flatMap((name) =>
    name in other && one[name] !== other[name]
      ? [[name, shown(one[name]), shown(other[name])] as [string, string, string]]
      : [],
  );
}

function unusedOf(row: Known, unused: Pick<ReadonlySet<string>, 'has'>): Values {
  if (row.columns !== undefined) return cellsAt(row, row.columns, row.columns.unused);
  const fields = fieldsOf(row.text);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => unused.has(name)));
}

function fieldsOf(text: string): Values {
  try {
    const given: unknown = JSON.parse(text);
    return isObject(given) ? given : {};
  } catch {
    return {};
  }
}

const shown = (part: unknown) =>
  (typeof part === 'object' && part !== null ? JSON.stringify(part) : String(part ?? 'none')).slice(
    0,
    LONGEST_PART,
  );

/** Unused fields that a message names. */
const MOST_NAMED = 3;

function inWords(
  first: Known,
  second: Known,
  owner: unknown,
  difference: readonly unknown[],
  fields: readonly [name: string, one: string, other: string][],
): string {
  const [name, one, two, whose, at] = [...difference, owner, second.time].map(shown);
  const named = fields.slice(0, MOST_NAMED).map(([field, a, b]) => `${field} (${a} and ${b})`);
  const apart = named.length === 0 ? '' : `; unused columns that differ: ${named.join(', ')}`;
  return `lines ${first.line} and ${second.line}, both ${whose} at ${at}: ${name} ${one} and ${two}${apart}`;
}

const tellApart = ({ field, value }: { field: string; value: string }, say: Vocabulary) =>
  `Say which rows count, as in ${say.option('only', `${field}=${value}`)}, or whose they are, as in ${say.option('column', `device=${field}`)}.`;
