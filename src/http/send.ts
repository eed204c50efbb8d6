/** Sends JSON, and problems as JSON. HEAD gets the headers of GET and no body. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { ProblemBody } from '../contract/problem.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends JSON bytes with their type and length. */
export function sendBody(req: IncomingMessage, res: ServerResponse, status: number, body: Buffer): void {
  res.statusCode = status;
  res.setHeader('Content-Type', JSON_TYPE);
  res.setHeader('Content-Length', body.length);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** A request that can't be served: the status, the message that its client gets as `detail`, and further headers. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/** A 404. */
export const notFound = (detail: string): Problem => new Problem(404, detail);

/** Sends a problem as JSON. No cache may keep it: what is missing now may exist a moment later. */
export function sendProblem(req: IncomingMessage, res: ServerResponse, { status, message, headers }: Problem): void {
  for (const [name, value] of Object.entries({ 'Cache-Control': 'no-store', ...headers })) res.setHeader(name, value);
  sendBody(req, res, status, problemBody(status, message));
}

/** `{"status":404,"title":"Not Found","detail":"…"}` in bytes. */
export function problemBody(status: number, detail: string): Buffer {
  const body: ProblemBody = { status, title: STATUS_CODES[status] ?? '', detail };
  return Buffer.from(JSON.stringify(body));
}

/** Client input to repeat in a message: in quotes, and cut after 80 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
