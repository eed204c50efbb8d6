/**
 * Admits requests before anything of their body is read: by their token, by how many are under way
 * at once, and by how many came in a minute. All counts are in the memory of one process: each
 * process counts for itself, and a restart resets them.
 */
import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { MemoryStore, type Options, rateLimit } from 'express-rate-limit';
import { watchClock } from '../../base/clock.ts';
import { Problem } from '../../http/send.ts';
import type { IngestDeps } from './ingestRoute.ts';
import { findToken, makeTokenCheck, senderOf } from './tokens.ts';

/** A bound for memory, far above any network's number of tokens. */
const MOST_REMEMBERED = 10_000;

/**
 * A handler after which senderOf knows the sender. A missing, unknown or revoked token is 401.
 * Wrong tokens keep no one else out, whatever address they come from: those that were not valid
 * before are looked up together. Errors of the database are passed on.
 */
export function makeAuthenticate({
  writes,
  clock,
}: Pick<IngestDeps, 'writes' | 'clock'>): RequestHandler {
  const validBefore = new Set<string>();
  const isValid = makeTokenCheck(writes);
  return async (req, res, next) => {
    const token = presentedToken(req.get('Authorization'));
    if (token === undefined) throw unauthorized('This needs a token.');
    const fingerprint = createHash('sha256').update(token).digest('base64');
    const isWorthAsking = validBefore.has(fingerprint) || (await isValid(token));
    const sender = isWorthAsking ? await findToken(writes, token, clock()) : undefined;
    if (sender === undefined) {
      validBefore.delete(fingerprint);
      throw unauthorized('This token is unknown, or was revoked.');
    }
    if (validBefore.size >= MOST_REMEMBERED) validBefore.clear();
    validBefore.add(fingerprint);
    res.locals.sender = sender;
    next();
  };
}

/**
 * The token in an Authorization header, undefined if there is none. Feeds send it as Bearer; most
 * devices can do only Basic, where it is the password of any user, or the user if there is no
 * password.
 */
export function presentedToken(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +([^\s,]+) *$/.exec(authorization ?? '') ?? [];
  if (/^bearer$/i.test(scheme)) return credentials;
  if (!/^basic$/i.test(scheme)) return undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  const [user, password] =
    colon === -1 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
  return password || user || undefined;
}

function unauthorized(what: string): Problem {
  const how =
    'Send "Authorization: Bearer TOKEN", or the token as the password of HTTP Basic authentication.';
  return new Problem(401, `${what} ${how}`, {
    'WWW-Authenticate': 'Bearer realm="airseries", Basic realm="airseries"',
  });
}

/** Refuses requests beyond `rate` a minute from one sender. Only behind makeAuthenticate. */
export function limitRate(rate: number): RequestHandler {
  return perMinute({
    limit: rate,
    keyGenerator: (_req, res) => senderOf(res).id,
    detail: `This token has sent more than ${rate} requests in a minute. Send more readings in each, or wait.`,
  });
}

/** `detail`: why a request beyond the limit is refused, and what to do. */
type RateOptions = Pick<Options, 'limit' | 'keyGenerator'> & { detail: string };

/**
 * Refuses requests beyond `limit` a minute for one key with 429 and Retry-After. A clock that was
 * set starts the minute again.
 */
export function perMinute({ detail, ...options }: RateOptions): RequestHandler {
  const store = new MemoryStore();
  // a clock set back an hour would make this minute last an hour
  watchClock(() => store.resetAll());
  return rateLimit({
    ...options,
    store,
    windowMs: 60_000,
    legacyHeaders: false,
    standardHeaders: 'draft-7', // includes Retry-After
    validate: false, // its warnings are about default keys, and go to stdout
    handler: (_req, _res, next) => next(new Problem(429, detail)),
  });
}

/**
 * How many requests may be under way at once: a body is in memory from its first byte until the
 * response has ended.
 */
export type Concurrency = {
  /** From all senders together; beyond that the response is 503. */
  all: number;
  /**
   * From one sender, so that a slow one does not take the room of others; beyond that it is 429.
   */
  each: number;
};

const SOON = { 'Retry-After': '2' };

/**
 * Refuses requests beyond the limits. A request counts until its response ends, however it ends.
 * Only behind makeAuthenticate.
 */
export function limitConcurrency({ all, each }: Concurrency): RequestHandler {
  let inUse = 0;
  const bySender = new Map<string, number>(); // no more entries than there are tokens
  return (_req, res, next) => {
    // the client left while its token was looked up: there will be no 'close' to count it down
    if (res.closed) return;
    const { id } = senderOf(res);
    const own = bySender.get(id) ?? 0;
    if (own >= each) {
      throw new Problem(
        429,
        `This token has ${each} requests under way. Wait for the answer to one of them.`,
        SOON,
      );
    }
    if (inUse >= all) throw new Problem(503, 'Too many requests are under way. Try again.', SOON);
    inUse += 1;
    bySender.set(id, own + 1);
    res.once('close', () => {
      inUse -= 1;
      bySender.set(id, (bySender.get(id) ?? 1) - 1);
    });
    next();
  };
}
