/**
 * Reads the body of a request within its limits of size and time, accepts its readings in the name
 * of its sender, and answers with the outcome.
 */
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import type { Clock } from '../../base/clock.ts';
import type { QueryPool } from '../../database/queryPool.ts';
import { Problem, sendBody } from '../../http/send.ts';
import { droppedValue, explainReading, explainValue, hintsOf } from '../explain.ts';
import type { ReadingFormats } from '../formats.ts';
import type { IngestObserver } from '../observer.ts';
import { unusedIn } from '../plan.ts';
import type { ReadingBatch } from '../reading/batches.ts';
import { asDoubt, asRefusal, type Doubt, stoppingDoubt } from '../reading/doubt.ts';
import type { ReadingInput } from '../reading/reading.ts';
import { addTimes, describeGap, emptySpan } from '../reading/span.ts';
import { ADDRESS } from '../reading/vocabulary.ts';
import type { Transitions } from '../reading/zone.ts';
import {
  type Accepted,
  acceptReadings,
  BatchInDoubt,
  type Scope,
  UnauthorizedSensors,
} from '../store/accept.ts';
import { assignSensors } from '../store/deviceSensors.ts';
import { findMoved } from '../store/movedSensors.ts';
import { describeReplaced } from '../store/replaced.ts';
import { columnOfReason } from '../store/validate.ts';
import { sourceOf } from './sources.ts';
import { senderOf } from './tokens.ts';

/** The dependencies of every ingestion endpoint. */
export type IngestDeps = {
  /** A pool in the role airseries_ingest. */
  writes: QueryPool;
  clock: Clock;
  formats: ReadingFormats;
  /** The zone of the network, which refusals of times without an offset offer. */
  timeZone: string;
  /** Undefined: nothing is counted. */
  observer?: IngestObserver | undefined;
  /** How long a body may take to arrive, from when the token was looked up. */
  bodyMs: number;
  /** The server's rules of a declared zone; undefined for none, and for a fixed offset. */
  transitionsOf?: ((zone: string | undefined) => Promise<Transitions | undefined>) | undefined;
};

/**
 * The readings of a body, and how they were read if there is a choice. Rejects with Problem for one
 * that has none.
 */
export type ReadReadings = (
  body: Buffer,
  req: Request,
  context: { scope: Scope; now: Date; isTrial: boolean; source: object | undefined },
) => Promise<Pick<ReadingBatch, 'readings'> & Partial<ReadingBatch>>;

/** Values that an answer names. */
const MOST_VALUES = 1_000;

/**
 * The handlers of a route, to come after authentication. The answer is 403 if the sender is not
 * authorized for one of the sensors, and 422 if nothing was usable, unless `neverRefuses`: firmware
 * that sends again what was refused would not stop. `takeBody`: what gives the request its body.
 * Errors of `read` and of the database are passed on.
 */
export function ingestRoute(
  { writes, clock, formats, timeZone, observer, bodyMs }: IngestDeps,
  limits: Omit<BodyLimits, 'timeMs'>,
  read: ReadReadings,
  {
    neverRefuses = false,
    takeBody = readBody({ ...limits, timeMs: bodyMs }),
  }: { neverRefuses?: boolean; takeBody?: RequestHandler } = {},
): RequestHandler[] {
  const firstArrival = makeArrivals();
  const ingest: RequestHandler = async (req, res) => {
    const now = clock();
    const { id, name, scope } = senderOf(res);
    const body = bodyOf(req);
    const arrivedAt = firstArrival(id, req, body, now);
    const isTrial = isDryRun(req);
    const context = { scope, now: arrivedAt, isTrial, source: sourceOf(res) };
    const { readings: given, found } = await read(body, req, context);
    const readings = await assignSensors(writes, given, scope, now);
    const moved = found
      ? (await findMoved(writes, found.doubts, { scope, now }, ADDRESS)).doubts
      : [];
    const stopping = stoppingDoubt(moved, found?.facts.rows);
    if (stopping !== undefined && !isTrial) throw inDoubt(stopping);
    const options = {
      now,
      source: name,
      scope,
      isTrial,
      looking: found && { found, say: ADDRESS, formats },
      onWrite: isTrial ? undefined : observer?.onWrite,
    };
    const outcome = await acceptReadings(writes, readings, options).catch((error: unknown) => {
      if (error instanceof BatchInDoubt) throw inDoubt(error.doubt);
      throw error instanceof UnauthorizedSensors ? forbidden(error) : error;
    });
    if (!isTrial) observer?.onBatch(scope.provider, outcome);
    const { received, accepted, unchanged, quarantined, overflowed } = outcome;
    const replaced = describeReplaced(outcome.replaced);
    const values = outcome.values.slice(0, MOST_VALUES).map(({ index, reason }) => {
      const parameter = columnOfReason(reason);
      return { index, ...droppedValue(reason, readings[index]?.values[parameter], formats) };
    });
    const answer = {
      ...(isTrial && { dry_run: true }),
      received,
      accepted,
      unchanged,
      ...(replaced !== undefined && { replaced }),
      quarantined,
      ...(values.length > 0 && { values }),
      ...(outcome.values.length > MOST_VALUES && {
        more_values: outcome.values.length - MOST_VALUES,
      }),
      ...(found !== undefined && describeSource({ found, readings }, outcome, now, moved)),
      ...(isTrial && found !== undefined && planOfBody(found)),
      ...(isTrial && { sensors: outcome.staged ?? [] }),
      ...(overflowed > 0 && { left_out_of_quarantine: overflowed }),
    };
    res.set('Cache-Control', 'no-store');
    const isUnusable = !neverRefuses && !isTrial && received > 0 && accepted + unchanged === 0;
    const document = isUnusable
      ? { ...explained(outcome, readings, timeZone, formats), ...answer }
      : answer;
    sendBody(req, res, isUnusable ? 422 : 200, Buffer.from(JSON.stringify(document)));
  };
  return [takeBody, ingest];
}

