/** Reads the rows of a source in any format: a file, a push or a polled document. */
import { InputError } from '../../../base/inputError.ts';
import {
  FILE_LIMITS,
  inBatches,
  type Limits,
  type ReadingBatch,
  type Slice,
} from '../../../ingest/reading/batches.ts';
import type { Declarations } from '../../../ingest/reading/declarations.ts';
import { type ReadingInput, unreadable } from '../../../ingest/reading/reading.ts';
import { COMMAND_LINE } from '../../../ingest/reading/vocabulary.ts';
import type { Header } from '../../../ingest/rows/csv.ts';
import type { Encoding } from '../../../ingest/rows/encoding.ts';
import { type Rows, rowOfObject } from '../../../ingest/rows/objects.ts';
import { makeColumns, makeObjectReader, type Names, type Row } from '../../../ingest/rows/row.ts';
import type { Source } from '../../../ingest/rows/source.ts';
import { chooseFormat, isOwn } from '../formats/formats.ts';
import { formatFor } from '../formats/source.ts';
import { cellOf } from '../rows/cells.ts';
import { readRows, rowsWithin } from '../rows/rows.ts';
import { inSlices } from '../rows/slices.ts';
import { type Findings, makeFindings } from './doubts.ts';
import type { SourceFacts } from './facts.ts';
import { makeReader, type Reader } from './reader.ts';

/** The readings of a source in any format, as inBatches yields them. */
export function readReadings(
  source: Source,
  declared: Declarations = {},
  limits: Limits = FILE_LIMITS,
): AsyncGenerator<ReadingBatch> {
  const found = makeFindings();
  const { facts } = found;
  const whyNothing = () =>
    facts.isLong && facts.ignored.size > 0 ? noParameter(source.name, facts, declared) : undefined;
  const rows = readAll(source, declared, limits, found);
  return inBatches(source.name, rows, found, limits, whyNothing);
}

/** The reading of a line by itself, an object in any format; undefined if it is not a reading. */
export function readLine(text: string): ReadingInput | undefined {
  const row = rowOfObject({ number: 1, text }, makeObjectReader());
  if ('unreadable' in row) return unreadable(text, 1, row.why);
  return makeReader(row, {}, makeFindings()).read(row);
}

/** Throws InputError for declarations that cannot be followed, whatever the source. */
export function checkDeclarations(declared: Declarations): void {
  makeReader(NO_ROW, declared, makeFindings());
}

/**
 * The readings of the rows, undefined for rows without a known parameter. Rows within a document
 * are read in slices.
 */
async function* readAll(
  source: Source,
  declared: Declarations,
  limits: Limits,
  found: Findings,
): AsyncGenerator<Slice> {
  const { facts } = found;
  facts.format = chooseFormat(declared.name, NO_ROW).name;
  let reader: Reader | undefined;
  const begin = (header: Header, position: string, linesBefore: number, isTrial = false) => {
    const next = makeReader(header, declared, found, limits);
    next.begin(header, position, isTrial);
    facts.linesBefore += linesBefore;
    reader = next;
  };
  const recognized = new WeakMap<Names, string | null>();
  /** The other format that a row is recognized by, where those before it were not. */
  const otherFormat = (row: Row, { format }: Reader): string | null => {
    if (declared.name !== undefined || !isOwn(format)) return null;
    let other = recognized.get(row.names);
    if (other === undefined) {
      const chosen = chooseFormat(undefined, row);
      other = isOwn(chosen) ? null : chosen.name;
      recognized.set(row.names, other);
    }
    return other;
  };
  const { header } = declared.name === undefined ? {} : formatFor(declared, NO_ROW);
  const noteEncoding = (encoding: Encoding, text: string) => {
    facts.encoding = encoding.name;
    facts.notUtf8 = { encoding, text, line: 0 };
  };
  const options = { ...limits, begin, noteEncoding, header };
  for await (const { rows, lastLine, text } of readRows(source, options)) {
    let readings: Slice['readings'] = [];
    for (const row of rows) {
      if ('unreadable' in row) {
        readings.push(unreadable(row.text, row.line, row.why));
        continue;
      }
      reader ??= makeReader(firstOfAny(rows, declared) ?? row, declared, found, limits);
      const other = row.names.isTable ? null : otherFormat(row, reader);
      if (other !== null) {
        const why = `its fields have format ${other}, but the rows before it do not: ${SAY_IT}`;
        readings.push(unreadable(row.text, row.line, why));
        continue;
      }
      const { document } = reader.format;
      if (document === undefined || !Array.isArray(cellOf(row, document.rows))) {
        readings.push(reader.read(row));
        continue;
      }
      const { read } = reader;
      for await (const some of inSlices(rowsWithin(row, document, reader.sharedBy(row)))) {
        yield { readings: [...readings, ...some.map(read)], lastLine, text: 0 };
        readings = [];
      }
    }
    yield { readings, lastLine, text };
  }
}

const NO_ROW: Row = { names: makeColumns([], ','), cells: [], text: '', line: 0 };

/**
 * The first of the first rows that is recognized: rows of airquality.am lack `pm2.5_corrected`
 * where there is none.
 */
function firstOfAny(rows: Rows['rows'], { name }: Declarations): Row | undefined {
  const all = rows.filter((row): row is Row => !('unreadable' in row));
  return all.find((row) => !isOwn(chooseFormat(name, row)));
}

const SAY_IT = 'send it by itself, or say the format for all (--format, or POST /v1/push/FORMAT)';

const noParameter = (
  name: string,
  { ignored }: SourceFacts,
  { say = COMMAND_LINE }: Declarations,
) =>
  new InputError(
    name,
    `no known parameter; found ${[...ignored.keys()].slice(0, 5).join(', ')}`,
    `Say which is which with ${say.option('column')}, as in ${say.option('column', 'pm25=NAME')}.`,
  );
