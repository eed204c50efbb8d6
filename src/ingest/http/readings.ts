/**
 * POST /v1/readings and /v1/push/FORMAT: readings as a JSON array, a JSON document, NDJSON, CSV with
 * a header, or one as a form; on the first path in any layout, on the others in the one they name.
 */
import type { Request, RequestHandler } from 'express';
import { InputError } from '../../base/inputError.ts';
import { Problem, quoted } from '../../http/send.ts';
import { OWN_FORMAT } from '../formats/formats.ts';
import { type Limits, type ReadingBatch, readReadings } from '../reading/collect.ts';
import { addDate, orderOf, unknownOrder } from '../reading/dateFormat.ts';
import type { Declarations } from '../reading/declarations.ts';
import { stoppingDoubt } from '../reading/doubt.ts';
import type { DateFormat } from '../reading/times.ts';
import { ADDRESS } from '../reading/vocabulary.ts';
import { notUtf8 } from '../rows/encoding.ts';
import { inPieces, LONGEST_LINE } from '../rows/lines.ts';
import { type IngestDeps, inDoubt, ingestRoute, notJson, unsupportedType } from './ingestRoute.ts';

const JSON_TYPES = ['application/json'];
const LINE_TYPES = ['application/x-ndjson', 'application/ndjson', 'text/plain'];
const CSV_TYPES = ['text/csv'];
/** A form is one reading. */
const FORM_TYPES = ['application/x-www-form-urlencoded'];
/** In bytes, unpacked. */
const LARGEST_BODY = 8 * 1024 * 1024;
/**
 * The limit for a body that is one object, in bytes: it is parsed in one turn of the event loop.
 */
const LARGEST_OBJECT = 512 * 1024;
/** The limit for what a device or a webhook sends by itself, in bytes. */
const LARGEST_PUSH = 64 * 1024;
const MOST_READINGS = 5_000;

/**
 * The handlers of the route, to come after authentication. `name`: of the layout; undefined: it is
 * recognized. `isPush`: its bodies are small.
 */
export function makeReadingsRoute(
  deps: IngestDeps,
  name?: string,
  isPush = name !== undefined,
): RequestHandler[] {
  const limits = {
    limit: isPush ? LARGEST_PUSH : LARGEST_BODY,
    types: [...JSON_TYPES, ...LINE_TYPES, ...CSV_TYPES, ...FORM_TYPES],
  };
  return ingestRoute(deps, limits, async (body, req, { now }) => {
    const declared = declaredBy(req, name, now);
    const transitions = await deps.transitionsOf?.(declared.zone);
    return await readBatch(body, String(req.is(limits.types)), { ...declared, transitions });
  });
}

/** The parameters with which a query string may declare something about the body. */
const DECLARATIONS: readonly string[] = [
  'unit',
  'column',
  'only',
  'zone',
  'shift',
  'round',
  'date_format',
  'sensor_id',
  'device',
];

/**
 * `?unit=no2=ug/m3&column=pm25=PM2_5&only=Validity=1&zone=Europe/Berlin&shift=-1h&date_format=dd/mm/yyyy&sensor_id=11&device=garden`;
 * a device may stand in the path, too. Throws Problem for any other name.
 */
