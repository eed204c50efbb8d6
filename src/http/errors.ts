/** Turns whatever went wrong into an answer that gives nothing of the inside away, and into a line of the log where it is our fault. */

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express';
import { Unavailable } from '../database/errors.ts';
import type { Log } from '../log.ts';
import { ANY_ORIGIN } from './middleware.ts';
import { JSON_TYPE, Problem, problemBody, sendProblem } from './send.ts';

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

/** Refuses in the form of every other problem what never gets as far as an app, and hangs up. */

/** A client that does not hang up as well has this long to read why. */
const LINGER_MS = 1_000;

/** Why an HTTP request cannot be given to an app; undefined: it can. Its URL is from then on one that Express can parse. */
export function refusalOf(req: IncomingMessage): Problem | undefined {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    return new Problem(400, 'The request has no Host header.');
  }
  if (isExpecting(req) && !/^100-continue$/i.test(req.headers.expect ?? '')) {
    return new Problem(417, 'The only Expect that can be met is 100-continue.');
  }
  const path = pathOf(req.url ?? '');
  if (path === undefined) return new Problem(400, 'The address of this request is not a readable URL.');
  req.url = path;
  return undefined;
}

/** Whether its client waits for a word before it sends the body. */
export function isExpecting({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.expect !== undefined;
}

/** Also of an address with scheme and host, as proxies are sent. Express answers what it cannot parse itself, and not as JSON. */
function pathOf(target: string): string | undefined {
  if (!/^[!"$-~]+$/.test(target)) return undefined; // no spaces, no fragment, nothing beyond ASCII
  if (target.startsWith('/') || target === '*') return target;
  if (!URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : undefined;
}

/** By the code of Node's error: what is no HTTP, or not in time. */
export function unreadable({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem(431, 'The headers of this request, its path included, are too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem(408, 'The request did not arrive in time.');
  return new Problem(400, 'This is not a readable HTTP request.');
}

export function sendRefusal(req: IncomingMessage, res: ServerResponse, problem: Problem): void {
  for (const [name, value] of Object.entries(ANY_ORIGIN)) res.setHeader(name, value);
  res.setHeader('Connection', 'close');
  sendProblem(req, res, problem);
}

/** Where there is no request that could be answered. */
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
  // destroyed at once, while it still sends, its client would never see the answer
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}