/** `?dry_run`, or with any value but `false`: nothing is stored (S10). */
function isDryRun({ url }: Request): boolean {
  const [, query = ''] = url.split('?', 2);
  const given = new URLSearchParams(query).get('dry_run');
  return given !== null && given !== 'false';
}

/** A body that is sent again within this time is a retry. */
const RETRY_MS = 60_000;
/** Larger ones are no device's, and have times. In bytes. */
const LARGEST_RETRY = 64 * 1_024;
/** A bound for memory. */
const MOST_ARRIVALS = 20_000;

/**
 * A function that says when a request first arrived: the same body of the same token within a
 * minute is the same readings, so where they have no time, they get the first arrival's (S3).
 * Each process remembers its own.
 */
function makeArrivals() {
  const arrivals = new Map<string, Date>(); // the oldest first
  return (sender: string, req: Request, body: Buffer, now: Date): Date => {
    if (body.length > LARGEST_RETRY) return now;
    const source = [sender, req.originalUrl, req.get('X-Sensor'), req.get('X-PIN')].join(' ');
    const key = createHash('sha256').update(source).update(body).digest('base64');
    for (const [old, at] of arrivals) {
      const age = Math.abs(now.getTime() - at.getTime());
      if (age < RETRY_MS && arrivals.size <= MOST_ARRIVALS) break;
      arrivals.delete(old);
    }
    const first = arrivals.get(key) ?? now;
    if (first === now) arrivals.set(key, now);
    return first;
  };
}

/** The part of an answer that says how the body was read. */
function describeSource(
  { found, readings }: ReadingBatch,
  { values, quarantined, looked }: Accepted,
  now: Date,
  moved: readonly Doubt[],
) {
  const span = emptySpan();
  addTimes(span, readings, quarantined);
  const unusable = new Set(values.map(({ reason }) => columnOfReason(reason)));
  // values that were dropped have hints of their own
  const doubts = [...found.doubts.of(readings, ADDRESS, unusable), ...looked.doubts, ...moved];
  const open = [...found.facts.refusals.map(asDoubt), ...doubts];
  const hints = hintsOf(found, open, looked.corrections, describeGap(span, now));
  const { format, ignored, excluded, usedServerTime } = found.facts;
  return {
    ...(ignored.size > 0 && { ignored: [...ignored.keys()] }),
    ...(hints.length > 0 && { hints }),
    format,
    ...(excluded > 0 && { excluded }),
    ...(usedServerTime && { time: 'server' }),
  };
}

/** The part of a dry run's answer that says how each column is read (S10). */
const planOfBody = ({ facts }: ReadingBatch['found']) => ({
  encoding: facts.encoding,
  ...(facts.delimiter !== undefined && { delimiter: facts.delimiter }),
  ...(facts.zone !== undefined && { zone: facts.zone }),
  columns: [...facts.columns.values()],
  unused: unusedIn(facts),
});

