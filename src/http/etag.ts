/** Validators: a strong one of the body's bytes, and whether a client already has it. */
import { createHash } from 'node:crypto';

export function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

/** `If-None-Match` is a list or `*`, and is compared weakly: W/"x" is as good as "x" (RFC 9110, 13.1.2). The quotes are part of ours. */
export function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || ifNoneMatch.includes(etag);
}
