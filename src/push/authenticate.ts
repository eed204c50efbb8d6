/**
 * Admits nobody without a token, before anything of a body is read. Too many wrong tokens from an address must wait; but a token that was
 * good before is checked all the same, or one device with an old token would lock out all those behind its router.
 */
import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, MemoryStore, type RateLimitRequestHandler, rateLimit } from 'express-rate-limit';
import { type Clock, watchClock } from '../clock.ts';
import type { QueryPool } from '../database/queryPool.ts';
import { Problem } from '../http/send.ts';
import { findToken, type Sender } from './tokens.ts';

/**
 * The token in an Authorization header. Feeds send it as Bearer; devices can as a rule do no more than Basic, where it is the password
 * of any user, or the user if there is no password.
 */
export function presentedToken(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +([^\s,]+) *$/.exec(authorization ?? '') ?? [];
  if (/^bearer$/i.test(scheme)) return credentials;
  if (!/^basic$/i.test(scheme)) return undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  const [user, password] = colon === -1 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
  return password || user || undefined;
}

type Options = { writes: QueryPool; clock: Clock; failures: number };

/** A bound for memory, far above any network's number of tokens. */
const REMEMBERED = 10_000;

export function makeAuthenticate({ writes, clock, failures }: Options): RequestHandler {
  const detail = 'Too many requests from this address had a wrong token. Wait, and correct the token.';
  const limiter = perMinute({ limit: failures, keyOf: addressOf, detail });
  const goodBefore = new Set<string>();

  /** Resolves if the address may fail once more in this minute. */
  const noteFailure = (req: Request, res: Response) =>
    new Promise<void>((resolve, reject) => {
      limiter(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
  const isAtLimit = async (req: Request) => ((await limiter.getKey(addressOf(req)))?.totalHits ?? 0) >= failures;

  return async (req, res, next) => {
    const presented = presentedToken(req.get('Authorization'));
    if (presented === undefined) throw unauthorized('This needs a token.');
    const print = createHash('sha256').update(presented).digest('base64');
    if (!goodBefore.has(print) && (await isAtLimit(req))) await noteFailure(req, res);
    const sender = await findToken(writes, presented, clock());
    if (sender === undefined) {
      goodBefore.delete(print);
      await noteFailure(req, res);
      throw unauthorized('This token is unknown, or was revoked.');
    }
    if (goodBefore.size >= REMEMBERED) goodBefore.clear();
    goodBefore.add(print);
    res.locals.sender = sender;
    next();
  };
}

/** Who sent the request that is being answered. */
export function senderOf(res: Response): Sender {
  return res.locals.sender as Sender;
}

/** An IPv6 address stands for its network: whoever has one has as many as they like. */
function addressOf(req: Request): string {
  return ipKeyGenerator(req.ip ?? '');
}

function unauthorized(what: string): Problem {
  const how = 'Send "Authorization: Bearer TOKEN", or the token as the password of HTTP Basic authentication.';
  return new Problem(401, `${what} ${how}`, {
    'WWW-Authenticate': 'Bearer realm="airseries", Basic realm="airseries"',
  });
}

/**
 * How many requests at once, and how many a minute. A body is in memory from its first byte to its answer, and the API may be in the same
 * process. Counted in memory, by each process for itself: a restart forgives everything.
 */

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
