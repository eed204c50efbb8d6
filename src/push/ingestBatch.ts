/** Takes the readings of a request in under the name of its sender, and answers what became of them. */
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Clock } from '../clock.ts';
import type { QueryPool } from '../database/queryPool.ts';
import { Problem, sendBody } from '../http/send.ts';
import { acceptReadings, OutOfScope, type WriteStats } from '../ingest/accept.ts';
import type { ReadingInput } from '../ingest/batch.ts';
import { isTooDeep } from '../ingest/formats/json.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { recordIngest, recordWrite } from '../metrics/recorders.ts';
import { senderOf } from './authenticate.ts';

/** What every way in needs. */
export type IngestDeps = {
  writes: QueryPool;
  clock: Clock;
  metrics: Metrics | undefined;
  /** How long a body may take to arrive. */
  bodyMs: number;
};

type IngestBatch = Pick<IngestDeps, 'writes' | 'metrics'> & { readings: readonly ReadingInput[]; now: Date };

export async function ingestBatch(
  req: Request,
  res: Response,
  { writes, metrics, readings, now }: IngestBatch,
): Promise<void> {
  const { name, scope } = senderOf(res);
  const onWrite = metrics && ((written: WriteStats) => recordWrite(metrics, written));
  const options = { now, source: name, scope, onWrite };
  const outcome = await acceptReadings(writes, readings, options).catch((error: unknown) => {
    throw error instanceof OutOfScope ? forbidden(error) : error;
  });
  if (metrics !== undefined) recordIngest(metrics, scope.provider, outcome);
  const { received, accepted, unchanged, quarantined, leftOut } = outcome;
  const full = leftOut > 0 ? { left_out_of_quarantine: leftOut } : {};
  res.set('Cache-Control', 'no-store');
  sendBody(req, res, 200, Buffer.from(JSON.stringify({ received, accepted, unchanged, quarantined, ...full })));
}

/** A batch may name thousands; a few of them show what is wrong. */
const NAMED = 20;

function forbidden({ sensors }: OutOfScope): Problem {
  const all = sensors.split(', ');
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
  const named = `${all.length === 1 ? 'sensor' : 'sensors'} ${all.slice(0, NAMED).join(', ')}${more}`;
  return new Problem(403, `This token may not send for ${named}. Nothing of this request was stored.`);
}

/** Reads a body as a whole, unpacked, and no more of it than may be: the bound is on what comes out, so that a small archive cannot fill the memory. */

export type BodyLimits = {
  /** In bytes, unpacked. */
  limit: number;
  /** From its first byte to its last, however they trickle. */
  timeMs: number;
  types: readonly string[];
};

export function readBody({ limit, timeMs, types }: BodyLimits): RequestHandler {
  const read = express.raw({ type: () => true, limit });
  return (req, res, next) => {
    const length = req.get('Content-Length');
    if (length !== '0' && req.is([...types]) === false) {
      throw new Problem(415, `The Content-Type of the body must be ${types.join(', ')}.`);
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

/** The rest of it is not waited for: the connection ends with the answer. */
function tooSlow(timeMs: number): Problem {
  const detail = `The body was not here within ${timeMs / 1_000} s. Nothing of it was stored; send it in parts, or packed.`;
  return new Problem(408, detail, { Connection: 'close' });
}

/** What readBody has read; not empty. */
export function bodyOf(req: Request): Buffer {
  const body: unknown = req.body;
  if (Buffer.isBuffer(body) && body.length > 0) return body;
  throw new Problem(400, 'The body is empty.');
}

/** As JSON; a byte order mark is tolerated. Numbers beyond all bounds and keys like __proto__ are values like others. */
export function parseJson(body: Buffer): unknown {
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  if (isTooDeep(text)) throw notJson('it is nested too deeply');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson((error as Error).message);
  }
}

export function notJson(why: string): Problem {
  return new Problem(400, `The body is not JSON (${why}). Nothing was stored.`);
}

export function tooLarge(limit: number): Problem {
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
