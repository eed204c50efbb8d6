/** Methods and origins: what is read by GET and HEAD from anywhere, what is sent by POST, and a refusal of everything else. */
import express, {
  type Express,
  type IRouter,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Log } from '../log.ts';
import { Problem } from './send.ts';

const ALLOWED = 'GET, HEAD, OPTIONS';

/** Any page may read any answer, errors too; no credentials are involved. Exposed is what a page could not read otherwise. */
export const ANY_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Age, Date, Retry-After',
};

export function allowAnyOrigin(_req: Request, res: Response, next: NextFunction): void {
  res.set(ANY_ORIGIN);
  next();
}

/** A path that is known for GET, and thereby for HEAD and OPTIONS. */
export function addPath(app: IRouter, path: RegExp, get: RequestHandler, route = routeName(path)): void {
  app.route(path).all(named(route)).get(get).options(answerPreflight).all(refuseMethod);
}

/** A path that something is sent to. No page of a browser has business here, so there is nothing for a preflight. */
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
  throw new Problem(405, `${req.method} is not possible here: the interface is read-only. Use GET.`, {
    Allow: ALLOWED,
  });
}

function refuseAllButPost(req: Request): never {
  throw new Problem(405, `${req.method} is not possible here: readings are sent. Use POST.`, { Allow: 'POST' });
}

/** Tells under which name a request is counted. */
export function named(route: string): RequestHandler {
  return (_req, res, next) => {
    res.locals.route = route;
    next();
  };
}

/** Express without what it adds by itself: its name, query parsing, weak validators, lax paths. */
export function bareApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('query parser');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  return app;
}

/**
 * What requests may log, which may be a thousand times a second: of a message that comes again within a second only the last is logged
 * when the second is over, with how many were left out, in the order in which they came last; and one line for each request at debug level.
 */

const WINDOW_MS = 1_000;

type Level = 'info' | 'warn' | 'error';
type Held = { fields: object; times: number; write(fields: object): void };

/** Debug lines pass: whoever asks for them wants every one. */
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
  return { debug: log.debug.bind(log), info: bounded('info'), warn: bounded('warn'), error: bounded('error') } as Log;
}

const LONGEST = 200;

export function accessLog(log: Log): RequestHandler {
  return (req, res, next) => {
    const began = performance.now();
    res.once('close', () => {
      const ms = Math.round(performance.now() - began);
      const agent = req.get('User-Agent')?.slice(0, LONGEST);
      const path = req.path.slice(0, LONGEST);
      log.debug({ method: req.method, path, status: res.statusCode, ms, agent }, 'request');
    });
    next();
  };
}
