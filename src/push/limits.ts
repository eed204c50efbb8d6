/** So many requests at once: a body is in memory from its first byte to its answer, and the API may be in the same process. */
import type { RequestHandler, Response } from 'express';
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
