/**
 * Says in which fields two rows of one sensor and time differ, quoted as their source writes them:
 * a field that nobody uses often tells such rows apart (S7).
 */
import { readNumber } from '../numbers.ts';
import { splitCsvLine } from '../rows/csv.ts';
import { isObject } from '../rows/json.ts';
import type { SourceFacts } from './facts.ts';
import type { ReadingInput, TableColumns } from './reading.ts';

/** A field and its values in both rows. */
type Difference = readonly [name: string, one: string, other: string];

/** Quoted values are cut to this length. */
const LONGEST_PART = 60;

type Values = Readonly<Record<string, unknown>>;

/** The first measured value that the second row has and the first gives otherwise. */
export function differenceOf(
  first: ReadingInput,
  second: ReadingInput,
  { isLong }: Pick<SourceFacts, 'isLong'>,
): Difference | undefined {
  const [one, other] = [first, second].map((row) =>
    row.columns === undefined || isLong
      ? row.values
      : cellsAt(row, row.columns, row.columns.measured),
  ) as [Values, Values];
  const name = Object.keys(other).find((key) => isDifferent(one[key], other[key]));
  return name === undefined ? undefined : [name, shown(one[name]), shown(other[name])];
}

/** Unused fields in which two rows differ. */
export function unusedDifferences(
  first: ReadingInput,
  second: ReadingInput,
  { ignored }: Pick<SourceFacts, 'ignored'>,
): Difference[] {
  const [one, other] = [unusedOf(first, ignored), unusedOf(second, ignored)];
  return Object.keys(one)
    .filter((name) => name in other && one[name] !== other[name])
    .map((name) => [name, shown(one[name]), shown(other[name])]);
}

/** The cells of a table's row, by the names of their columns, as they are written. */
function cellsAt(
  { text }: ReadingInput,
  { list, delimiter }: TableColumns,
  positions: readonly number[],
): Values {
  const cells = splitCsvLine(text, delimiter) ?? [];
  return Object.fromEntries(positions.map((at) => [list[at], cells[at]]));
}

/** False where one of them is empty, and for two ways to write a number. */
function isDifferent(one: unknown, other: unknown): boolean {
  const [a, b] = [readNumber(one), readNumber(other)];
  if (a === null || b === null) return false;
  return a === undefined || b === undefined ? one !== other : a !== b;
}

function unusedOf(row: ReadingInput, ignored: Pick<SourceFacts['ignored'], 'has'>): Values {
  if (row.columns !== undefined) return cellsAt(row, row.columns, row.columns.unused);
  const fields = fieldsOf(row.text);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => ignored.has(name)));
}

function fieldsOf(text: string): Values {
  try {
    const given: unknown = JSON.parse(text);
    return isObject(given) ? given : {};
  } catch {
    return {};
  }
}

export const shown = (part: unknown): string =>
  (typeof part === 'object' && part !== null ? JSON.stringify(part) : String(part ?? 'none')).slice(
    0,
    LONGEST_PART,
  );
