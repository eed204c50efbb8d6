/** Sends an answer: the bytes once, their validator, and 304 to a client that has them. HEAD gets the same headers and no body. */

import { STATUS_CODES } from 'node:http';
import type { Request, Response } from 'express';
import type { Locale } from '../contract/locales.ts';
import { etagOf, isKnown } from './etag.ts';
import type { Problem } from './problem.ts';

/**
 * Fresh for a minute, which is how often the aggregates move; for four more a cache may answer at once and ask behind the client's
 * back, so nothing shown is older than the five minutes between two digests; ten minutes bridge an outage.
 */
const CACHE_CONTROL = 'public, max-age=60, stale-while-revalidate=240, stale-if-error=600';

export const JSON_TYPE = 'application/json; charset=utf-8';

export function sendAnswer(req: Request, res: Response, locale: Locale, answer: object): void {
  const body = Buffer.from(JSON.stringify(answer));
  const etag = etagOf(body);
  res.set({ ETag: etag, 'Cache-Control': CACHE_CONTROL, 'Content-Language': locale });
  if (isKnown(etag, req.get('If-None-Match'))) res.status(304).end();
  else sendBody(req, res, 200, body);
}

/** A problem as JSON. Not to be cached: what is missing now may be there in a moment. */
export function sendProblem(req: Request, res: Response, { status, message, headers }: Problem): void {
  res.set({ 'Cache-Control': 'no-store', ...headers });
  sendBody(req, res, status, problemBody(status, message));
}

export function sendBody(req: Request, res: Response, status: number, body: Buffer): void {
  res.status(status).setHeader('Content-Type', JSON_TYPE);
  res.setHeader('Content-Length', body.length);
  res.end(req.method === 'HEAD' ? undefined : body);
}

export function problemBody(status: number, detail: string): Buffer {
  return Buffer.from(JSON.stringify({ status, title: STATUS_CODES[status], detail }));
}
