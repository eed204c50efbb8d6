/**
 * Results for people: columns of text, aligned, in lines of a terminal's width. A value may be what
 * a stranger sent, so it is printed without characters that a terminal would obey.
 */
import { printableLine, wrapped } from '../base/printable.ts';

type Cell = string | number | null;

/** Without a terminal nothing is cut or wrapped, so that a row stays a line. */
export const UNLIMITED = Number.POSITIVE_INFINITY;
const GAP = 2;
/** Text is cut to no fewer letters. */
const NARROWEST = 8;

/**
 * A table with a line of headings; numbers are aligned to the right, null is a dash. Where it would
 * be wider than `width`, the widest columns of text are cut off, with an ellipsis; where that is not
 * enough, each row becomes a text with the headings in it.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  width = UNLIMITED,
): string {
  const text = rows.map((row) =>
    row.map((cell) => (cell === null || cell === '' ? '–' : printableLine(String(cell)))),
  );
  const isNumber = headings.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...text.map((row) => (row[column] ?? '').length)),
  );
  const surplus = () => widths.reduce((sum, each) => sum + each, GAP * (widths.length - 1)) - width;
  // numbers and headings are never cut off
  const canShrink = (each: number, column: number) =>
    !isNumber[column] && each > Math.max(NARROWEST, headings[column]?.length ?? 0);
  while (surplus() > 0) {
    const widest = Math.max(...widths.filter(canShrink));
    const column = widths.findIndex((each, n) => each === widest && canShrink(each, n));
    if (column < 0) return asTexts(headings, text, width);
    widths[column] = widest - 1;
  }
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const room = widths[column] ?? 0;
        const fitting = cell.length > room ? `${cell.slice(0, room - 1)}…` : cell;
        return isNumber[column] ? fitting.padStart(room) : fitting.padEnd(room);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return [headings, ...text].map(line).join('\n');
}

/** `sensor 11: kind SDS011, station 1`, a row a line or more. */
const asTexts = (
  [first = '', ...others]: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): string =>
  rows
    .map(([name = '', ...cells]) => {
      const said = others.map((heading, n) => `${heading} ${cells[n]}`).join(', ');
      return wrapped(`${first} ${name}: ${said}`, width - GAP, GAP);
    })
    .join('\n');

/** A heading, and the cell of a row. */
export type Column<Row> = readonly [heading: string, cell: (row: Row) => Cell];

/** A table of these columns. */
export const tableOf = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width = UNLIMITED,
): string =>
  table(
    columns.map(([heading]) => heading),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
    width,
  );

/** Values have at least this many columns beside their names. */
const NARROWEST_VALUES = 30;

/**
 * Names with their values, aligned; a value that is too long for its line goes on below where it
 * began. In a narrow terminal it begins below its name.
 */
export function facts(
  pairs: readonly (readonly [name: string, value: string])[],
  width = UNLIMITED,
): string {
  const beside = Math.max(...pairs.map(([name]) => name.length)) + GAP;
  const isNarrow = width - beside < NARROWEST_VALUES;
  return pairs
    .map(([name, value]) => {
      const indent = isNarrow ? name.search(/\S|$/) + 2 * GAP : beside;
      const text = wrapped(printableLine(value), width - indent, indent);
      return isNarrow
        ? `${name.trimEnd()}\n${' '.repeat(indent)}${text}`
        : name.padEnd(indent) + text;
    })
    .join('\n');
}

/**
 * Any result that a command prints as JSON: its values as facts, and each list of objects below
 * them.
 */
export function resultTable(result: unknown, width = UNLIMITED): string {
  if (Array.isArray(result)) return listOf(result, width);
  if (!isObject(result)) return wordsOf(result);
  const entries = Object.entries(result).map(
    ([name, value]) => [printableLine(name), value] as const,
  );
  const isList = (value: unknown) => Array.isArray(value) && value.some(isObject);
  const values = entries
    .filter(([, value]) => !isList(value))
    .map(([name, value]) => [name, wordsOf(value)] as const);
  const lists = entries.filter(([, value]) => isList(value));
  const parts = lists.map(([name, value]) => `${name}:\n${listOf(value as unknown[], width)}`);
  return [...(values.length === 0 ? [] : [facts(values, width)]), ...parts].join('\n\n');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects as a table or, where that would be wider than a line, one below the other. */
function listOf(items: readonly unknown[], width: number): string {
  if (items.length === 0) return 'none';
  if (!items.every(isObject)) return items.map(wordsOf).join('\n');
  const headings = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const rows = items.map((item) => headings.map((name) => cellOf(item[name])));
  const whole = table(headings, rows);
  if (whole.split('\n').every((line) => line.length <= width)) return whole;
  return items.map((item) => resultTable(item, width)).join('\n\n');
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  return typeof value === 'number' ? value : wordsOf(value);
}

/** `a, b` for a list, `added 1, changed 0` for an object. */
function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(wordsOf).join(', ');
  if (!isObject(value)) return printableLine(String(value));
  const words = Object.entries(value).map(
    ([name, each]) => `${printableLine(name)} ${wordsOf(each)}`,
  );
  return words.length === 0 ? 'none' : words.join(', ');
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** How long ago a time was: `3 h ago`. Null is `never`. */
export function since(time: string | null, now: Date): string {
  if (time === null) return 'never';
  const seconds = Math.round((now.getTime() - Date.parse(time)) / 1_000);
  const [size, unit] = UNITS.find(([size]) => Math.abs(seconds) >= size) ?? UNITS[3];
  const count = Math.floor(Math.abs(seconds) / size);
  return seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

/**
 * `2026-11-20T13:00:00+04:00` with how long ago that was: `2026-11-20 13:00:00 (3 h ago)`. Null is
 * `never`.
 */
export function ago(time: string | null, now: Date): string {
  return time === null
    ? 'never'
    : `${time.slice(0, 10)} ${time.slice(11, 19)} (${since(time, now)})`;
}
