/** Methods and origins: what is read by GET and HEAD from anywhere, what is sent by POST, and a refusal of everything else. */
import express, {
  type Express,
  type IRouter,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { Problem } from './problem.ts';

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
