/**
 * POST /v1/readings and /v1/push/FORMAT: readings as a JSON array, a JSON document, NDJSON, or CSV with a header; on the first path in any
 * layout, on the others in the one they name.
 */
import type { Request, RequestHandler } from 'express';
import { InputError } from '../../base/inputError.ts';
import { Problem, quoted } from '../../http/send.ts';
import type { Format } from '../formats/fields.ts';
import {
  EXCERPT_LENGTH,
  inSlices,
  inTurns,
  LONGEST_LINE,
  type SourceNotes,
} from '../formats/lines.ts';
import { makeMerger } from '../formats/long.ts';
import { type ReadingInput, unreadable } from '../formats/reading.ts';
import { type ReadingBatch, readDocument, readLines } from '../formats/readings.ts';
import { refuseOtherKinds } from '../formats/recognize.ts';
import { notJson } from './body.ts';
import { type IngestDeps, ingestRoute } from './ingestRoute.ts';

const JSON_TYPES = ['application/json'];
const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'text/plain'];
const CSV_TYPES = ['text/csv'];
/** In bytes, unpacked. */
const LARGEST_BODY = 8 * 1024 * 1024;
/** The limit for a body that is one object, in bytes: it is parsed in one turn of the event loop. */
const LARGEST_OBJECT = 512 * 1024;
/** The limit for what a device or a webhook sends by itself, in bytes. */
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

/** The parameters with which a query string may declare something about the body. */
const DECLARATIONS: readonly string[] = [
  'unit',
  'column',
  'zone',
  'date_format',
  'sensor_id',
  'device',
];

/**
 * `?unit=no2=ug/m3&column=pm25=PM2_5&zone=Europe/Berlin&date_format=dd/mm/yyyy&sensor_id=11&device=garden`; a device may stand in the path,
 * too. Throws Problem for any other name.
 */
function declaredFormat(req: Request, name: string | undefined, now: Date): Format {
  const query = new URLSearchParams(
    req.url.includes('?') ? req.url.slice(req.url.indexOf('?') + 1) : '',
  );
  const unknown = [...query.keys()].find((key) => !DECLARATIONS.includes(key));
  if (unknown !== undefined) {
    const all = DECLARATIONS.join(', ');
    throw new Problem(
      400,
      `There is no parameter ${quoted(unknown)}. The address may have ${all}. Nothing was stored.`,
    );
  }
  return {
    name,
    now,
    units: query.getAll('unit'),
    columns: query.getAll('column'),
    zone: query.get('zone') ?? undefined,
    dateFormat: query.get('date_format') ?? undefined,
    sensor: query.get('sensor_id') ?? undefined,
    device: query.get('device') ?? deviceIn(req.path),
  };
}

/** AirGradient's firmware has it in the path that it appends to the address of its server. */
function deviceIn(path: string): string | undefined {
  const [, rest] = path.split('/sensors/airgradient:');
  return rest?.split('/', 1)[0];
}

/** The readings of a body of a content type. Rejects with Problem for one that cannot be read, has too many, or none that is a reading. */
export async function readBatch(body: Buffer, type: string, format: Format): Promise<ReadingBatch> {
  const batch = await collect(body, type, format).catch((error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    if (error.cause instanceof SyntaxError) throw notJson(error.cause.message);
    throw new Problem(400, `${error.message} Nothing was stored.`);
  });
  const { readings } = batch;
  if (readings.length > 0 && readings.every(({ unreadable }) => unreadable)) {
    const why = readings[0]?.why;
    const what = why === undefined ? 'each is one JSON object' : `of the first, ${why}`;
    throw new Problem(400, `Nothing in the body is a reading: ${what}. Nothing was stored.`);
  }
  return batch;
}

/** The rows of a body, in slices, each read in a turn of the event loop of its own. Throws InputError for CSV that is no text. */
function rowsOf(body: Buffer, type: string, format: Format) {
  const bytes = inTurns([body]);
  if (JSON_TYPES.includes(type)) return readDocument(bytes, NAME, format, LARGEST_OBJECT);
  if (!CSV_TYPES.includes(type)) return readLines(bytes, NAME, format, 'objects');
  refuseOtherKinds(body, NAME);
  return readLines(bytes, NAME, format, 'csv');
}

const NAME = 'The body';

/** Rejects with Problem for too many readings, before all of them are read, and with InputError for what cannot be read. */
async function collect(body: Buffer, type: string, format: Format): Promise<ReadingBatch> {
  const readings: ReadingInput[] = [];
  let notes: SourceNotes | undefined;
  let [rows, characters] = [0, 0];
  for await (const slice of rowsOf(body, type, format)) {
    ({ notes } = slice);
    rows += slice.readings.length;
    if (rows > MOST_READINGS) throw tooMuch(`more than ${MOST_READINGS} readings`);
    for (const one of slice.readings) {
      if (one === undefined) continue;
      characters += one.text.length;
      if (characters > LARGEST_BODY)
        throw tooMuch(
          `readings that take more than ${LARGEST_BODY / 1_048_576} MiB, each by itself`,
        );
      readings.push(one.text.length > LONGEST_LINE ? tooLong(one) : one);
    }
  }
  if (notes === undefined) throw new Problem(400, 'The body has no line.');
  if (!notes.isLong) return { readings, notes };
  const merger = makeMerger(NAME);
  readings.forEach(merger.add);
  const merged: ReadingInput[] = [];
  for await (const some of inSlices(merger.take())) merged.push(...some);
  return { readings: merged, notes };
}

const tooLong = ({ text, line = 1 }: ReadingInput) =>
  unreadable(text.slice(0, EXCERPT_LENGTH), line, `it is longer than ${LONGEST_LINE / 1_024} KiB`);

const tooMuch = (what: string) =>
  new Problem(413, `The body has ${what}. None was stored; send them in parts.`);
