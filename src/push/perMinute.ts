/** How often something may happen in a minute. Counted in memory, by each process for itself: a restart forgives everything. */
import type { Request, Response } from 'express';
import { MemoryStore, type RateLimitRequestHandler, rateLimit } from 'express-rate-limit';
import { watchClock } from '../clock.ts';
import { Problem } from '../http/problem.ts';

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
