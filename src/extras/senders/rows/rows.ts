/**
 * Reads bytes into rows: CSV, one JSON object a line, or a JSON array or document. Bytes are read
 * when rows are asked for.
 */
import { InputError } from '../../../base/inputError.ts';
import type { Limits } from '../../../ingest/reading/batches.ts';
import { type Header, makeHeader, rowOfLine, splitCsvLine } from '../../../ingest/rows/csv.ts';
import { type Encoding, notUtf8 } from '../../../ingest/rows/encoding.ts';
import { isObject } from '../../../ingest/rows/json.ts';
import { EXCERPT_LENGTH, type Line, LONGEST_LINE, splitLines } from '../../../ingest/rows/lines.ts';
import {
  HEADER_OR_OBJECTS,
  isDocument,
  type Rows,
  readDocument,
  rowOfObject,
} from '../../../ingest/rows/objects.ts';
import {
  MOST_FIELDS,
  makeObjectReader,
  type Row,
  type Unreadable,
} from '../../../ingest/rows/row.ts';
import { peek, type Source } from '../../../ingest/rows/source.ts';
import { cellOf } from './cells.ts';
import {
  declaredDelimiter,
  declaredHeader,
  hasOpenQuote,
  isHeader,
  isToa5,
  likelyDelimiters,
  MOST_COLUMNS,
  wholeLine,
  withProcessing,
  withUnits,
} from './csv.ts';
import { encodingOf } from './encoding.ts';
import { refuseOtherKinds } from './otherKinds.ts';

type RowOptions = Pick<Limits, 'kind' | 'largestObject' | 'isPlanned'> & {
  /** The columns of a table without a header. */
  header?: { list: readonly string[]; delimiter: string } | undefined;
  /**
   * Takes a header by which the lines after it are to be read. Throws InputError for one that
   * cannot be used; with `isTrial` only for one by which nothing can be read.
   */
  begin(header: Header, position: string, linesBefore: number, isTrial?: boolean): void;
  /** Takes a first line whose bytes are not UTF-8, where a plan is wanted all the same. */
  noteEncoding(encoding: Encoding, text: string): void;
};

/**
 * Rejects with InputError for bytes that are not text, for CSV without a usable header, and for a
 * broken document.
 */
export async function* readRows(source: Source, options: RowOptions): AsyncGenerator<Rows> {
  const { name } = source;
  let { kind } = options;
  let { bytes } = source;
  if (kind === undefined || kind === 'csv') {
    const { start, all } = await peek(
      bytes,
      (begun) => begun.length > LONGEST_LINE || begun.includes('\n'),
    );
    bytes = all;
    const foreign = start.length > 0 ? refuseOtherKinds(start, name) : undefined;
    if (foreign !== undefined) {
      if (options.isPlanned !== true) throw notUtf8(name, foreign.encoding, foreign.text);
      options.noteEncoding(foreign.encoding, foreign.text);
    }
    if (kind === undefined && isDocument(start)) kind = 'document';
  }
  yield* kind === 'document'
    ? readDocument(bytes, name, options.largestObject, encodingOf)
    : readLines(bytes, name, { ...options, kind });
}

/** Newer files of airquality.am begin with psql's reply to `set time zone`. */
const PREAMBLE = 'SET';