/**
 * Why nothing of a body could be used, in the form of a problem: each reason once, with the first
 * reading that has it.
 */
function explained(
  { received, quarantined, values }: Accepted,
  readings: readonly ReadingInput[],
  timeZone: string,
  formats: ReadingFormats,
) {
  const sentences = new Map<string, string>();
  for (const { index, reason } of quarantined) {
    if (sentences.has(reason)) continue;
    const reading = readings[index] ?? {};
    sentences.set(reason, explainReading(reason, reading, formats, ADDRESS, timeZone) ?? reason);
  }
  for (const { index, reason } of values) {
    if (sentences.has(reason)) continue;
    const parameter = columnOfReason(reason);
    sentences.set(reason, explainValue(reason, readings[index]?.values[parameter], formats));
  }
  const what =
    received === 1
      ? 'The reading could not be used'
      : `None of the ${received} readings could be used`;
  const detail = `${what}: ${[...sentences.values()].join('; ')}.`;
  return { status: 422, title: STATUS_CODES[422], detail };
}

/** The refusal of a body that leaves something open. */
export const inDoubt = (doubt: Doubt): Problem =>
  new Problem(422, `The body: ${asRefusal(doubt)}. ${doubt.remedy}`);

/** How many sensors a message names at most. */
const NAMED = 20;

function forbidden({ sensors }: UnauthorizedSensors): Problem {
  const all = sensors.split(', ');
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
  const named = `${all.length === 1 ? 'sensor' : 'sensors'} ${all.slice(0, NAMED).join(', ')}${more}`;
  return new Problem(
    403,
    `This token may not send for ${named}. Nothing of this request was stored.`,
  );
}

type BodyLimits = {
  /** In bytes, unpacked. */
  limit: number;
  /** From the first byte to the last. */
  timeMs: number;
  /** Content types that are accepted. */
  types: readonly string[];
};

/**
 * Middleware that reads and unpacks the whole body, for bodyOf. The limit is on what comes out, so
 * that a small archive cannot fill the memory. Refuses with 408, 413, 415 or 400.
 */
function readBody({ limit, timeMs, types }: BodyLimits): RequestHandler {
  const read = express.raw({ type: () => true, limit });
  return (req, res, next) => {
    if (req.get('Content-Length') !== '0' && req.is([...types]) === false)
      throw unsupportedType(types);
    let done = (error?: unknown) => {
      done = () => undefined;
      clearTimeout(timer);
      next(error);
    };
    const timer = setTimeout(() => done(tooSlow(timeMs)), timeMs);
    res.once('close', () => clearTimeout(timer));
    read(req, res, (error?: unknown) => done(error && asProblem(error, limit)));
  };
}

/** The refusal of a body of another type, or that is not what its type says. */
export const unsupportedType = (types: readonly string[]): Problem =>
  new Problem(
    415,
    `The Content-Type of the body must be one of ${types.join(', ')}. With curl: -H 'Content-Type: ${types[0]}'.`,
  );

/** The connection ends with the response, so the rest of the body is not waited for. */
function tooSlow(timeMs: number): Problem {
  const detail = `The body did not arrive within ${timeMs / 1_000} s. Nothing of it was stored; send it in parts, or compressed.`;
  return new Problem(408, detail, { Connection: 'close' });
}

/** The body that readBody has read. Throws Problem 400 if it is empty. */
function bodyOf({ body }: Request): Buffer {
  if (Buffer.isBuffer(body) && body.length > 0) return body;
  throw new Problem(400, 'The body is empty.');
}

/** An error of the middleware as the sender's mistake, if it is one. */
function asProblem(error: unknown, limit: number): unknown {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') {
    const size = `${limit / 1024} KiB when unpacked`;
    return new Problem(
      413,
      `The body is larger than ${size}. Nothing of it was stored; send it in parts.`,
    );
  }
  if (type === 'encoding.unsupported') {
    return new Problem(
      415,
      'The Content-Encoding of the body must be gzip, deflate or br, or there must be none.',
      {
        'Accept-Encoding': 'gzip, deflate, br',
      },
    );
  }
  if (status === undefined || status >= 500) return error;
  return new Problem(
    400,
    'The body could not be read to its end: it is cut off, damaged or not packed as its Content-Encoding says.',
  );
}

/** The refusal of a body that is invalid JSON. */
export function notJson(why: string): Problem {
  return new Problem(400, `The body is not JSON (${why}). Nothing was stored.`);
}
