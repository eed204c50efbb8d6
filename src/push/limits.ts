/**
 * How many requests at once, and how many a minute. A body is in memory from its first byte to its answer, and the API may be in the same
 * process. Counted in memory, by each process for itself: a restart forgives everything.
 */

import type { Request, RequestHandler, Response } from 'express';
import { MemoryStore, type RateLimitRequestHandler, rateLimit } from 'express-rate-limit';
import { watchClock } from '../clock.ts';
import { Problem } from '../http/problem.ts';

type Limits = {
  /** Of all senders together. */
  all: number;
  /** Of one sender: whoever is slow keeps places from himself and not from everybody. */
  each: number;
  senderOf: (res: Response) => string;
};

/** A request holds its slot from here until it ends, however it ends. */
export function atMost({ all, each, senderOf }: Limits): RequestHandler {
  let inUse = 0;
  const ofSender = new Map<string, number>(); // no more entries than there are tokens
  return (_req, res, next) => {
    if (res.closed) return; // its client has left while its token was looked up: the end that would release the slot is over
    const sender = senderOf(res);
    const own = ofSender.get(sender) ?? 0;
    if (own >= each) throw full(429, `This token has ${each} requests under way. Wait for the answer to one of them.`);
    if (inUse >= all) throw full(503, 'Too many requests are being taken in. Try again.');
    inUse += 1;
    ofSender.set(sender, own + 1);
    res.once('close', () => {
      inUse -= 1;
      ofSender.set(sender, (ofSender.get(sender) ?? 1) - 1);
    });
    next();
  };
}

function full(status: number, detail: string): Problem {
  return new Problem(status, detail, { 'Retry-After': '2' });
}

type Limit = {
  limit: number;
  /** Those that share a key share the limit. */
  keyOf: (req: Request, res: Response) => string;
  /** What to tell whoever goes beyond it. */
  detail: string;
};

export function perMinute({ limit, keyOf, detail }: Limit): RateLimitRequestHandler {
  const store = new MemoryStore();
  watchClock(() => store.resetAll()); // or an hour's way back would make an hour of this minute
  return rateLimit({
    store,
    windowMs: 60_000,
    limit,
    keyGenerator: keyOf,
    legacyHeaders: false,
    standardHeaders: 'draft-7', // and with it Retry-After
    validate: false, // its advice is about keys that are not ours, and goes to stdout
    handler: (_req, _res, next) => next(new Problem(429, detail)),
  });
}
