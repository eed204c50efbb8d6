/** POST /v1/readings: a batch of readings with our sensors' numbers, as a JSON array (or one object) or as NDJSON. */
import type { RequestHandler } from 'express';
import { Problem } from '../http/send.ts';
import type { ReadingInput } from '../ingest/batch.ts';
import { type Element, isObject, ndjsonReader, readingOf, splitElements, unreadable } from '../ingest/formats/json.ts';
import { LONGEST_LINE, splitLines } from '../ingest/formats/lines.ts';
import { inTurns } from '../ingest/formats/turns.ts';
import { bodyOf, type IngestDeps, ingestBatch, notJson, readBody } from './ingestBatch.ts';

const JSON_TYPES = ['application/json'];
const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'text/plain'];
const LARGEST_BODY = 8 * 1024 * 1024;
const MOST_READINGS = 5_000;

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

/** Throws SyntaxError. */
function readElement({ text, unparsable, alone }: Element, line: number): ReadingInput {
  if (unparsable) return unreadable(text, line);
  const item: unknown = JSON.parse(text);
  if (alone && !isObject(item)) {
    throw new Problem(400, 'The body is neither an array of readings nor a reading. Nothing was stored.');
  }
  const written = JSON.stringify(item); // on one line, for the quarantine
  return written.length > LONGEST_LINE ? unreadable(text.slice(0, KEPT), line) : readingOf(item, written, line);
}

/** What is kept of a reading that is too long to be one. */
const KEPT = 2_000;

async function fromLines(body: Buffer): Promise<ReadingInput[]> {
  const reader = ndjsonReader();
  const readings: ReadingInput[] = [];
  for await (const lines of splitLines(inTurns([body]))) {
    for (const line of lines) readings.push(reader.read(line));
    if (readings.length > MOST_READINGS) throw tooMany();
  }
  if (readings.length === 0) throw new Problem(400, 'The body holds no line.');
  return readings;
}

function tooMany(): Problem {
  return new Problem(413, `These are more than ${MOST_READINGS} readings. None was stored; send them in parts.`);
}
