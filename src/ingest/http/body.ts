/** Reads the body of a request within its limits of size and time. */
import express, { type Request, type RequestHandler } from 'express';
import { Problem } from '../../http/send.ts';

export type BodyLimits = {
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
export function readBody({ limit, timeMs, types }: BodyLimits): RequestHandler {
  const read = express.raw({ type: () => true, limit });
  return (req, res, next) => {
    if (req.get('Content-Length') !== '0' && req.is([...types]) === false) {
      throw new Problem(
        415,
        `The Content-Type of the body must be one of ${types.join(', ')}. With curl: -H 'Content-Type: ${types[0]}'.`,
      );
    }
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

/** The connection ends with the response, so the rest of the body is not waited for. */
function tooSlow(timeMs: number): Problem {
  const detail = `The body did not arrive within ${timeMs / 1_000} s. Nothing of it was stored; send it in parts, or compressed.`;
  return new Problem(408, detail, { Connection: 'close' });
}

/** The body that readBody has read. Throws Problem 400 if it is empty. */
export function bodyOf({ body }: Request): Buffer {
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
