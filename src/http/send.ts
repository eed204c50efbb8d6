/**
 * Sends JSON, and problems as JSON, even for requests that reach no app. HEAD gets the headers of
 * GET and no body.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { truncate } from '../base/printable.ts';
import { ANY_ORIGIN } from '../contract/endpoints.ts';
import type { ProblemBody } from '../contract/problem.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends JSON bytes with their type and length. */
export function sendBody(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  body: Buffer,
): void {
  res.statusCode = status;
  res.setHeader('Content-Type', JSON_TYPE);
  res.setHeader('Content-Length', body.length);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** A station by its id, or a region by its slug. */
export type NearPlace = { kind: 'station' | 'region'; key: string; title: string };

/**
 * A request that can't be served: the status, the message that its client gets as `detail`, and
 * further headers. `wanted`: the name of a place that there is not; `near`: places that may be meant;
 * `meant`: addresses that may be.
 */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly wanted: string | undefined;
  readonly near: readonly NearPlace[];
  readonly meant: readonly string[];

  constructor(
    status: number,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    wanted?: string,
    near: readonly NearPlace[] = [],
    meant: readonly string[] = [],
  ) {
    super(detail);
    this.status = status;
    this.headers = headers;
    this.wanted = wanted;
    this.near = near;
    this.meant = meant;
  }
}

/** A 404. */
export const notFound = (detail: string, wanted?: string): Problem =>
  new Problem(404, detail, {}, wanted);

/** Sends a problem as JSON. No cache may keep it: what is missing now may exist a moment later. */
export function sendProblem(
  req: IncomingMessage,
  res: ServerResponse,
  { status, message, headers }: Problem,
): void {
  for (const [name, value] of Object.entries({ 'Cache-Control': 'no-store', ...headers }))
    res.setHeader(name, value);
  sendBody(req, res, status, problemBody(status, message));
}

/** `{"status":404,"title":"Not Found","detail":"…"}` in bytes. */
function problemBody(status: number, detail: string): Buffer {
  const body: ProblemBody = { status, title: STATUS_CODES[status] ?? '', detail };
  return Buffer.from(JSON.stringify(body));
}

/** How long a client that still sends may take to read its answer and hang up. */
const LINGER_MS = 1_000;

/** Answers a request that no app sees, and closes its connection. */
export function sendRefusal(req: IncomingMessage, res: ServerResponse, problem: Problem): void {
  for (const [name, value] of Object.entries(ANY_ORIGIN)) res.setHeader(name, value);
  res.setHeader('Connection', 'close');
  sendProblem(req, res, problem);
}

/**
 * As `sendRefusal`, for a socket without a parsed request. Reads on for a while: a client that
 * still sends would lose the answer otherwise.
 */
export function writeRefusal(socket: Socket, { status, message }: Problem): void {
  if (!socket.writable) return; // the last response has closed it, or it was refused already
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
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}

/** Client input to repeat in a message, cut as `truncate` does, in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(truncate(text));
}

/**
 * Only an HTTP date counts in If-Modified-Since (RFC 9110, 13.1.3), in the one form that is still
 * sent: for `Date.parse` `2027` is a date too. A client with a date in the future would get 304
 * until then.
 */
export function isPastHttpDate(text: string, now: number): boolean {
  const date = new Date(text);
  return date.getTime() <= now && date.toUTCString() === text;
}
