/** Turns whatever went wrong into an answer that gives nothing of the inside away, and into a line of the log where it is our fault. */
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import { Unavailable } from '../database/errors.ts';
import type { Log } from '../log.ts';
import { Problem } from './problem.ts';
import { sendProblem } from './send.ts';

const RETRY_AFTER_S = 5;
const LONGEST_PATH = 200; // in the log

/** A `%` that is not followed by two hexadecimal digits, or bytes that are no UTF-8. */
export function refuseMalformedPath(req: Request, _res: Response, next: NextFunction): void {
  try {
    decodeURIComponent(req.path);
  } catch {
    throw new Problem(400, 'The percent-encoding of the path is malformed. Paths of this interface need none.');
  }
  next();
}

/** Logs the begin of an outage and its end, not every request of it. */
export function makeErrorHandlers(log: Log): { watch: RequestHandler; handle: ErrorRequestHandler } {
  let away = false;
  return {
    watch(_req, res, next) {
      res.once('finish', () => {
        if (!away || !(res.statusCode === 200 || res.statusCode === 304)) return;
        away = false;
        log.info('the database is reachable again');
      });
      next();
    },
    handle(error, req, res, _next) {
      if (error instanceof Unavailable && !away) {
        away = true;
        log.warn({ reason: error.message }, 'the database is unreachable; answering 503 until it is back');
      }
      if (!(error instanceof Unavailable || error instanceof Problem))
        log.error({ err: error, path: req.path.slice(0, LONGEST_PATH) }, 'a request failed');
      if (res.headersSent) res.destroy();
      else sendProblem(req, res, asProblem(error));
    },
  };
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Unavailable) {
    const detail = `The data cannot be reached at the moment. Try again in ${RETRY_AFTER_S} seconds.`;
    return new Problem(503, detail, { 'Retry-After': String(RETRY_AFTER_S) });
  }
  return new Problem(500, 'Something went wrong on our side, and it has been logged. Try again later.');
}
