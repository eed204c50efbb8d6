/**
 * POST /v1/readings and /v1/push/FORMAT or SOURCE: readings as a JSON array, a JSON document, NDJSON, CSV with
 * a header, or one as a form; on the first path in any layout, on the others in the one they name.
 * GET /v1/push/FORMAT: one, whose form is the query.
 */
import type { NextFunction, Request, RequestHandler } from 'express';
import { InputError } from '../../base/inputError.ts';
import { Problem, quoted } from '../../http/send.ts';
import { OWN_FORMAT, type QueryPushes, type ReadingFormats, type SourceForms } from '../formats.ts';
import type { Limits, ReadingBatch } from '../reading/batches.ts';
import type { Declarations } from '../reading/declarations.ts';
import { stoppingDoubt } from '../reading/doubt.ts';
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
  return ingestRoute(deps, limits, async (body, req, { now, isTrial, source }) => {
    const declared = declaredBy(req, name, now, deps.formats, source);
    const transitions = await deps.transitionsOf?.(declared.zone);
    const type = String(req.is(limits.types));
    return await readBatch(body, type, { ...declared, transitions }, deps.formats, isTrial);
  });
}

/**
 * The handlers of GET, whose query is one reading, to come after authentication. `name`: as for
 * makeReadingsRoute.
 */
export function makeQueryRoute(
  deps: IngestDeps,
  pushes: QueryPushes,
  name?: string,
): RequestHandler[] {
  const [json = ''] = JSON_TYPES;
  const { formats } = deps;
  const limits = { limit: LARGEST_PUSH, types: JSON_TYPES };
  return ingestRoute(
    deps,
    limits,
    async (body, req, { now, source }) => {
      const format = name ?? (source === undefined ? formatOfQuery(body, pushes) : undefined);
      const declared = declarationsIn(req, format, now, formats, source);
      const transitions = await deps.transitionsOf?.(declared.zone);
      return await readBatch(body, json, { ...declared, transitions }, formats);
    },
    { takeBody: (req, _res, next) => takeQuery(req, formats, next) },
  );
}

/** Makes the query the body: one JSON object, without what the query declares. */
function takeQuery(req: Request, formats: ReadingFormats, next: NextFunction): void {
  const fields = [...queryOf(req)].filter(([key]) => !formats.addressParameters.includes(key));
  if (fields.length === 0)
    throw new Problem(400, 'The address has no query, which is the reading. Nothing was stored.');
  req.body = bodyOfForm(fields, formats);
  next();
}

/** Throws Problem for a query that none of the formats recognizes that come so. */
function formatOfQuery(body: Buffer, { names, formatOf }: QueryPushes): string {
  const found = formatOf(JSON.parse(body.toString('utf8')));
  if (found !== undefined) return found;
  const paths = names.map((name) => `/v1/push/${name}`).join(' or ');
  throw new Problem(
    422,
    `Nothing says which layout the query has: send it to ${paths}. Nothing was stored.`,
  );
}

/**
 * `?unit=no2=ug/m3&column=pm25=PM2_5&only=Validity=1&zone=Europe/Berlin&shift=-1h&date_format=dd/mm/yyyy&sensor_id=11&device=garden`;
 * a device may stand in the path, too. Throws Problem for any other name.
 */
function declaredBy(
  req: Request,
  name: string | undefined,
  now: Date,
  formats: ReadingFormats,
  source: object | undefined,
): Declarations {
  const { addressParameters, ownParameters } = formats;
  const declared = declarationsIn(req, name, now, formats, source);
  const known = [...addressParameters, ...ownParameters(declared.name), 'dry_run'];
  const unknown = [...queryOf(req).keys()].find((key) => !known.includes(key));
  if (unknown !== undefined) {
    const all = addressParameters.join(', ') || 'none';
    throw new Problem(
      400,
      `There is no parameter ${quoted(unknown)}. The address may have ${all}. Nothing was stored.`,
    );
  }
  return declared;
}

const queryOf = ({ url }: Request) =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

function declarationsIn(
  req: Request,
  name: string | undefined,
  now: Date,
  { deviceIn, sources }: ReadingFormats,
  source: object | undefined,
): Declarations {
  const query = queryOf(req);
  const declared: Declarations = {
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
  return source === undefined || sources === undefined
    ? declared
    : declaredBySource(sources, source, declared);
}

/** Throws Problem for a source that this version cannot follow. */
function declaredBySource(
  sources: SourceForms,
  source: object,
  beside: Declarations,
): Declarations {
  try {
    return sources.declaredBy(source, beside);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new Problem(422, `${error.message} Nothing was stored.`);
  }
}

/**
 * The readings of a body of a content type. Rejects with Problem for one that cannot be read, has
 * too many, or none that is a reading.
 */
export async function readBatch(
  body: Buffer,
  type: string,
  declared: Declarations,
  formats: ReadingFormats,
  isTrial = false,
): Promise<ReadingBatch> {
  const read = FORM_TYPES.includes(type) ? lineOfForm(body, formats) : body;
  const limits = { ...LIMITS, kind: kindOf(type), isPlanned: isTrial };
  let [batch] = await collect(read, limits, declared, formats);
  const dateFormat = declared.dateFormat ?? orderIn(batch, formats);
  if (dateFormat !== declared.dateFormat)
    [batch] = await collect(read, limits, { ...declared, dateFormat }, formats);
  if (batch === undefined) throw new Problem(400, 'The body has no line.');
  const { readings, found } = batch;
  const { facts, doubts } = found;
  if (facts.notUtf8 !== undefined && !isTrial) {
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
  if (doubt !== undefined && !isTrial) throw inDoubt(doubt); // a trial says all of them
  return batch;
}

/** The order of the dates of a body. Throws Problem where they have both. */
function orderIn(batch: ReadingBatch | undefined, formats: ReadingFormats): string | undefined {
  try {
    return formats.dateFormatIn(batch?.readings ?? [], 'The body');
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
function lineOfForm(body: Buffer, formats: ReadingFormats): Buffer {
  const text = body.toString('utf8').trim();
  if (!FORM.test(text)) throw unsupportedType([...JSON_TYPES, ...LINE_TYPES, ...CSV_TYPES]);
  if (text.length > LONGEST_LINE)
    throw new Problem(
      413,
      `The form is longer than ${LONGEST_LINE / 1_024} KiB. Nothing was stored.`,
    );
  return bodyOfForm([...new URLSearchParams(text)], formats);
}

const bodyOfForm = (
  fields: readonly [string, string][],
  { secretFields }: ReadingFormats,
): Buffer =>
  Buffer.from(
    JSON.stringify(Object.fromEntries(fields.filter(([key]) => !secretFields.includes(key)))),
  );

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
  { readReadings }: ReadingFormats,
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
