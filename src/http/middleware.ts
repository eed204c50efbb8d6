/** What all our Express apps share: settings, routes with their methods, CORS, the access log, and a bound on what requests may log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, {
  type Express,
  type IRouter,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Log } from '../log.ts';
import { setRoute } from './observed.ts';
import { Problem } from './send.ts';

const ALLOWED = 'GET, HEAD, OPTIONS';

/** Any web page may read any answer, errors included, without credentials. The listed headers would otherwise be hidden from scripts. */
export const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Age, Date, Retry-After',
};

/** Middleware that sets them. */
export function allowAnyOrigin(_req: Request, res: Response, next: NextFunction): void {
  res.set(ANY_ORIGIN);
  next();
}

/** Adds a path for GET, HEAD and OPTIONS; other methods get 405. `route` is its label in metrics. */
export function addPath(app: IRouter, path: RegExp, get: RequestHandler, route = routeName(path)): void {
  app.route(path).all(named(route)).get(get).options(answerPreflight).all(refuseMethod);
}

/** Adds a path for POST alone, without CORS: devices post, browsers don't. */
export function addPostPath(app: IRouter, path: RegExp, ...handlers: RequestHandler[]): void {
  app
    .route(path)
    .all(named(routeName(path)))
    .post(handlers)
    .all(refuseAllButPost);
}

/** `/^\/healthz$/` is counted as `/healthz`. */
function routeName(path: RegExp): string {
  return path.source.replace(/^\^|\$$|\\/g, '');
}

function answerPreflight(_req: Request, res: Response): void {
  res.set({
    Allow: ALLOWED,
    'Access-Control-Allow-Methods': ALLOWED,
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '86400',
  });
  res.status(204).end();
}

function refuseMethod(req: Request): never {
  throw new Problem(405, `${req.method} is not supported: the API is read-only. Use GET.`, {
    Allow: ALLOWED,
  });
}

function refuseAllButPost(req: Request): never {
  throw new Problem(405, `${req.method} is not supported: this path takes readings. Use POST.`, { Allow: 'POST' });
}

/** Middleware that sets the route under which metrics count a request. */
function named(route: string): RequestHandler {
  return (_req, res, next) => {
    setRoute(res, route);
    next();
  };
}

/** The path of a request without its query string. */
export function pathOf({ url = '' }: IncomingMessage): string {
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

const WINDOW_MS = 1_000;

type Level = 'info' | 'warn' | 'error';
type Held = { fields: object; times: number; write(fields: object): void };

/**
 * A log for request handlers, which might repeat a message a thousand times a second. A message is logged at once; of its repetitions within
 * the next second only the last, at the end of that second, with the number left out. Debug lines are not limited.
 */
export function boundedLog(log: Log): Log {
  const held = new Map<string, Held>();
  const seen = new Set<string>();
  let isOpen = false;

  function beginWindow(): void {
    if (!isOpen) setTimeout(endWindow, WINDOW_MS).unref();
    isOpen = true;
  }

  function endWindow(): void {
    isOpen = false;
    seen.clear();
    for (const [kind, { fields, times, write }] of held) {
      seen.add(kind);
      write(times === 1 ? fields : { ...fields, left_out: times - 1 });
    }
    if (held.size > 0) beginWindow();
    held.clear();
  }

  const bounded = (level: Level) => (first: string | object, second?: string) => {
    const [fields, message] = typeof first === 'string' ? [{}, first] : [first, second ?? ''];
    const write = (all: object) => log[level](all, message);
    const kind = `${level} ${message}`;
    if (!seen.has(kind)) {
      seen.add(kind);
      beginWindow();
      return write(fields);
    }
    const times = (held.get(kind)?.times ?? 0) + 1;
    held.delete(kind);
    held.set(kind, { fields, times, write });
  };
  return {
    debug: log.debug.bind(log),
    info: bounded('info'),
    warn: bounded('warn'),
    error: bounded('error'),
    isLevelEnabled: (level) => log.isLevelEnabled?.(level) !== false,
  };
}

const LONGEST = 200;

/** Middleware that logs each request at debug level once it has ended. Path and User-Agent are cut after 200 characters. */
export function accessLog(log: Log): (req: IncomingMessage, res: ServerResponse, next: () => void) => void {
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
