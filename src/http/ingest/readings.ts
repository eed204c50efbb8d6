/** POST /v1/readings: a batch of readings with our sensors' numbers, as a JSON array (or one object) or as NDJSON. */
import type { RequestHandler } from 'express';
import type { Incoming } from '../../ingest/batch.ts';
import { LONGEST_LINE, splitLines } from '../../ingest/formats/lines.ts';
import { ndjsonReader } from '../../ingest/formats/ndjson.ts';
import { isObject, readingOf, unreadable } from '../../ingest/formats/object.ts';
import { Problem } from '../problem.ts';
import { bodyOf, parseJson, readBody } from './body.ts';
import { type Intake, takeIn } from './takeIn.ts';

const JSON_TYPES = ['application/json'];
const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'text/plain'];
const LARGEST_BODY = 8 * 1024 * 1024;
const MOST_READINGS = 5_000;

export function makeReadingsRoute({ writes, clock, metrics }: Intake): RequestHandler[] {
  return [
    readBody({ limit: LARGEST_BODY, types: [...JSON_TYPES, ...LINE_TYPES] }),
    async (req, res) => {
      const body = bodyOf(req);
      const readings = req.is(JSON_TYPES) ? fromArray(parseJson(body)) : await fromLines(body);
      if (readings.length > 0 && readings.every((reading) => reading.unreadable)) {
        throw new Problem(400, 'Nothing in the body is a reading: each is one JSON object. Nothing was stored.');
      }
      await takeIn(req, res, { writes, metrics, readings, now: clock() });
    },
  ];
}

function fromArray(value: unknown): Incoming[] {
  if (!Array.isArray(value) && !isObject(value)) {
    throw new Problem(400, 'The body is neither an array of readings nor a reading. Nothing was stored.');
  }
  const items: unknown[] = Array.isArray(value) ? value : [value];
  if (items.length > MOST_READINGS) throw tooMany();
  return items.map((item, index) => {
    const text = textOf(item);
    if (text === undefined) return unreadable('nested too deeply', index + 1);
    return text.length > LONGEST_LINE ? unreadable(text.slice(0, KEPT), index + 1) : readingOf(item, text, index + 1);
  });
}

/** What is kept of a reading that is too long to be one. */
const KEPT = 2_000;

/** On one line, for the quarantine. Undefined: it is nested so deeply that it cannot be written down. */
function textOf(item: unknown): string | undefined {
  try {
    return JSON.stringify(item);
  } catch {
    return undefined;
  }
}

async function fromLines(body: Buffer): Promise<Incoming[]> {
  const reader = ndjsonReader();
  const readings: Incoming[] = [];
  for await (const lines of splitLines(pieces(body))) {
    for (const line of lines) readings.push(reader.read(line));
    if (readings.length > MOST_READINGS) throw tooMany();
  }
  if (readings.length === 0) throw new Problem(400, 'The body holds no line.');
  return readings;
}

/** A body of nothing but tiny lines is found out in its first piece. */
async function* pieces(body: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < body.length; start += 65_536) yield body.subarray(start, start + 65_536);
}

function tooMany(): Problem {
  return new Problem(413, `These are more than ${MOST_READINGS} readings. None was stored; send them in parts.`);
}
