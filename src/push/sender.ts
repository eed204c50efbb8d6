/** Who sends. */
import type { Response } from 'express';
import type { Scope } from '../ingest/accept.ts';

/** The owner of a token, and what it is authorized for. `id` is that of the token. */
export type Sender = { id: string; name: string; scope: Scope };

/** Who sent the request that is being answered. Only behind makeAuthenticate. */
export function senderOf(res: Response): Sender {
  return res.locals.sender as Sender;
}