function declaredBy(req: Request, name: string | undefined, now: Date): Declarations {
  const query = new URLSearchParams(
    req.url.includes('?') ? req.url.slice(req.url.indexOf('?') + 1) : '',
  );
  const isKnown = (key: string) =>
    DECLARATIONS.includes(key) || (name === 'chirpstack' && key === 'event'); // it appends that
  const unknown = [...query.keys()].find((key) => !isKnown(key));
  if (unknown !== undefined) {
    const all = DECLARATIONS.join(', ');
    throw new Problem(
      400,
      `There is no parameter ${quoted(unknown)}. The address may have ${all}. Nothing was stored.`,
    );
  }
  return {
    say: ADDRESS,
    name,
    now,
    units: query.getAll('unit'),
    columns: query.getAll('column'),
    only: query.getAll('only'),
    // a plus sign means a blank there
    zone: query.get('zone')?.replace(/^ (?=\d\d:)/, '+') ?? undefined,
    shift: query.get('shift')?.replace(/^ (?=\d)/, '+') ?? undefined,
    round: query.get('round') ?? undefined,
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

/**
 * The readings of a body of a content type. Rejects with Problem for one that cannot be read, has
 * too many, or none that is a reading.
 */
export async function readBatch(
  body: Buffer,
  type: string,
  declared: Declarations,
): Promise<ReadingBatch> {
  const read = FORM_TYPES.includes(type) ? lineOfForm(body) : body;
  const limits = { ...LIMITS, kind: kindOf(type) };
  let [batch] = await collect(read, limits, declared);
  const dateFormat = declared.dateFormat ?? orderIn(batch);
  if (dateFormat !== declared.dateFormat)
    [batch] = await collect(read, limits, { ...declared, dateFormat });
  if (batch === undefined) throw new Problem(400, 'The body has no line.');
  const { readings, found } = batch;
  const { facts, doubts } = found;
  if (facts.notUtf8 !== undefined) {
    const { encoding, line, text } = facts.notUtf8;
    const { message } = notUtf8(`The body:${line}`, encoding, text);
    throw new Problem(400, `${message} Nothing was stored.`);
  }
  // a layout of others may have messages without a reading, such as a join
  if (readings.length === 0 && facts.format === OWN_FORMAT && facts.excluded === 0)
    throw new Problem(
      422,
      'The body has no reading: no line follows the header, or its list is empty. Nothing was stored.',
    );
  if (readings.length > 0 && readings.every(({ unreadable }) => unreadable)) {
    const why = readings[0]?.why;
    const what = why === undefined ? 'each is one JSON object' : `of the first, ${why}`;
    throw new Problem(400, `Nothing in the body is a reading: ${what}. Nothing was stored.`);
  }
  const doubt = stoppingDoubt(doubts.of(readings, ADDRESS), facts.rows);
  if (doubt !== undefined) throw inDoubt(doubt);
  return batch;
}

/** The order of the dates of a body. Throws Problem where they have both. */
function orderIn(batch: ReadingBatch | undefined): DateFormat | undefined {
  const order = unknownOrder();
  for (const reading of batch?.readings ?? []) addDate(order, reading);
  try {
    return orderOf(order, 'The body');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new Problem(422, `${error.message} Nothing was stored.`);
  }
}

/** A name and an equals sign, which neither JSON nor a table begins with. */
const FORM = /^[\w.%+-]+=/;

/**
 * A form as an object of texts. Throws Problem for JSON and tables that curl sends under this type,
 * and for a form that is longer than a reading may be.
 */
function lineOfForm(body: Buffer): Buffer {
  const text = body.toString('utf8').trim();
  if (!FORM.test(text)) throw unsupportedType([...JSON_TYPES, ...LINE_TYPES, ...CSV_TYPES]);
  if (text.length > LONGEST_LINE)
    throw new Problem(
      413,
      `The form is longer than ${LONGEST_LINE / 1_024} KiB. Nothing was stored.`,
    );
  return Buffer.from(JSON.stringify(Object.fromEntries(new URLSearchParams(text))));
}

function kindOf(type: string): Limits['kind'] {
  if (JSON_TYPES.includes(type)) return 'document';
  return CSV_TYPES.includes(type) ? 'csv' : 'lines';
}

const LIMITS: Limits = {
  largestObject: LARGEST_OBJECT,
  batch: Number.POSITIVE_INFINITY,
  batchText: Number.POSITIVE_INFINITY,
  most: {
    rows: MOST_READINGS,
    text: LARGEST_BODY,
    refuse: (what) =>
      new Problem(413, `The body has ${what}. None was stored; send them in parts.`),
  },
};

/**
 * At most one batch. Rejects with Problem for a body that cannot be read, before all of it is read
 * if it has too many readings.
 */
async function collect(
  body: Buffer,
  limits: Limits,
  declared: Declarations,
): Promise<ReadingBatch[]> {
  const source = { name: 'The body', size: undefined, read: 0, bytes: inPieces([body]) };
  const batches: ReadingBatch[] = [];
  try {
    for await (const batch of readReadings(source, declared, limits)) batches.push(batch);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (error.cause instanceof SyntaxError) throw notJson(error.cause.message);
    throw new Problem(400, `${error.message} Nothing was stored.`);
  }
  return batches;
}
