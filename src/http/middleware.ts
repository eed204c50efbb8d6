/**
 * The parts that our Express apps share: settings, routes with their methods, CORS, the access log,
 * and errors as answers.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import express, {
  type ErrorRequestHandler,
  type Express,
  type IRouter,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Log } from '../base/log.ts';
import { Unavailable } from '../base/unavailable.ts';
import { ANY_ORIGIN } from '../contract/endpoints.ts';
import { setRoute } from './observed.ts';
import { Problem, sendProblem } from './send.ts';

const ALLOWED = 'GET, HEAD, OPTIONS';

/** Sets ANY_ORIGIN on the answer to an error; it comes before the handler that sends it. */
export const allowAnyOrigin: ErrorRequestHandler = (error, _req, res, next) => {
  res.set(ANY_ORIGIN);
  next(error);
};

/**
 * Adds a path for GET, HEAD and OPTIONS; other methods get 405. `route` is its label in metrics.
 */
export function addPath(
  app: IRouter,
  path: RegExp,
  get: RequestHandler,
  route = routeName(path),
): void {
  const refuse = refuseOthers(ALLOWED, 'the API is read-only. Use GET');
  app.route(path).all(named(route)).get(get).options(answerOptions).all(refuse);
}

/**
 * Adds a path for POST, without CORS: devices post, browsers don't. With `get` it takes GET, too,
 * from devices that know nothing else; HEAD stores nothing. `route` is its label in metrics.
 */
export function addPostPath(
  app: IRouter,
  path: RegExp,
  route: string,
  post: RequestHandler[],
  get?: RequestHandler[],
): void {
  const [allowed, words] = get === undefined ? ['POST', 'POST'] : ['GET, POST', 'GET or POST'];
  const refuse = refuseOthers(allowed, `this path takes readings. Use ${words}`);
  const added = app.route(path).all(named(route)).post(post);
  if (get !== undefined) added.head(refuse).get(get);
  added.all(refuse);
}

/** `/^\/healthz$/` is counted as `/healthz`. */
function routeName(path: RegExp): string {
  return path.source.replace(/^\^|\$$|\\/g, '');
}

/** Headers of the answer to a browser that asks before it sends a request from another page. */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': ALLOWED,
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
};

function answerOptions({ headers }: Request, res: Response): void {
  if (headers['access-control-request-method'] !== undefined) res.set(PREFLIGHT);
  res.set('Allow', ALLOWED).status(204).end();
}

const refuseOthers = (allowed: string, why: string) => (req: Request) => {
  throw new Problem(405, `${req.method} is not supported: ${why}.`, { Allow: allowed });
};

/** Middleware that sets the route under which metrics count a request. */
function named(route: string): RequestHandler {
  return (_req, res, next) => {
    setRoute(res, route);
    next();
  };
}

/** The path of a request without its query string. */
function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** An Express app without X-Powered-By, query parsing, weak validators or lenient paths. */
export function bareApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('query parser');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  return app;
}

/** The log has this many characters of a path or User-Agent at most. */
const LONGEST = 200;
const RETRY_AFTER_S = 5;

/**
 * Middleware that refuses a `%` without two hexadecimal digits after it, and bytes that aren't
 * UTF-8: throws Problem 400.
 */
export function refuseMalformedPath(req: Request, _res: Response, next: NextFunction): void {
  try {
    decodeURIComponent(req.path);
  } catch {
    throw new Problem(
      400,
      'The percent-encoding of the path is malformed. No path of this API needs any.',
    );
  }
  next();
}

/** Sends a problem, as JSON or as a page. */
export type SendProblem = (req: Request, res: Response, problem: Problem) => unknown;

/**
 * `handle` answers errors as JSON, a handler that `answer` makes sends them in its way, and `watch`
 * comes first. Together they log the beginning and the end of an outage, not each request during it.
 * An answer that bridges it sets `res.locals.isStale`.
 */
export function makeErrorHandlers(log: Log): {
  watch: RequestHandler;
  answer(send: SendProblem): ErrorRequestHandler;
  handle: ErrorRequestHandler;
} {
  let unreachable = false;
  const noteAnswer = (res: Response) => {
    if (!unreachable || res.locals.isStale || !(res.statusCode === 200 || res.statusCode === 304))
      return;
    unreachable = false;
    log.info('the database answers again');
  };
  const answer =
    (send: SendProblem): ErrorRequestHandler =>
    (error, req, res, _next) => {
      if (error instanceof Unavailable && !unreachable) {
        unreachable = true;
        log.warn({ reason: error.message }, 'database unavailable; returning 503');
      }
      if (!(error instanceof Unavailable || error instanceof Problem))
        log.error({ err: error, path: req.path.slice(0, LONGEST) }, 'a request failed');
      if (res.writableEnded) return; // refused already, because its body stopped being HTTP midway
      if (res.headersSent) res.destroy();
      else send(req, res, asProblem(error));
    };
  return {
    watch(_req, res, next) {
      if (unreachable) res.once('finish', () => noteAnswer(res));
      next();
    },
    answer,
    handle: answer(sendProblem),
  };
}

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Unavailable) {
    const detail = `The data cannot be reached at the moment. Try again in ${RETRY_AFTER_S} seconds.`;
    return new Problem(503, detail, { 'Retry-After': String(RETRY_AFTER_S) });
  }
  return new Problem(
    500,
    'Something went wrong on our side, and it has been logged. Try again later.',
  );
}

/**
 * Middleware that logs each request at debug level once it has ended. Path and User-Agent are cut
 * after 200 characters.
 */
export function accessLog(
  log: Log,
): (req: IncomingMessage, res: ServerResponse, next: () => void) => void {
  if (log.isLevelEnabled?.('debug') === false) return (_req, _res, next) => next();
  return (req, res, next) => {
    const began = performance.now();
    res.on('close', () => {
      const ms = Math.round(performance.now() - began);
      const agent = req.headers['user-agent']?.slice(0, LONGEST);
      const path = pathOf(req).slice(0, LONGEST);
      log.debug({ method: req.method, path, status: res.statusCode, ms, agent }, 'request');
    });
    next();
  };
}
