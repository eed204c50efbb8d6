/** CSV: splits a line into fields, and makes a header and rows of them. */
import { InputError } from '../../base/inputError.ts';
import type { Line } from './lines.ts';
import { type Columns, MOST_FIELDS, makeColumns, type Row, type Unreadable } from './row.ts';

/** A header, by which the lines after it are read. */
export type Header = Row & { names: Columns };

const onOneLine = (name: string): string =>
  name
    .split('\n')
    .map((part) => part.trim())
    .join(' ');

/** Throws InputError for a header with too many columns. */
export function makeHeader(
  { number, text, encoding }: Line,
  delimiter: string,
  position: string,
  most = MOST_FIELDS,
): Header {
  const names = (splitCsvLine(text, delimiter) ?? []).map((one) => onOneLine(one));
  if (names.length > most) {
    const remedy = `At most ${MOST_FIELDS} are read: leave out those that are not needed.`;
    throw new InputError(position, `the header has more than ${MOST_FIELDS} columns`, remedy);
  }
  const header = { names: makeColumns(names, delimiter), cells: names, text, line: number };
  return encoding === undefined ? header : { ...header, encoding };
}

/** Undefined for a line of nothing but delimiters. */
export function rowOfLine(
  { names }: Header,
  { text, number, encoding }: Line,
  split: string[] | undefined,
  tooLong?: boolean,
): Row | Unreadable | undefined {
  const count = names.list.length;
  let cells = split;
  if (cells !== undefined && cells[0] === '' && cells.every((cell) => cell === ''))
    return undefined;
  if (cells !== undefined && cells.length > count && cells.slice(count).every((one) => one === ''))
    cells = cells.slice(0, count);
  if (cells?.length === count)
    return encoding === undefined
      ? { names, cells, text, line: number }
      : { names, cells, text, line: number, encoding };
  return { unreadable: true, text, line: number, why: whyUnreadable(text, cells, count, tooLong) };
}

function whyUnreadable(
  text: string,
  cells: readonly string[] | undefined,
  count: number,
  tooLong?: boolean,
): string {
  if (tooLong) return 'it is too long';
  if (text.includes('\0')) return 'it has NUL bytes: did the power fail while it was written?';
  if (cells === undefined) return 'its quotes do not match up';
  return `it has ${cells.length} field${cells.length === 1 ? '' : 's'}, but the header has ${count}`;
}

/**
 * The fields of a line, unquoted and trimmed; undefined if its quotes do not match up. A general
 * CSV parser is not used: called for each line or each chunk, it would
 * cost more than all other parsing of an import with quoted time stamps.
 */
export function splitCsvLine(text: string, delimiter: string): string[] | undefined {
  if (!text.includes('"')) {
    const fields = text.split(delimiter);
    return BLANK.test(text) ? fields.map((field) => field.trim()) : fields;
  }
  const fields: string[] = [];
  for (let start = 0; ; ) {
    let end: number;
    if (text[start] === '"') {
      const close = closingQuote(text, start + 1);
      if (close < 0) return undefined;
      const field = text.slice(start + 1, close).replaceAll('""', '"');
      fields.push(field.trim());
      end = close + 1;
      if (end < text.length && text[end] !== delimiter) return undefined;
    } else {
      const next = text.indexOf(delimiter, start);
      end = next < 0 ? text.length : next;
      const field = text.slice(start, end);
      if (field.includes('"')) return undefined;
      fields.push(field.trim());
    }
    if (end === text.length) return fields;
    start = end + 1;
  }
}

/** All that `trim` removes. */
const BLANK = /\s/;

/** Two quotes in a row stand for one and close nothing. Returns -1 if there is no closing quote. */
function closingQuote(text: string, from: number): number {
  let index = text.indexOf('"', from);
  while (index >= 0 && text[index + 1] === '"') index = text.indexOf('"', index + 2);
  return index;
}
