/**
 * POST /v1/readings and /v1/push/FORMAT: readings as a JSON array, a JSON document, NDJSON, or CSV with a header; on the first path in any
 * layout, on the others in the one they name.
 */
import type { RequestHandler } from 'express';
import { Problem } from '../http/send.ts';
import { csvReader } from '../ingest/formats/csv.ts';
import type { Format } from '../ingest/formats/fields.ts';
import { type Element, isObject, splitElements, unreadable } from '../ingest/formats/json.ts';
import { EXCERPT_LENGTH, inTurns, type LineReader, LONGEST_LINE, splitLines } from '../ingest/formats/lines.ts';
import { makeMerger } from '../ingest/formats/long.ts';
import type { ReadingBatch } from '../ingest/formats/readings.ts';
import { refuseOtherKinds } from '../ingest/formats/recognize.ts';
import { type RowReader, rowReader } from '../ingest/formats/rows.ts';
import type { ReadingInput } from '../ingest/validate.ts';
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
    const isCsv = req.is(CSV_TYPES) !== false;
    const format = declaredFormat(req, name, now);
    const reading = req.is(JSON_TYPES) ? fromArray(body, format) : fromLines(body, isCsv, format);
    const batch = await reading.catch((error: unknown) => {
      if (error instanceof SyntaxError) throw notJson(error.message);
      throw error instanceof InputError ? new Problem(400, `${error.message} Nothing was stored.`) : error;
    });
    const { readings } = batch;
    if (readings.length > 0 && readings.every(({ unreadable }) => unreadable)) {
      const what = isCsv ? `of the first, ${readings[0]?.why}` : 'each is one JSON object';
      throw new Problem(400, `Nothing in the body is a reading: ${what}. Nothing was stored.`);
    }
    return batch;
  });
}

/** Rows of one parameter become readings. Throws Problem for too many. */
function batchOf(readings: ReadingInput[], reading: LineReader): ReadingBatch {
  if (!reading.isLong) return { readings, reading };
  const merger = makeMerger('The body');
  readings.forEach(merger.add);
  return { readings: merger.take(), reading };
}

async function fromArray(body: Buffer, format: Format): Promise<ReadingBatch> {
  const readings: ReadingInput[] = [];
  const reader = rowReader(format);
  let count = 0;
  for await (const elements of splitElements(inTurns([body]), LARGEST_OBJECT)) {
    for (const element of elements) readings.push(...readElement(element, ++count, reader));
    checkNumber(readings);
  }
  return batchOf(readings, reader);
}

/** Throws SyntaxError for an element that is no JSON, and Problem for a document that is no reading. */
function readElement({ text, unparsable, alone }: Element, line: number, reader: RowReader): ReadingInput[] {
  if (unparsable) return [unreadable(text, line)];
  const item: unknown = JSON.parse(text);
  if (alone && !isObject(item)) {
    throw new Problem(400, 'The body is neither an array of readings nor a reading. Nothing was stored.');
  }
  const written = JSON.stringify(item); // on one line, for the quarantine
  const read = reader.readValue(item, written, line);
  return read.map((one) => (one.text.length > LONGEST_LINE ? unreadable(text.slice(0, EXCERPT_LENGTH), line) : one));
}

/** NDJSON, or CSV whose first line is the header. Rejects with InputError for a header that cannot be used. */
async function fromLines(body: Buffer, isCsv: boolean, format: Format): Promise<ReadingBatch> {
  if (isCsv) refuseOtherKinds(body, 'The body');
  let reader: LineReader | undefined = isCsv ? undefined : rowReader(format);
  const readings: ReadingInput[] = [];
  let lines = 0;
  for await (const some of splitLines(inTurns([body]))) {
    for (const line of some) {
      lines += 1;
      if (reader === undefined) reader = csvReader(line.text, `The body, line ${line.number}`, format);
      else readings.push(...[reader.read(line) ?? []].flat());
    }
    checkNumber(readings);
  }
  if (reader === undefined || lines === 0) throw new Problem(400, 'The body has no line.');
  return batchOf(readings, reader);
}

function checkNumber({ length }: readonly ReadingInput[]): void {
  if (length <= MOST_READINGS) return;
  throw new Problem(413, `The body has more than ${MOST_READINGS} readings. None was stored; send them in parts.`);
}
