/**
 * Collects the readings of a source, a file, a push or a polled document, in batches, each when it
 * is asked for, so memory stays constant. Rows of one parameter each are merged: their readings
 * come at the end.
 */
import { InputError } from '../../base/inputError.ts';
import { chooseFormat, isOwn } from '../formats/formats.ts';
import type { Header } from '../rows/csv.ts';
import { EXCERPT_LENGTH, inSlices, LONGEST_LINE } from '../rows/lines.ts';
import { cellOf, makeColumns, makeObjectReader, type Names, type Row } from '../rows/row.ts';
import {
  HEADER_OR_OBJECTS,
  type RowOptions,
  type Rows,
  readRows,
  rowOfObject,
  rowsWithin,
} from '../rows/rows.ts';
import type { Source } from '../rows/source.ts';
import type { Declarations } from './declarations.ts';
import { type Findings, makeFindings } from './doubts.ts';
import type { SourceFacts } from './facts.ts';
import { makeMerger } from './merge.ts';
import { makeReader, type Reader } from './reader.ts';
import { type ReadingInput, unreadable } from './reading.ts';
import { COMMAND_LINE } from './vocabulary.ts';

/** Readings, and what was found out about their source until then. */
export type ReadingBatch = { readings: ReadingInput[]; found: Findings };

export type Limits = Pick<RowOptions, 'kind' | 'largestObject'> & {
  /** Readings in a batch, and characters of their texts: long lines fill one earlier. */
  batch: number;
  batchText: number;
  /**
   * Bounds on a source as a whole, and the error for one beyond them; undefined: there are none.
   */
  most?: { rows: number; text: number; refuse(what: string): Error };
  /** False: readings are not compared here, because some are not the caller's own. */
  compares?: false;
};

/** A file may have any size. */
export const FILE_LIMITS: Limits = {
  largestObject: 64 * 1_048_576,
  batch: 10_000,
  batchText: 4_000_000,
};

/**
 * Yields at least one batch, unless the source has no line. When reading fails, everything before
 * the failure is yielded first; then it rejects with InputError, which names the source and the
 * line, whose cause is a SyntaxError for invalid JSON; or at once with what `refuse` makes.
 */
export async function* readReadings(
  source: Source,
  declared: Declarations = {},
  limits: Limits = FILE_LIMITS,
): AsyncGenerator<ReadingBatch> {
  const { batch, batchText, most } = limits;
  const found = makeFindings();
  const { facts, doubts } = found;
  const merger = makeMerger(source.name);
  let readings: ReadingInput[] = [];
  const size = { rows: 0, text: 0 };
  let batchSize = 0;
  let failure: unknown;
  let lastLine: number | undefined;
  const add = (one: ReadingInput | undefined) => {
    size.rows += 1;
    if (most !== undefined && size.rows > most.rows)
      throw most.refuse(`more than ${most.rows} readings`);
    if (one === undefined) return;
    facts.rows += 1;
    size.text += one.text.length;
    if (most !== undefined && size.text > most.text)
      throw most.refuse(
        `readings that take more than ${most.text / 1_048_576} MiB, each by itself`,
      );
    const reading = one.text.length > LONGEST_LINE ? shortened(one) : one;
    if (limits.compares !== false) doubts.compare(reading, facts.isLong, facts.ignored);
    if (facts.isLong) merger.add(reading);
    else readings.push(reading);
  };
  const all = readAll(source, declared, limits, found);
  for (;;) {
    const next = await all.next().catch((error: unknown) => {
      failure = error instanceof InputError ? error : brokenOff(source.name, lastLine, error);
    });
    if (next === undefined || next.done === true) break;
    lastLine = next.value.lastLine;
    try {
      for (const one of next.value.readings) add(one);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      failure = error;
      break;
    }
    batchSize += next.value.text;
    while (readings.length >= batch || (readings.length > 0 && batchSize >= batchText)) {
      yield { readings: readings.slice(0, batch), found };
      readings = readings.slice(batch);
      batchSize = 0;
    }
  }
  for await (const some of inSlices(merger.take())) for (const one of some) readings.push(one);
  if (facts.isLong && most === undefined && readings.length === 0 && facts.ignored.size > 0)
    failure ??= noParameter(source.name, facts, declared);
  if (lastLine === undefined && most === undefined)
    failure ??= new InputError(source.name, 'the file is empty', HEADER_OR_OBJECTS);
  for (let from = 0; from < Math.max(readings.length, lastLine === undefined ? 0 : 1); ) {
    yield { readings: readings.slice(from, from + batch), found };
    from += batch;
  }
  if (failure !== undefined) throw failure;
}

/** The reading of a line by itself, an object in any format; undefined if it is none. */
export function readLine(text: string): ReadingInput | undefined {
  const row = rowOfObject({ number: 1, text }, makeObjectReader());
  if ('unreadable' in row) return unreadable(text, 1, row.why);
  return makeReader(row, {}, makeFindings()).read(row);
}

/** Throws InputError for declarations that cannot be followed, whatever the source. */
export function checkDeclarations(declared: Declarations): void {
  makeReader(NO_ROW, declared, makeFindings());
}

type Slice = { readings: (ReadingInput | undefined)[]; lastLine: number; text: number };

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
  const begin = (header: Header, position: string, linesBefore: number) => {
    const next = makeReader(header, declared, found);
    next.begin(header, position);
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
  for await (const { rows, lastLine, text } of readRows(source, { ...limits, begin })) {
    let readings: Slice['readings'] = [];
    for (const row of rows) {
      if ('unreadable' in row) {
        readings.push(unreadable(row.text, row.line, row.why));
        continue;
      }
      reader ??= makeReader(firstOfAny(rows, declared) ?? row, declared, found);
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

const shortened = (reading: ReadingInput): ReadingInput =>
  unreadable(
    reading.text.slice(0, EXCERPT_LENGTH),
    reading.line ?? 1,
    reading.unreadable ? reading.why : `it is longer than ${LONGEST_LINE / 1_024} KiB`,
  );

const brokenOff = (name: string, lastLine: number | undefined, error: unknown) =>
  new InputError(
    `${name}, after line ${lastLine ?? 0}`,
    (error as Error).message,
    'The lines before were imported; get a new copy of the file and import it again.',
  );

const noParameter = (
  name: string,
  { ignored }: SourceFacts,
  { say = COMMAND_LINE }: Declarations,
) =>
  new InputError(
    name,
    `no known parameter; found ${[...ignored].slice(0, 5).join(', ')}`,
    `Say which is which with ${say.option('column')}, as in ${say.option('column', 'pm25=NAME')}.`,
  );
