/** Takes the readings of a request in under the name of its sender, and answers what became of them. */
import type { Request, Response } from 'express';
import type { AskingPool } from '../../database/askingPool.ts';
import { acceptReadings, OutOfScope } from '../../ingest/accept.ts';
import type { Incoming } from '../../ingest/batch.ts';
import { Problem } from '../problem.ts';
import { sendBody } from '../send.ts';
import { senderOf } from './authenticate.ts';

type TakeIn = { writes: AskingPool; readings: readonly Incoming[]; now: Date };

export async function takeIn(req: Request, res: Response, { writes, readings, now }: TakeIn): Promise<void> {
  const { name, scope } = senderOf(res);
  const outcome = await acceptReadings(writes, readings, { now, source: name, scope }).catch((error: unknown) => {
    throw error instanceof OutOfScope ? forbidden(error) : error;
  });
  const { received, accepted, unchanged, quarantined } = outcome;
  res.set('Cache-Control', 'no-store');
  sendBody(req, res, 200, Buffer.from(JSON.stringify({ received, accepted, unchanged, quarantined })));
}

/** A batch may name thousands; a few of them show what is wrong. */
const NAMED = 20;

function forbidden({ sensors }: OutOfScope): Problem {
  const all = sensors.split(', ');
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
  const named = `${all.length === 1 ? 'sensor' : 'sensors'} ${all.slice(0, NAMED).join(', ')}${more}`;
  return new Problem(403, `This token may not send for ${named}. Nothing of this request was stored.`);
}
