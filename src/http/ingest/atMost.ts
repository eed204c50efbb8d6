/** So many requests at once: a body is in memory from its first byte to its answer, and the API may be in the same process. */
import type { RequestHandler } from 'express';
import { Problem } from '../problem.ts';

export function atMost(limit: number): RequestHandler {
  let under = 0;
  return (_req, res, next) => {
    if (under >= limit)
      throw new Problem(503, 'Too many requests are being taken in. Try again.', { 'Retry-After': '2' });
    under += 1;
    res.once('close', () => {
      under -= 1;
    });
    next();
  };
}
