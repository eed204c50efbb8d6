/** Refusals of requests before any app sees them, in the form of all other problems. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ANY_ORIGIN } from './middleware.ts';
import { JSON_TYPE, Problem, problemBody, sendProblem } from './send.ts';

/** How long a refused client may take to read the reason and hang up. */
const LINGER_MS = 1_000;

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
