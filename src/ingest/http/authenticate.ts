/** Admits requests by their token, before anything of the body is read. */
import { createHash } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { Problem } from '../../http/send.ts';
import type { IngestDeps } from './ingestRoute.ts';
import { perMinute } from './limits.ts';
import { findToken } from './tokens.ts';

type AuthenticateOptions = Pick<IngestDeps, 'writes' | 'clock'> & {
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
export function makeAuthenticate({
  writes,
  clock,
  failures,
}: AuthenticateOptions): RequestHandler[] {
  const validBefore = new Set<string>();
  const countFailure = perMinute({
    limit: failures,
    keyGenerator: addressOf,
    skip: (_req, res) => res.locals.sender !== undefined,
    detail: 'Too many requests from this address had a wrong token. Wait, and correct the token.',
  });
  const isAtLimit = async (req: Request) =>
    ((await countFailure.getKey(addressOf(req)))?.totalHits ?? 0) >= failures;

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
    if (res.locals.sender === undefined)
      throw unauthorized('This token is unknown, or was revoked.');
    next();
  };
  return [identify, countFailure, refuseUnknown];
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
  const [user, password] =
    colon === -1 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
  return password || user || undefined;
}

/** An IPv6 address stands for its network, whose addresses all belong to one client. */
function addressOf(req: Request): string {
  return ipKeyGenerator(req.ip ?? '');
}

function unauthorized(what: string): Problem {
  const how =
    'Send "Authorization: Bearer TOKEN", or the token as the password of HTTP Basic authentication.';
  return new Problem(401, `${what} ${how}`, {
    'WWW-Authenticate': 'Bearer realm="airseries", Basic realm="airseries"',
  });
}
