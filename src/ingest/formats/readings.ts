/** Reads a source in batches of readings, each when it is asked for, so memory stays constant. */
import { InputError } from '../../base/inputError.ts';
import { csvReader } from './csv.ts';
import type { Format } from './fields.ts';
import { splitElements } from './json.ts';
import {
  inSlices,
  type Line,
  type LineReader,
  LONGEST_LINE,
  type SourceNotes,
  splitLines,
} from './lines.ts';
import { makeMerger } from './long.ts';
import type { ReadingInput } from './reading.ts';
import { unreadable } from './reading.ts';
import { refuseOtherKinds } from './recognize.ts';
import { rowReader } from './rows.ts';
import { peek, type Source } from './source.ts';

/** Readings, and what is known of their source. */
export type ReadingBatch = { readings: ReadingInput[]; notes: SourceNotes };

const BATCH = 10_000;
/** In characters: long lines fill a batch earlier. */
const BATCH_TEXT = 4_000_000;

/**
 * Yields batches of up to 10,000 readings; where a row has one parameter, all are read before the first batch. When reading fails,
 * everything before the failure is yielded first; then it rejects with InputError, which names the file and line. `largest`: of a document
 * that is one object, in bytes; it is parsed in one turn of the event loop.
 */
export async function* readReadings(
  source: Source,
  format: Format = {},
  largest = LARGEST_DOCUMENT,
): AsyncGenerator<ReadingBatch> {
  let notes: SourceNotes | undefined;
  let readings: ReadingInput[] = [];
  let text = 0;
  let lastLine = 0;
  let failure: InputError | undefined;
  const merger = makeMerger(source.name);
  const isFull = () => readings.length >= BATCH || text >= BATCH_TEXT;
  try {
    for await (const some of readSource(source, format, largest)) {
      ({ notes, lastLine } = some);
      const add = notes.isLong ? merger.add : (one: ReadingInput) => readings.push(one);
      for (const one of some.readings) if (one !== undefined) add(one);
      text += some.text;
      while (isFull() && notes !== undefined) {
        yield { readings: readings.slice(0, BATCH), notes };
        readings = readings.slice(BATCH);
        text = 0;
      }
    }
    if (notes === undefined)
      throw new InputError(source.name, 'the file is empty', HEADER_OR_OBJECTS);
  } catch (error) {
    failure =
      error instanceof InputError ? error : brokenOff(source.name, lastLine, error as Error);
  }
  for await (const some of inSlices(merger.take())) for (const one of some) readings.push(one);
  if (notes?.isLong && readings.length === 0 && notes.ignored.size > 0)
    failure ??= noParameter(source.name, notes);
  for (let from = 0; notes !== undefined && from < readings.length; from += BATCH) {
    yield { readings: readings.slice(from, from + BATCH), notes };
  }
  if (failure !== undefined) throw failure;
}

const brokenOff = (name: string, lastLine: number, { message }: Error) =>
  new InputError(
    `${name}, after line ${lastLine}`,
    message,
    'The lines before were imported; get a new copy of the file and import it again.',
  );

const noParameter = (name: string, { ignored }: SourceNotes) =>
  new InputError(
    name,
    `no row of it has a parameter of ours, but ${[...ignored].slice(0, 5).join(', ')}`,
    'Say which is which with --column, as in --column pm25=NAME.',
  );

/** The rows of one chunk of a source, undefined for those without a parameter of ours; `text`: how many characters they took. */
type Some = {
  readings: (ReadingInput | undefined)[];
  notes: SourceNotes;
  lastLine: number;
  text: number;
};

/** Rejects with InputError at once for what is no text. */
async function* readSource(
  { bytes, name }: Source,
  format: Format,
  largest: number,
): AsyncGenerator<Some> {
  const { start, all } = await peek(
    bytes,
    (begun) => begun.length > LONGEST_LINE || begun.includes('\n'),
  );
  if (start.length > 0) refuseOtherKinds(start, name);
  yield* isDocument(start)
    ? readDocument(all, name, format, largest)
    : readLines(all, name, format);
}

