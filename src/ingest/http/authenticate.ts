/** Admits requests by their token, before anything of the body is read. */
import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { Problem } from '../../http/send.ts';
import type { IngestDeps } from './ingestRoute.ts';
import { findToken, makeTokenCheck } from './tokens.ts';

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
