/** POST /v1/readings: a batch of readings with sensor ids, as a JSON array, one JSON object, NDJSON, or CSV with a header. */
import type { RequestHandler } from 'express';
import { Problem } from '../http/send.ts';
import { isPortalFile } from '../ingest/formats/airqualityAm.ts';
import { csvReader } from '../ingest/formats/csv.ts';
import { type Element, isObject, ndjsonReader, readingOf, splitElements, unreadable } from '../ingest/formats/json.ts';
import {
  EXCERPT_LENGTH,
  inTurns,
  type Line,
  type LineReader,
  LONGEST_LINE,
  splitLines,
} from '../ingest/formats/lines.ts';
import type { ReadingBatch } from '../ingest/formats/readings.ts';
import { refuseOtherKinds } from '../ingest/formats/recognize.ts';
import type { ReadingInput } from '../ingest/validate.ts';
import { InputError } from '../inputError.ts';
import { notJson } from './body.ts';
import { type IngestDeps, ingestRoute } from './ingestRoute.ts';

const JSON_TYPES = ['application/json'];
const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'text/plain'];
const CSV_TYPES = ['text/csv'];
/** In bytes, unpacked. */
const LARGEST_BODY = 8 * 1024 * 1024;
const MOST_READINGS = 5_000;

/** The handlers of the route, to come after authentication. */
export function makeReadingsRoute(deps: IngestDeps): RequestHandler[] {
  const limits = { limit: LARGEST_BODY, types: [...JSON_TYPES, ...LINE_TYPES, ...CSV_TYPES] };
  return ingestRoute(deps, limits, async (body, req) => {
    const isCsv = req.is(CSV_TYPES) !== false;
    const reading = req.is(JSON_TYPES) ? fromArray(body) : fromLines(body, isCsv);
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

async function fromArray(body: Buffer): Promise<ReadingBatch> {
  const readings: ReadingInput[] = [];
  const ignored = new Set<string>();
  for await (const elements of splitElements(inTurns([body]))) {
    for (const element of elements) readings.push(readElement(element, readings.length + 1, ignored));
    checkNumber(readings);
  }
  return { readings, ignored };
}

/** Throws SyntaxError for an element that is no JSON, and Problem for a document that is no reading. */
function readElement({ text, unparsable, alone }: Element, line: number, ignored: Set<string>): ReadingInput {
  if (unparsable) return unreadable(text, line);
  const item: unknown = JSON.parse(text);
  if (alone && !isObject(item)) {
    throw new Problem(400, 'The body is neither an array of readings nor a reading. Nothing was stored.');
  }
  const written = JSON.stringify(item); // on one line, for the quarantine
  return written.length > LONGEST_LINE
    ? unreadable(text.slice(0, EXCERPT_LENGTH), line)
    : readingOf(item, written, line, ignored);
}

/** NDJSON, or CSV whose first line is the header. Rejects with InputError for a header that cannot be used. */
async function fromLines(body: Buffer, isCsv: boolean): Promise<ReadingBatch> {
  if (isCsv) refuseOtherKinds(body, 'The body');
  let reader = isCsv ? undefined : ndjsonReader();
  const readings: ReadingInput[] = [];
  for await (const lines of splitLines(inTurns([body]))) {
    for (const line of lines) {
      if (reader !== undefined) readings.push(reader.read(line));
      else reader = headerReader(line);
    }
    checkNumber(readings);
  }
  if (reader === undefined || (readings.length === 0 && !isCsv)) throw new Problem(400, 'The body has no line.');
  return { readings, ignored: reader.ignored };
}

function headerReader({ text, number }: Line): LineReader {
  const position = `The body, line ${number}`;
  // their pm2.5 is a raw value, which it is nowhere else
  if (isPortalFile(text))
    throw new InputError(position, 'this is open data of airquality.am', 'Import the file instead.');
  return csvReader(text, position);
}

function checkNumber({ length }: readonly ReadingInput[]): void {
  if (length <= MOST_READINGS) return;
  throw new Problem(413, `The body has more than ${MOST_READINGS} readings. None was stored; send them in parts.`);
}
