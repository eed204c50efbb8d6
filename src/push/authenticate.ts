/**
 * Admits requests by their token, before anything of the body is read, and limits how many are accepted at once and in a minute. All
 * counts are in the memory of one process: each process counts for itself, and a restart resets them.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { ipKeyGenerator, MemoryStore, type Options, type RateLimitRequestHandler, rateLimit } from 'express-rate-limit';
import { type Clock, watchClock } from '../clock.ts';
import type { QueryPool } from '../database/queryPool.ts';
import { Problem } from '../http/send.ts';
import type { Scope } from '../ingest/accept.ts';

/** The owner of a token, and what it is authorized for. `id` is that of the token. */
type Sender = { id: string; name: string; scope: Scope };

type AuthenticateOptions = {
  writes: QueryPool;
  clock: Clock;
  /** How many requests a minute from one address may carry a wrong token. */
  failures: number;
};

/** A bound for memory, far above any network's number of tokens. */
const MOST_REMEMBERED = 10_000;

/**
 * Handlers after which senderOf knows the sender. A missing, unknown or revoked token is 401; too many wrong ones from an address are
 * 429. A token that was valid before is looked up all the same, or one device with an old token would lock out all others behind its
 * router. Errors of the database are passed on.
 */
export function makeAuthenticate({ writes, clock, failures }: AuthenticateOptions): RequestHandler[] {
  const validBefore = new Set<string>();
  const countFailure = perMinute({
    limit: failures,
    keyGenerator: addressOf,
    skip: (_req, res) => res.locals.sender !== undefined,
    detail: 'Too many requests from this address had a wrong token. Wait, and correct the token.',
  });
  const isAtLimit = async (req: Request) => ((await countFailure.getKey(addressOf(req)))?.totalHits ?? 0) >= failures;

  const identify: RequestHandler = async (req, res, next) => {
    const token = presentedToken(req.get('Authorization'));
    if (token === undefined) throw unauthorized('This needs a token.');
    const fingerprint = createHash('sha256').update(token).digest('base64');
    if (validBefore.has(fingerprint) || !(await isAtLimit(req))) {
      const sender = await findToken(writes, token, clock());
      if (sender === undefined) validBefore.delete(fingerprint);
      else {
        if (validBefore.size >= MOST_REMEMBERED) validBefore.clear();
        validBefore.add(fingerprint);
        res.locals.sender = sender;
      }
    }
    next();
  };
  const refuseUnknown: RequestHandler = (_req, res, next) => {
    if (res.locals.sender === undefined) throw unauthorized('This token is unknown, or was revoked.');
    next();
  };
  return [identify, countFailure, refuseUnknown];
}

/** Who sent the request that is being answered. Only behind makeAuthenticate. */
export function senderOf(res: Response): Sender {
  return res.locals.sender as Sender;
}

/**
 * The token in an Authorization header, undefined if there is none. Feeds send it as Bearer; most devices can do only Basic, where it is
 * the password of any user, or the user if there is no password.
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

const TOKEN = /^airs_([0-9a-f]{10})_([\w-]{43})$/;

type Row = { sha256: Uint8Array; name: string; provider_id: string; stations: number[] | null; is_noted: boolean };

/**
 * The sender of a valid token, undefined for anything else. `pool` is one in the role airseries_ingest; rejects with Unavailable where it
 * does. The last use is recorded once a minute: more often would mean a write for every request.
 */
export async function findToken(pool: QueryPool, presented: string, now: Date): Promise<Sender | undefined> {
  const [, id, secret] = TOKEN.exec(presented) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  const at = now.toISOString();
  const [row] = (await pool.query(
    `select sha256, name, provider_id, stations,
       coalesce(last_used_at > $2::text::timestamptz - interval '1 minute', false) as is_noted
     from raw.token where id = $1 and revoked_at is null`,
    [id, at],
  )) as Row[];
  // an id that does not exist takes as much work as one that does
  const same = timingSafeEqual(hashOf(secret), row?.sha256 ?? NO_HASH);
  if (row === undefined || !same) return undefined;
  if (!row.is_noted) {
    await pool.query('update raw.token set last_used_at = $2::text::timestamptz where id = $1', [id, at]);
  }
  return { id, name: row.name, scope: { provider: row.provider_id, stations: row.stations } };
}

const NO_HASH = Buffer.alloc(32);

/** What the database stores of a token's secret. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** An IPv6 address stands for its network, whose addresses all belong to one client. */
function addressOf(req: Request): string {
  return ipKeyGenerator(req.ip ?? '');
}

function unauthorized(what: string): Problem {
  const how = 'Send "Authorization: Bearer TOKEN", or the token as the password of HTTP Basic authentication.';
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

type RateOptions = Pick<Options, 'limit' | 'keyGenerator'> &
  Partial<Pick<Options, 'skip'>> & {
    /** Why a request beyond the limit is refused, and what to do. */
    detail: string;
  };

/** Refuses requests beyond `limit` a minute for one key with 429 and Retry-After. A clock that was set starts the minute again. */
export function perMinute({ detail, ...options }: RateOptions): RateLimitRequestHandler {
  const store = new MemoryStore();
  watchClock(() => store.resetAll()); // a clock set back an hour would make this minute last an hour
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

/** How many requests may be under way at once: a body is in memory from its first byte until the response has ended. */
export type Concurrency = {
  /** From all senders together; beyond that the response is 503. */
  all: number;
  /** From one sender, so that a slow one does not take the room of others; beyond that it is 429. */
  each: number;
};

/** Refuses requests beyond the limits. A request counts until its response ends, however it ends. Only behind makeAuthenticate. */
export function limitConcurrency({ all, each }: Concurrency): RequestHandler {
  let inUse = 0;
  const bySender = new Map<string, number>(); // no more entries than there are tokens
  return (_req, res, next) => {
    if (res.closed) return; // the client left while its token was looked up: there will be no 'close' to count it down
    const { id } = senderOf(res);
    const own = bySender.get(id) ?? 0;
    if (own >= each)
      throw tooMany(429, `This token has ${each} requests under way. Wait for the answer to one of them.`);
    if (inUse >= all) throw tooMany(503, 'Too many requests are under way. Try again.');
    inUse += 1;
    bySender.set(id, own + 1);
    res.once('close', () => {
      inUse -= 1;
      bySender.set(id, (bySender.get(id) ?? 1) - 1);
    });
    next();
  };
}

function tooMany(status: number, detail: string): Problem {
  return new Problem(status, detail, { 'Retry-After': '2' });
}
