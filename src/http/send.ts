/** Sends JSON: an answer with its validator (304 to a client that has it already), or a problem. HEAD gets the headers of GET and no body. */
import { createHash } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Request, Response } from 'express';
import fresh from 'fresh';
import type { Locale } from '../contract/locales.ts';

/**
 * Fresh for a minute, the interval of the refresh. For four more a cache may serve it while it revalidates, so nothing shown is older
 * than the five minutes between two digests. Ten minutes bridge an outage.
 */
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=240, stale-if-error=600';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A rendered document, which any number of requests may be sent at once. Its validator depends on the bytes alone. */
export type Answer = { locale: Locale; body: Buffer; etag: string };

/** Renders `content` as JSON. */
export function answerOf(locale: Locale, content: object): Answer {
  const body = Buffer.from(JSON.stringify(content));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  return { locale, body, etag };
}

/** Sends 200 with the document, or 304 if the client's `If-None-Match` names it (RFC 9110, 13.1.2). */
export function sendAnswer(req: Request, res: Response, { locale, body, etag }: Answer): void {
  res.set({ ETag: etag, 'Cache-Control': CACHE_CONTROL, 'Content-Language': locale });
  if (fresh(req.headers, { etag })) res.status(304).end();
  else sendBody(req, res, 200, body);
}

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
  return Buffer.from(JSON.stringify({ status, title: STATUS_CODES[status], detail }));
}

/** Client input to repeat in a message: in quotes, and cut after 80 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

/**
 * Shares work between identical requests: while `work` for a key is under way, every caller with that key gets its promise, so a thousand
 * clients that want one document cost one query. The result is shared: don't change it.
 */
export function coalesce<Result>(): (key: string, work: () => Promise<Result>) => Promise<Result> {
  const underWay = new Map<string, Promise<Result>>();
  return (key, work) => {
    const shared = underWay.get(key);
    if (shared !== undefined) return shared;
    const started = work().finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  };
}