async function* readLines(
  bytes: AsyncIterable<Buffer>,
  name: string,
  { kind, begin, header: own, isPlanned = false }: RowOptions,
): AsyncGenerator<Rows> {
  const read = makeObjectReader();
  const finder = makeHeaderFinder(name, begin, isPlanned);
  let isCsv = kind === undefined ? undefined : kind === 'csv';
  let header: Header | undefined;
  /** The additions to the header that the line may be. */
  let addition: typeof withUnits | undefined;
  let held: Line[] = []; // they begin with a field in quotes whose end has not come yet
  for await (const arrived of withEnd(splitLines(bytes, encodingOf))) {
    const lines = held.length === 0 ? (arrived ?? []) : [...held, ...(arrived ?? [])];
    held = [];
    const rows: Rows['rows'] = [];
    let text = 0;
    for (let at = 0; ; at++) {
      if (at === lines.length && arrived === undefined && header === undefined) {
        const found = finder.end();
        header = found?.header;
        addition = withUnits;
        lines.push(...(found?.linesAfter ?? []));
      }
      if (at === lines.length) break;
      let line = lines[at] as Line;
      if (isCsv === undefined) {
        if (line.text === PREAMBLE) continue;
        isCsv = !line.text.startsWith('{');
      }
      if (!isCsv) {
        text += line.text.length;
        rows.push(rowOfObject(line, read));
        continue;
      }
      if (header === undefined && own !== undefined) {
        header = declaredHeader(own);
        begin(header, name, 0);
      }
      const by = header?.names.delimiter;
      let cells = by === undefined || line.tooLong ? undefined : splitCsvLine(line.text, by);
      if (cells === undefined && hasOpenQuote(line)) {
        const whole = wholeLine(lines, at, header);
        if (whole === undefined && arrived !== undefined) {
          held = lines.slice(at);
          break;
        }
        if (whole !== undefined) {
          at += whole.lines - 1;
          line = whole.line;
          cells = by === undefined ? undefined : splitCsvLine(line.text, by);
        }
      }
      text += line.text.length;
      if (header === undefined) {
        const found = finder.find(line);
        header = found?.header;
        addition = header === undefined ? undefined : withUnits;
        lines.splice(at + 1, 0, ...(found?.linesAfter ?? []));
        continue;
      }
      if (addition !== undefined) {
        const declared = addition(header, line);
        addition = declared !== undefined && addition === withUnits ? withProcessing : undefined;
        if (declared !== undefined) {
          header = declared;
          begin(header, `${name}:${line.number}`, 0);
          continue;
        }
      }
      if (isToa5(line.text)) continue;
      if (cells !== undefined && isHeader(header, cells)) {
        const position = `${name}:${line.number}`;
        header = makeHeader(line, header.names.delimiter, position, MOST_COLUMNS);
        begin(header, position, 0);
        addition = withUnits;
        continue;
      }
      const row = rowOfLine(header, line, cells, line.tooLong);
      if (row !== undefined) rows.push(row);
    }
    if (lines.length > held.length && (header !== undefined || isCsv === false))
      yield { rows, lastLine: lines.at(-1)?.number ?? 0, text };
  }
}

/** Undefined comes last. */
async function* withEnd<T>(all: AsyncIterable<T>): AsyncGenerator<T | undefined> {
  yield* all;
  yield undefined;
}

/** Titles, comments and `sep=;` may stand before a header. */
const MOST_LINES_BEFORE = 30;

/** A line that may be one of a table has a time. */
const STAMP = /\d{4}[-/]\d\d?[-/]\d|\d\d?[./-]\d\d?[./-]\d{4}|\d{9}/;

const LETTER = /\p{L}/u;

/** `linesAfter`: those that were looked at before it was chosen. */
type FoundHeader = { header: Header; linesAfter: Line[] };

/**
 * Finds the first line that can be used as a header or, for a plan, else the one that looks most
 * like it.
 */
function makeHeaderFinder(name: string, begin: RowOptions['begin'], isPlanned: boolean) {
  const before: Line[] = [];
  /** The error at the line that looks most like a header: the first with the most names. */
  let failure: { names: number; error: InputError; by: string; at: number } | undefined;
  let delimiter: string | undefined;

  const attempt = (line: Line, by: string): Header | undefined => {
    const position = `${name}:${line.number}`;
    let names = 0;
    try {
      const header = makeHeader(line, by, position, MOST_COLUMNS);
      const width = header.cells.length;
      if (!STAMP.test(line.text))
        names = header.names.list.filter((one) => LETTER.test(one)).length;
      const isOfTable = ({ text }: Line) => text.split(by).length >= width && STAMP.test(text);
      if (before.some(isOfTable)) return undefined;
      begin(header, position, before.length);
      return header;
    } catch (error) {
      if (!(error instanceof InputError) || error.input !== position) throw error;
      if (failure === undefined || names > failure.names)
        failure = { names, error, by, at: before.length };
      return undefined;
    }
  };
  /** Throws InputError where no line can be used, though a plan reads on by one that lacks something. */
  const settle = ({ error, by, at }: NonNullable<typeof failure>): FoundHeader => {
    const line = before[at];
    if (!isPlanned || line === undefined) throw error;
    const position = `${name}:${line.number}`;
    const header = makeHeader(line, by, position, MOST_COLUMNS);
    begin(header, position, at, true);
    return { header, linesAfter: before.slice(at + 1) };
  };

  return {
    /** Undefined: the header comes later. Throws InputError where it can come no more. */
    find(line: Line): FoundHeader | undefined {
      if (line.tooLong)
        throw new InputError(
          `${name}:${line.number}`,
          'the first line is too long for a header',
          HEADER_OR_OBJECTS,
        );
      const declared = before.length === 0 ? declaredDelimiter(line.text) : undefined;
      if (declared !== undefined) delimiter = declared;
      else if (!line.text.startsWith('#')) {
        for (const by of delimiter === undefined ? likelyDelimiters(line.text) : [delimiter]) {
          const header = attempt(line, by);
          if (header !== undefined) return { header, linesAfter: [] };
        }
      }
      before.push(line);
      return before.length > MOST_LINES_BEFORE && failure !== undefined
        ? settle(failure)
        : undefined;
    },
    /** Undefined: there was no line. Throws InputError as find does. */
    end: () => failure && settle(failure),
  };
}

