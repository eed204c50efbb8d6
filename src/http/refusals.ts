/** Refuses what is not a request for an app, some of which Node shows to none. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem, sendRefusal, writeRefusal } from './send.ts';

/**
 * Why a request can't be passed to an app; undefined if it can. `req.url` is then a path that
 * Express can parse.
 */
export function refusalOf(req: IncomingMessage): Problem | undefined {
  if (req.httpVersion === '1.1' && req.headers.host === undefined) {
    return new Problem(400, 'The request has no Host header.');
  }
  // two may mean different sites to a proxy and to us (RFC 9112, 3.2); Node keeps the first
  if (req.headersDistinct.host !== undefined && req.headersDistinct.host.length > 1)
    return new Problem(400, 'The request has more than one Host header. Send one.');
  const path = pathOfTarget(req.url ?? '');
  if (path === undefined) return new Problem(400, 'The request target is not a valid URL.');
  req.url = path;
  return undefined;
}

/**
 * The path of a request target, which may be absolute, as sent to proxies. Express would answer
 * what it can't parse itself, as HTML.
 */
function pathOfTarget(target: string): string | undefined {
  if (!/^[!"$-~]+$/.test(target)) return undefined; // no spaces, no fragment, nothing beyond ASCII
  if (target.startsWith('/') || target === '*') return target;
  if (!URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : undefined;
}

/**
 * Handles what Node would otherwise answer without a body, or hang up on. `newest`: the newest
 * response that a connection waits for.
 */
export function answerForNode(
  server: Server,
  newest: (socket: Socket) => ServerResponse | undefined,
): void {
  /**
   * Refuses what isn't a request, or stopped being one midway, after the answers to those before
   * it.
   */
  const refuse = (socket: Socket, problem: Problem) => {
    const last = newest(socket);
    if (last === undefined) writeRefusal(socket, problem);
    else if (last.req.complete || last.writableEnded)
      last.once('close', () => writeRefusal(socket, problem));
    else if (last.headersSent) socket.destroy();
    else sendRefusal(last.req, last, problem); // the error is in the body of that request
  };
  server.on('checkExpectation', (req, res) => {
    sendRefusal(req, res, new Problem(417, 'The only supported Expect is 100-continue.'));
  });
  server.on('connect', (_req, socket: Socket) => {
    // Node has detached the socket: without these it would neither be read nor report its errors
    socket.on('error', () => socket.destroy()).resume();
    refuse(socket, new Problem(400, 'This is not a proxy: CONNECT is not supported.'));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuse(socket, unreadable(error));
  });
}

/** The problem behind an error of Node's HTTP parser: not HTTP, too large, or too slow. */
function unreadable({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Problem(431, 'The request line and headers are too large.');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem(408, 'The request did not arrive in time.');
  return new Problem(400, 'This is not a readable HTTP request.');
}
