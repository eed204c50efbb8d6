/**
 * POST /v1/readings and /v1/push/FORMAT: readings as a JSON array, a JSON document, NDJSON, or CSV with a header; on the first path in any
 * layout, on the others in the one they name.
 */
import type { RequestHandler } from 'express';
import { Problem } from '../http/send.ts';
import { csvReader } from '../ingest/formats/csv.ts';
import type { Format } from '../ingest/formats/fields.ts';
import { type Element, isObject, splitElements } from '../ingest/formats/json.ts';
import {
  EXCERPT_LENGTH,
  inSlices,
  inTurns,
  type LineReader,
  LONGEST_LINE,
  type Read,
  splitLines,
  yieldToEventLoop,
} from '../ingest/formats/lines.ts';
import { makeMerger } from '../ingest/formats/long.ts';
import type { ReadingInput } from '../ingest/formats/reading.ts';
import { unreadable } from '../ingest/formats/reading.ts';
import type { ReadingBatch } from '../ingest/formats/readings.ts';
import { refuseOtherKinds } from '../ingest/formats/recognize.ts';
import { type RowReader, rowReader } from '../ingest/formats/rows.ts';
import { InputError } from '../inputError.ts';
import { notJson } from './body.ts';
import { declaredFormat } from './format.ts';
import { type IngestDeps, ingestRoute } from './ingestRoute.ts';

const JSON_TYPES = ['application/json'];
const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'text/plain'];
const CSV_TYPES = ['text/csv'];
/** In bytes, unpacked. */
const LARGEST_BODY = 8 * 1024 * 1024;
/** Of a body that is one object, which is parsed in one turn of the event loop. */
const LARGEST_OBJECT = 512 * 1024;
/** Of what a device or a webhook sends by itself, in bytes. */
const LARGEST_PUSH = 64 * 1024;
const MOST_READINGS = 5_000;

/** The handlers of the route, to come after authentication. `name`: of the layout; undefined: it is recognized. */
export function makeReadingsRoute(deps: IngestDeps, name?: string): RequestHandler[] {
  const limits = {
    limit: name === undefined ? LARGEST_BODY : LARGEST_PUSH,
    types: [...JSON_TYPES, ...LINE_TYPES, ...CSV_TYPES],
  };
  return ingestRoute(deps, limits, async (body, req, { now }) => {
    return await readBatch(body, String(req.is(limits.types)), declaredFormat(req, name, now));
  });
}

/** The readings of a body of a content type. Rejects with Problem for one that cannot be read, has too many, or none that is a reading. */
export async function readBatch(body: Buffer, type: string, format: Format): Promise<ReadingBatch> {
  const isCsv = CSV_TYPES.includes(type);
  const reading = JSON_TYPES.includes(type) ? fromArray(body, format) : fromLines(body, isCsv, format);
  const batch = await reading.catch((error: unknown) => {
    if (error instanceof SyntaxError) throw notJson(error.message);
    throw error instanceof InputError ? new Problem(400, `${error.message} Nothing was stored.`) : error;
  });
  const { readings } = batch;
  if (readings.length > 0 && readings.every(({ unreadable }) => unreadable)) {
    const why = readings[0]?.why;
    const what = why === undefined ? 'each is one JSON object' : `of the first, ${why}`;
    throw new Problem(400, `Nothing in the body is a reading: ${what}. Nothing was stored.`);
  }
  return batch;
}

/** Rows read in one turn of the event loop. */
const TURN = 250;

/** Collects the readings of a body. */
function makeBatch() {
  const readings: ReadingInput[] = [];
  let [reads, rows, characters] = [0, 0, 0];
  const take = (one: ReadingInput | undefined) => {
    rows += 1;
    characters += one?.text.length ?? 0;
    if (rows > MOST_READINGS) throw tooMuch(`more than ${MOST_READINGS} readings`);
    if (characters > LARGEST_BODY)
      throw tooMuch(`readings that take more than ${LARGEST_BODY / 1_048_576} MiB, each by itself`);
    if (one === undefined) return;
    readings.push(
      one.text.length > LONGEST_LINE
        ? unreadable(one.text.slice(0, EXCERPT_LENGTH), one.line ?? 1, `it is longer than ${LONGEST_LINE / 1_024} KiB`)
        : one,
    );
  };
  return {
    /** Rejects with Problem for too many; the rows of a document are counted before they are read. */
    async add(read: Read): Promise<void> {
      reads += 1;
      if (reads % TURN === 0) await yieldToEventLoop();
      if (read === undefined) return;
      if (!(Symbol.iterator in read)) take(read);
      else for await (const some of inSlices(read)) some.forEach(take);
    },
    /** Rows of one parameter become readings. */
    async end(notes: LineReader): Promise<ReadingBatch> {
      if (!notes.isLong) return { readings, notes };
      const merger = makeMerger('The body');
      readings.forEach(merger.add);
      const all: ReadingInput[] = [];
      for await (const some of inSlices(merger.take())) for (const one of some) all.push(one);
      return { readings: all, notes };
    },
  };
}

const tooMuch = (what: string) => new Problem(413, `The body has ${what}. None was stored; send them in parts.`);

async function fromArray(body: Buffer, format: Format): Promise<ReadingBatch> {
  const batch = makeBatch();
  let reader = rowReader(format);
  let count = 0;
  for await (const elements of splitElements(inTurns([body]), LARGEST_OBJECT)) {
    if (count === 0) reader = rowReader(format, elements);
    for (const element of elements) {
      count += 1;
      await batch.add(readElement(element, count, reader));
    }
  }
  return await batch.end(reader);
}

/** Throws SyntaxError for an element that is no JSON, and Problem for a document that is no reading. */
function readElement({ text, unparsable, alone }: Element, line: number, reader: RowReader): Read {
  if (unparsable !== undefined) return unreadable(text, line, unparsable);
  const item: unknown = JSON.parse(text);
  if (alone && !isObject(item)) {
    throw new Problem(400, 'The body is neither an array of readings nor a reading. Nothing was stored.');
  }
  const written = text.length > LONGEST_LINE ? text : JSON.stringify(item); // on one line, for the quarantine
  return reader.readValue(item, written, line);
}

/** NDJSON, or CSV whose first line is the header. Rejects with InputError for a header that cannot be used. */
async function fromLines(body: Buffer, isCsv: boolean, format: Format): Promise<ReadingBatch> {
  if (isCsv) refuseOtherKinds(body, 'The body');
  let reader: LineReader | undefined;
  const batch = makeBatch();
  let lines = 0;
  for await (const some of splitLines(inTurns([body]))) {
    if (!isCsv && some.length > 0) reader ??= rowReader(format, some);
    for (const line of some) {
      lines += 1;
      if (reader === undefined) reader = csvReader(line.text, `The body, line ${line.number}`, format);
      else await batch.add(reader.read(line));
    }
  }
  if (reader === undefined || lines === 0) throw new Problem(400, 'The body has no line.');
  return await batch.end(reader);
}
