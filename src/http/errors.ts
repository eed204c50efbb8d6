/**
 * Errors as answers: what an app throws, without internals, and logged where the fault is ours; and requests that are refused before any
 * app sees them, in the same form.
 */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import { Unavailable } from '../database/errors.ts';
import type { Log } from '../log.ts';
import { ANY_ORIGIN } from './middleware.ts';
import { JSON_TYPE, Problem, problemBody, sendProblem } from './send.ts';

const RETRY_AFTER_S = 5;
const LONGEST_PATH = 200; // in the log
/** How long a refused client may take to read the reason and hang up. */
const LINGER_MS = 1_000;

/** Middleware that refuses a `%` without two hexadecimal digits after it, and bytes that aren't UTF-8: throws Problem 400. */
export function refuseMalformedPath(req: Request, _res: Response, next: NextFunction): void {
  try {
    decodeURIComponent(req.path);
  } catch {
    throw new Problem(400, 'The percent-encoding of the path is malformed. No path of this API needs any.');
  }
  next();
}

/** `handle` answers errors, `watch` comes first. Together they log the beginning and the end of an outage, not each request during it. */
export function makeErrorHandlers(log: Log): { watch: RequestHandler; handle: ErrorRequestHandler } {
  let unreachable = false;
  return {
    watch(_req, res, next) {
      res.once('finish', () => {
        if (!unreachable || !(res.statusCode === 200 || res.statusCode === 304)) return;
        unreachable = false;
        log.info('the database is reachable again');
      });
      next();
    },
    handle(error, req, res, _next) {
      if (error instanceof Unavailable && !unreachable) {
        unreachable = true;
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

/** Why a request can't be passed to an app; undefined if it can. `req.url` is then a path that Express can parse. */
export function refusalOf(req: IncomingMessage): Problem | undefined {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    return new Problem(400, 'The request has no Host header.');
  }
  if (isExpecting(req) && !/^100-continue$/i.test(req.headers.expect ?? '')) {
    return new Problem(417, 'The only supported Expect is 100-continue.');
  }
  const path = pathOf(req.url ?? '');
  if (path === undefined) return new Problem(400, 'The request target is not a valid URL.');
  req.url = path;
  return undefined;
}

/** Whether the client waits for `100 Continue` before it sends the body. */
export function isExpecting({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.expect !== undefined;
}

/** The path of a request target, which may be absolute, as sent to proxies. Express would answer what it can't parse itself, as HTML. */
function pathOf(target: string): string | undefined {
  if (!/^[!"$-~]+$/.test(target)) return undefined; // no spaces, no fragment, nothing beyond ASCII
  if (target.startsWith('/') || target === '*') return target;
  if (!URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : undefined;
}

/** The problem behind an error of Node's HTTP parser: not HTTP, too large, or too slow. */
export function unreadable({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem(431, 'The request line and headers are too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem(408, 'The request did not arrive in time.');
  return new Problem(400, 'This is not a readable HTTP request.');
}

/** Answers a request that no app sees, and closes its connection. */
export function sendRefusal(req: IncomingMessage, res: ServerResponse, problem: Problem): void {
  for (const [name, value] of Object.entries(ANY_ORIGIN)) res.setHeader(name, value);
  res.setHeader('Connection', 'close');
  sendProblem(req, res, problem);
}

/** The same for a socket without a parsed request. */
export function writeRefusal(socket: Socket, { status, message }: Problem): void {
  const body = problemBody(status, message);
  const headers = {
    'Content-Type': JSON_TYPE,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...ANY_ORIGIN,
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  // destroying the socket while its client still sends would lose the answer
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}