/**
 * In characters: every row gets what its document says of all, and its own text has the names of
 * its columns.
 */
const LONGEST_SHARED = 10_000;

/** Where the rows of a document are, and what their fields are called. */
export type DocumentRows = {
  /** The key of its rows. */
  rows: string;
  /** The key of the names of the columns, where each row is a list. */
  names?: string;
  /** The key of an object that says what some of the fields are called: `{"field1": "PM2.5"}`. */
  labels?: { key: string; fields: readonly string[] };
};

/**
 * The rows within a document, one by one, as they are asked for. Each has the fields of the
 * document that are `shared` and that it does not have itself; the document may name the columns of
 * rows that are lists, and the fields of others.
 */
export function* rowsWithin(
  document: Row,
  { rows, names: header, labels }: DocumentRows,
  shared: readonly [name: string, cell: unknown][],
): Generator<Row | Unreadable> {
  const read = makeObjectReader();
  const { encoding } = document;
  const columns = header === undefined ? undefined : cellOf(document, header);
  const names = Array.isArray(columns) ? columns.map(String) : undefined;
  const refuse = (why: string): Unreadable => ({
    unreadable: true,
    text: document.text.slice(0, EXCERPT_LENGTH),
    line: 1,
    why,
  });
  if ((names?.length ?? 0) > MOST_FIELDS)
    return yield refuse(`it has more than ${MOST_FIELDS} fields`);
  if (JSON.stringify([shared, names]).length > LONGEST_SHARED)
    return yield refuse('what it says of all its rows is too long');
  const labelled = labels && labelsIn(document, labels);
  let line = 0;
  for (const given of cellOf(document, rows) as unknown[]) {
    line += 1;
    const row: Record<string, unknown> = Object.create(null);
    for (const [name, cell] of shared) row[name] = cell;
    if (isObject(given)) {
      if (labelled === undefined) Object.assign(row, given);
      else assignLabelled(row, given, labelled);
    } else if (Array.isArray(given) && names !== undefined) {
      for (const [index, cell] of given.slice(0, names.length).entries())
        row[names[index] as string] = cell;
    } else {
      yield { unreadable: true, text: JSON.stringify(given), line, why: undefined };
      continue;
    }
    const found = read(row, JSON.stringify(row), line);
    yield encoding === undefined ? found : { ...found, encoding };
  }
}

/** The labels of fields, by the name of the field. A label of several fields tells none apart. */
function labelsIn(
  document: Row,
  { key, fields }: NonNullable<DocumentRows['labels']>,
): ReadonlyMap<string, string> {
  const given = cellOf(document, key);
  const labels = Object.entries(isObject(given) ? given : {}).flatMap(
    ([name, label]): [string, string][] =>
      fields.includes(name) && typeof label === 'string' && label !== '' ? [[name, label]] : [],
  );
  const isOnly = (label: string) => labels.filter(([, other]) => other === label).length === 1;
  return new Map(labels.filter(([, label]) => isOnly(label)));
}

/** A label that is the name of another field is not used. */
function assignLabelled(
  row: Record<string, unknown>,
  given: Readonly<Record<string, unknown>>,
  labels: ReadonlyMap<string, string>,
): void {
  for (const [name, cell] of Object.entries(given)) {
    const label = labels.get(name) ?? name;
    row[label in row || Object.hasOwn(given, label) ? name : label] = cell;
  }
}
