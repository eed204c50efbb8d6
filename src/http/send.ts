/** Sends an answer: the bytes once, their validator, and 304 to a client that has them. HEAD gets the same headers and no body. */
import { createHash } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Request, Response } from 'express';
import type { Locale } from '../contract/locales.ts';

export function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

/** `If-None-Match` is a list or `*`, and is compared weakly: W/"x" is as good as "x" (RFC 9110, 13.1.2). The quotes are part of ours. */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || ifNoneMatch.includes(etag);
}

/**
 * Fresh for a minute, which is how often the aggregates move; for four more a cache may answer at once and ask behind the client's
 * back, so nothing shown is older than the five minutes between two digests; ten minutes bridge an outage.
 */
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=240, stale-if-error=600';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** An answer in bytes, which many may be sent at once. */
export type Answer = { locale: Locale; body: Buffer; etag: string };

export function answerOf(locale: Locale, content: object): Answer {
  const body = Buffer.from(JSON.stringify(content));
  return { locale, body, etag: etagOf(body) };
}

export function sendAnswer(req: Request, res: Response, { locale, body, etag }: Answer): void {
  res.set({ ETag: etag, 'Cache-Control': CACHE_CONTROL, 'Content-Language': locale });
  if (isKnown(etag, req.get('If-None-Match'))) res.status(304).end();
  else sendBody(req, res, 200, body);
}

/** A problem as JSON. Not to be cached: what is missing now may be there in a moment. */
export function sendProblem(req: IncomingMessage, res: ServerResponse, { status, message, headers }: Problem): void {
  for (const [name, value] of Object.entries({ 'Cache-Control': 'no-store', ...headers })) res.setHeader(name, value);
  sendBody(req, res, status, problemBody(status, message));
}

export function sendBody(req: IncomingMessage, res: ServerResponse, status: number, body: Buffer): void {
  res.statusCode = status;
  res.setHeader('Content-Type', JSON_TYPE);
  res.setHeader('Content-Length', body.length);
  res.end(req.method === 'HEAD' ? undefined : body);
}

export function problemBody(status: number, detail: string): Buffer {
  return Buffer.from(JSON.stringify({ status, title: STATUS_CODES[status], detail }));
}

/** An answer that is not the one that was asked for: a status, and what to do about it in words for the client. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

export const notFound = (detail: string): Problem => new Problem(404, detail);

/** What a client sent, fit to be repeated to it: quoted, and not longer than a line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}

/**
 * Asks an identical question once while it is under way: when a thousand clients want the same page at the same moment, one of them
 * asks the database and all have its answer. It was asked before some of them came, by no more than the three seconds that it may take.
 */

/** Gives what `ask` resolves to, or how it fails, to everyone who asks by this key until then. What is given is shared: do not change it. */
export function coalesce<Answer>(): (key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const underWay = new Map<string, Promise<Answer>>();
  return (key, ask) => {
    const asked = underWay.get(key);
    if (asked !== undefined) return asked;
    const asking = ask().finally(() => underWay.delete(key));
    underWay.set(key, asking);
    return asking;
  };
}
