/** CSV: splits lines into fields, finds the delimiter and a row of units, and makes rows. */
import { InputError } from '../../base/inputError.ts';
import { isUnit } from '../units.ts';
import { type Line, LONGEST_LINE } from './lines.ts';
import {
  type Columns,
  MOST_FIELDS,
  makeColumns,
  outsideQuotes,
  type Row,
  type Unreadable,
} from './row.ts';

/** A header, by which the lines after it are read. */
export type Header = Row & { names: Columns };

const DELIMITERS = [';', '\t', '|', ','] as const;

/**
 * The delimiters that a header may have, the most frequent outside of quotes first; of equal ones
 * the comma last, since it may be decimal.
 */
export function likelyDelimiters(text: string): string[] {
  const bare = outsideQuotes(text);
  const counted = DELIMITERS.map((delimiter) => ({
    delimiter,
    count: bare.split(delimiter).length - 1,
  })).filter(({ count }) => count > 0);
  const ordered = counted.sort((a, b) => b.count - a.count).map(({ delimiter }) => delimiter);
  return ordered.length === 0 ? [','] : ordered;
}

/** The delimiter in the line that Excel wants before the header: `sep=;`. */
export const declaredDelimiter = (text: string): string | undefined =>
  /^"?sep=(.)"?$/i.exec(text)?.[1];

const onOneLine = (name: string): string =>
  name
    .split('\n')
    .map((part) => part.trim())
    .join(' ');

/**
 * At most this many columns of layouts that are known: NOAA's GHCNh has 238. In others, MOST_FIELDS
 * are read.
 */
const MOST_COLUMNS = 400;

export const tooManyColumns = (position: string): InputError =>
  new InputError(
    position,
    `the header has more than ${MOST_FIELDS} columns`,
    `At most ${MOST_FIELDS} are read: leave out those that are not needed.`,
  );

/** Throws InputError for a header with too many columns. */
export function makeHeader(
  { number, text, encoding }: Line,
  delimiter: string,
  position: string,
): Header {
  const names = (splitCsvLine(text, delimiter) ?? []).map((one) => onOneLine(one));
  if (names.length > MOST_COLUMNS) throw tooManyColumns(position);
  const header = { names: makeColumns(names, delimiter), cells: names, text, line: number };
  return encoding === undefined ? header : { ...header, encoding };
}

/** The header of a table that has none. */
export const declaredHeader = ({
  list,
  delimiter,
}: {
  list: readonly string[];
  delimiter: string;
}): Header => ({
  names: makeColumns(list, delimiter),
  cells: list,
  text: list.join(delimiter),
  line: 0,
});

/**
 * The header with the units that the line after it says; undefined: that line is no row of units.
 * Campbell's loggers write TS in the place of a unit of the time.
 */
export function withUnits(header: Header, line: Line): Header | undefined {
  const { list, delimiter } = header.names;
  const cells = line.tooLong ? undefined : splitCsvLine(line.text, delimiter);
  if (cells?.length !== list.length || cells.some((cell) => /^[-+]?\d/.test(cell)))
    return undefined;
  if (cells[0] !== 'TS' && !cells.some(isUnit)) return undefined;
  const units = cells.map((cell) => (cell === '' ? undefined : cell));
  return { ...header, names: makeColumns(list, delimiter, units) };
}

/** The table "Data processing abbreviations" in the manuals of Campbell's loggers; and `Smp`, a sample. */
const PROCESSING =
  /^(?:smp|avg|tot|max|min|std|smm|mmt|tm[nx]|med|cov|wvc|etsz|rso|hst|h4d|fft|rfh|lcr)\b/i;

/**
 * The header with what the line after its units says of how each column was computed; undefined:
 * that line is no such row.
 */
export function withProcessing(header: Header, line: Line): Header | undefined {
  const { list, delimiter, units } = header.names;
  const cells = line.tooLong ? undefined : splitCsvLine(line.text, delimiter);
  if (cells?.length !== list.length) return undefined;
  const given = cells.filter((cell) => cell !== '');
  if (given.length === 0 || !given.every((cell) => PROCESSING.test(cell))) return undefined;
  return { ...header, names: { ...makeColumns(list, delimiter, units), processing: cells } };
}

/** Campbell's LoggerNet writes this above a header, again wherever it writes the header again. */
export const isToa5 = (text: string): boolean =>
  text.startsWith('"TOA5",') || text.startsWith('TOA5,');

/** True if a line behind the header is another header: most of its fields are names of columns. */
export function isHeader({ names }: Header, cells: readonly string[]): boolean {
  const { positions } = names;
  if (isDigit(cells[0])) return false; // nearly every line
  const isName = (cell: string | undefined) =>
    cell !== undefined && cell !== '' && positions.has(cell.toLowerCase());
  if (!isName(cells[0]) && !isName(cells[1])) return false;
  return cells.filter(isName).length * 2 > cells.length;
}

const isDigit = (cell: string | undefined) => {
  const code = cell?.charCodeAt(0) ?? 0;
  return code >= 48 && code <= 57;
};

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

/** A field in quotes may have line breaks. In a row of more lines, a quote is one too many. */
const MOST_LINES_OF_ROW = 20;

export const hasOpenQuote = ({ text, tooLong }: Line): boolean =>
  !tooLong && text.includes('"') && text.split('"').length % 2 === 0;

/**
 * The line at an index together with those after it, up to the one that closes its quotes, if that
 * makes a row by the header, or what may be one; else the line alone. Undefined: no line after it
 * closes them yet.
 */
export function wholeLine(
  lines: readonly Line[],
  from: number,
  header: Header | undefined,
): { line: Line; lines: number } | undefined {
  const first = lines[from] as Line;
  const alone = { line: first, lines: 1 };
  let whole = first;
  for (let count = 1; count < MOST_LINES_OF_ROW; count++) {
    const next = lines[from + count];
    if (next === undefined) return undefined;
    const breaks = next.number - (lines[from + count - 1] as Line).number;
    const text = whole.text + '\n'.repeat(breaks) + next.text;
    if (next.tooLong || text.length > LONGEST_LINE) return alone;
    const encoding = whole.encoding ?? next.encoding;
    whole = { number: first.number, text, ...(encoding !== undefined && { encoding }) };
    if (hasOpenQuote(next))
      return isWhole(whole, header) ? { line: whole, lines: count + 1 } : alone;
  }
  return alone;
}

function isWhole(line: Line, header: Header | undefined): boolean {
  const { text } = line;
  if (header === undefined)
    return likelyDelimiters(text).some((by) => splitCsvLine(text, by) !== undefined);
  const row = rowOfLine(header, line, splitCsvLine(text, header.names.delimiter));
  return row !== undefined && !('unreadable' in row);
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
