/** So many requests at once: a body is in memory from its first byte to its answer, and the API may be in the same process. */
import type { RequestHandler } from 'express';
import { Problem } from '../problem.ts';

/** A request holds its slot from here until it ends, however it ends. */
export function atMost(limit: number): RequestHandler {
  let inUse = 0;
  return (_req, res, next) => {
    if (res.closed) return; // its client has left while its token was looked up: the end that would release the slot is over
    if (inUse >= limit) {
      throw new Problem(503, 'Too many requests are being taken in. Try again.', { 'Retry-After': '2' });
    }
    inUse += 1;
    res.once('close', () => {
      inUse -= 1;
    });
    next();
  };
}
