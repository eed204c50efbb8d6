/**
 * Tables of others have delimiters of several kinds, rows of units and of processing, a header
 * that comes again, and fields with line breaks.
 */
import { type Header, rowOfLine, splitCsvLine } from '../../../ingest/rows/csv.ts';
import { type Line, LONGEST_LINE } from '../../../ingest/rows/lines.ts';
import { makeColumns, outsideQuotes } from '../../../ingest/rows/row.ts';
import { isUnit } from '../units.ts';

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

/**
 * At most this many columns of layouts that are known: NOAA's GHCNh has 238. In others, MOST_FIELDS
 * are read.
 */
export const MOST_COLUMNS = 400;

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
 * The header with the units that the line after it says; undefined: that line is not a row of units.
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
 * that line is not such a row.
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