/** Reads CSV, or objects a line; by default the first line says which. Rejects with InputError for a header that cannot be used. */
export async function* readLines(
  bytes: AsyncIterable<Buffer>,
  name: string,
  format: Format,
  kind?: 'csv' | 'objects',
): AsyncGenerator<Some> {
  let reader: LineReader | undefined;
  for await (const lines of splitLines(bytes)) {
    const readings: Some['readings'] = [];
    let text = 0;
    for (const line of lines) {
      if (reader === undefined) {
        if (line.text === PREAMBLE) continue;
        const isCsv = (kind ?? (line.text.startsWith('{') ? 'objects' : 'csv')) === 'csv';
        reader = isCsv ? readHeader(line, name, format) : rowReader(format, lines);
        if (isCsv) continue;
      }
      const read = reader.read(line);
      text += line.text.length;
      if (read === undefined || !(Symbol.iterator in read)) readings.push(read);
      else for await (const rows of inSlices(read)) readings.push(...rows);
    }
    if (reader !== undefined)
      yield { readings, notes: reader.notes, lastLine: lines.at(-1)?.number ?? 0, text };
  }
}

function readHeader({ number, text, tooLong }: Line, name: string, format: Format): LineReader {
  const position = `${name}:${number}`;
  if (tooLong)
    throw new InputError(position, 'the first line is too long for a header', HEADER_OR_OBJECTS);
  return csvReader(text, position, format);
}

/** Newer files of airquality.am begin with psql's reply to `set time zone`. */
const PREAMBLE = 'SET';

/** In bytes, of a document that is one object. */
const LARGEST_DOCUMENT = 64 * 1_048_576;

/**
 * Reads a JSON array element by element, or one object with the rows in it, of up to `largest` bytes. Rejects with InputError, whose cause
 * is a SyntaxError for what is no JSON.
 */
export async function* readDocument(
  bytes: AsyncIterable<Buffer>,
  name: string,
  format: Format,
  largest: number,
): AsyncGenerator<Some> {
  let reader = rowReader(format);
  let count = 0;
  try {
    for await (const elements of splitElements(bytes, largest)) {
      if (count === 0) reader = rowReader(format, elements);
      const readings: Some['readings'] = [];
      let characters = 0;
      for (const { text, unparsable, alone } of elements) {
        count += 1;
        characters += text.length;
        if (unparsable !== undefined && alone) {
          throw new InputError(
            name,
            `this is one JSON document, and ${unparsable}`,
            "Make it one object a line, with jq: jq -c '.results[]' OLD > NEW.",
          );
        }
        if (unparsable !== undefined) {
          readings.push(unreadable(text, count, unparsable));
          continue;
        }
        const value: unknown = JSON.parse(text);
        const written = text.length > LONGEST_LINE ? text : JSON.stringify(value); // on one line, for the quarantine
        const read = reader.readValue(value, written, count);
        if (read === undefined || !(Symbol.iterator in read)) readings.push(read);
        else
          for await (const rows of inSlices(read)) {
            readings.push(...rows);
            yield { readings: readings.splice(0), notes: reader.notes, lastLine: count, text: 0 };
          }
      }
      yield { readings, notes: reader.notes, lastLine: count, text: characters };
    }
    yield { readings: [], notes: reader.notes, lastLine: count, text: 0 }; // an empty array is no empty file
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const problem = `this is no valid JSON (${error.message})`;
    throw Object.assign(
      new InputError(`${name}, after element ${count}`, problem, HEADER_OR_OBJECTS),
      {
        cause: error,
      },
    );
  }
}

/** True if this is the beginning of one JSON document, rather than of an object a line or CSV. */
function isDocument(start: Buffer): boolean {
  const [line = '', more] = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .split('\n', 2);
  if (line.startsWith('[')) return true;
  return (
    line.startsWith('{') &&
    ('{[,:'.includes(line.trimEnd().at(-1) ?? '') ||
      (more === undefined && start.length > LONGEST_LINE))
  );
}

const HEADER_OR_OBJECTS = 'Needed is CSV with a header line, or one JSON object a line.';
