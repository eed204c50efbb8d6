/** POST /v1/readings: a batch of readings with sensor ids, as a JSON array, one JSON object or NDJSON. */
import type { RequestHandler } from 'express';
import { Problem } from '../http/send.ts';
import { type Element, isObject, ndjsonReader, readingOf, splitElements, unreadable } from '../ingest/formats/json.ts';
import { EXCERPT_LENGTH, inTurns, LONGEST_LINE, splitLines } from '../ingest/formats/lines.ts';
import type { ReadingInput } from '../ingest/validate.ts';
import { bodyOf, type IngestDeps, ingestBatch, notJson, readBody } from './ingestBatch.ts';

const JSON_TYPES = ['application/json'];
const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'text/plain'];
/** In bytes, unpacked. */
const LARGEST_BODY = 8 * 1024 * 1024;
const MOST_READINGS = 5_000;

/** The handlers of the route, to come after authentication. */
export function makeReadingsRoute({ writes, clock, metrics, bodyMs }: IngestDeps): RequestHandler[] {
  return [
    readBody({ limit: LARGEST_BODY, timeMs: bodyMs, types: [...JSON_TYPES, ...LINE_TYPES] }),
    async (req, res) => {
      const body = bodyOf(req);
      const readings = req.is(JSON_TYPES) ? await fromArray(body) : await fromLines(body);
      if (readings.length > 0 && readings.every((reading) => reading.unreadable)) {
        throw new Problem(400, 'Nothing in the body is a reading: each is one JSON object. Nothing was stored.');
      }
      await ingestBatch(req, res, { writes, metrics, readings, now: clock() });
    },
  ];
}

async function fromArray(body: Buffer): Promise<ReadingInput[]> {
  const readings: ReadingInput[] = [];
  try {
    for await (const elements of splitElements(inTurns([body]))) {
      for (const element of elements) readings.push(readElement(element, readings.length + 1));
      if (readings.length > MOST_READINGS) throw tooMany();
    }
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error.message) : error;
  }
  return readings;
}

/** Throws SyntaxError for an element that is no JSON, and Problem for a document that is no reading. */
function readElement({ text, unparsable, alone }: Element, line: number): ReadingInput {
  if (unparsable) return unreadable(text, line);
  const item: unknown = JSON.parse(text);
  if (alone && !isObject(item)) {
    throw new Problem(400, 'The body is neither an array of readings nor a reading. Nothing was stored.');
  }
  const written = JSON.stringify(item); // on one line, for the quarantine
  return written.length > LONGEST_LINE
    ? unreadable(text.slice(0, EXCERPT_LENGTH), line)
    : readingOf(item, written, line);
}

async function fromLines(body: Buffer): Promise<ReadingInput[]> {
  const reader = ndjsonReader();
  const readings: ReadingInput[] = [];
  for await (const lines of splitLines(inTurns([body]))) {
    for (const line of lines) readings.push(reader.read(line));
    if (readings.length > MOST_READINGS) throw tooMany();
  }
  if (readings.length === 0) throw new Problem(400, 'The body has no line.');
  return readings;
}

function tooMany(): Problem {
  return new Problem(413, `The body has more than ${MOST_READINGS} readings. None was stored; send them in parts.`);
}
