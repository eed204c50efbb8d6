/**
 * What the ingestion endpoints share: reading a body within its limits, and accepting its readings in the name of the sender.
 */
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Clock } from '../clock.ts';
import type { ParameterName } from '../contract/parameters.ts';
import type { QueryPool } from '../database/queryPool.ts';
import { Problem, sendBody } from '../http/send.ts';
import { acceptReadings, UnauthorizedSensors, type WriteStats } from '../ingest/accept.ts';
import { droppedValue } from '../ingest/explain.ts';
import { isTooDeep } from '../ingest/formats/json.ts';
import type { ReadingInput } from '../ingest/validate.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { recordIngest, recordWrite } from '../metrics/recorders.ts';
import { senderOf } from './sender.ts';

/** What every ingestion endpoint needs. */
export type IngestDeps = {
  /** A pool in the role airseries_ingest. */
  writes: QueryPool;
  clock: Clock;
  /** Undefined: nothing is counted. */
  metrics: Metrics | undefined;
  /** How long a body may take to arrive. */
  bodyMs: number;
};

type IngestBatch = Pick<IngestDeps, 'writes' | 'metrics'> & {
  readings: readonly ReadingInput[];
  /** Keys of the readings that are not used. */
  ignored?: ReadonlySet<string>;
  now: Date;
};

/** Values that an answer names. */
const MOST_VALUES = 1_000;

/**
 * Accepts the readings of a request and sends what became of them. Rejects with Problem 403 if the sender is not authorized for one of
 * the sensors, and as acceptReadings does.
 */
export async function ingestBatch(
  req: Request,
  res: Response,
  { writes, metrics, readings, ignored = new Set(), now }: IngestBatch,
): Promise<void> {
  const { name, scope } = senderOf(res);
  const onWrite = metrics && ((written: WriteStats) => recordWrite(metrics, written));
  const options = { now, source: name, scope, onWrite };
  const outcome = await acceptReadings(writes, readings, options).catch((error: unknown) => {
    throw error instanceof UnauthorizedSensors ? forbidden(error) : error;
  });
  if (metrics !== undefined) recordIngest(metrics, scope.provider, outcome);
  const { received, accepted, unchanged, quarantined, overflowed } = outcome;
  const values = outcome.values.slice(0, MOST_VALUES).map(({ index, reason }) => {
    const parameter = reason.slice(reason.indexOf(':') + 1) as ParameterName;
    return { index, ...droppedValue(reason, readings[index]?.values[parameter]) };
  });
  const answer = {
    ...{ received, accepted, unchanged, quarantined },
    ...(values.length > 0 && { values }),
    ...(outcome.values.length > MOST_VALUES && { more_values: outcome.values.length - MOST_VALUES }),
    ...(ignored.size > 0 && { ignored: [...ignored] }),
    ...(overflowed > 0 && { left_out_of_quarantine: overflowed }),
  };
  res.set('Cache-Control', 'no-store');
  sendBody(req, res, 200, Buffer.from(JSON.stringify(answer)));
}

/** How many sensors a message names at most. */
const NAMED = 20;

function forbidden({ sensors }: UnauthorizedSensors): Problem {
  const all = sensors.split(', ');
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
  const named = `${all.length === 1 ? 'sensor' : 'sensors'} ${all.slice(0, NAMED).join(', ')}${more}`;
  return new Problem(403, `This token may not send for ${named}. Nothing of this request was stored.`);
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
 * Middleware that reads and unpacks the whole body, for bodyOf. The limit is on what comes out, so that a small archive cannot fill the
 * memory. Refuses with 408, 413, 415 or 400.
 */
export function readBody({ limit, timeMs, types }: BodyLimits): RequestHandler {
  const read = express.raw({ type: () => true, limit });
  return (req, res, next) => {
    const length = req.get('Content-Length');
    if (length !== '0' && req.is([...types]) === false) {
      throw new Problem(
        415,
        `The Content-Type of the body must be one of ${types.join(', ')}. With curl: -H 'Content-Type: ${types[0]}'.`,
      );
    }
    if (Number(length) > limit) throw tooLarge(limit);
    let done = (error?: unknown) => {
      done = () => undefined;
      clearTimeout(timer);
      next(error);
    };
    const timer = setTimeout(() => done(tooSlow(timeMs)), timeMs);
    res.once('close', () => clearTimeout(timer));
    read(req, res, (error?: unknown) => done(error && explained(error, limit)));
  };
}

/** The connection ends with the response, so the rest of the body is not waited for. */
function tooSlow(timeMs: number): Problem {
  const detail = `The body did not arrive within ${timeMs / 1_000} s. Nothing of it was stored; send it in parts, or compressed.`;
  return new Problem(408, detail, { Connection: 'close' });
}

/** The body that readBody has read. Throws Problem 400 if it is empty. */
export function bodyOf(req: Request): Buffer {
  const body: unknown = req.body;
  if (Buffer.isBuffer(body) && body.length > 0) return body;
  throw new Problem(400, 'The body is empty.');
}

/** A whole body as JSON; a byte order mark is tolerated. Throws Problem 400 for anything else and for what is nested too deeply. */
export function parseJson(body: Buffer): unknown {
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  if (isTooDeep(text)) throw notJson('it is nested too deeply');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson((error as Error).message);
  }
}

/** The refusal of a body that is no JSON. */
export function notJson(why: string): Problem {
  return new Problem(400, `The body is not JSON (${why}). Nothing was stored.`);
}

function tooLarge(limit: number): Problem {
  return new Problem(
    413,
    `The body is larger than ${limit / 1024} KiB when unpacked. Nothing of it was stored; send it in parts.`,
  );
}

function explained(error: unknown, limit: number): unknown {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return tooLarge(limit);
  if (type === 'encoding.unsupported') {
    return new Problem(415, 'The Content-Encoding of the body must be gzip, deflate or br, or there must be none.', {
      'Accept-Encoding': 'gzip, deflate, br',
    });
  }
  if (status === undefined || status >= 500) return error;
  return new Problem(
    400,
    'The body could not be read to its end: it is cut off, damaged or not packed as its Content-Encoding says.',
  );
}
