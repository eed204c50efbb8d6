/** Takes the readings of a request in under the name of its sender, and answers what became of them. */
import type { Request, Response } from 'express';
import type { Clock } from '../clock.ts';
import type { QueryPool } from '../database/queryPool.ts';
import { Problem } from '../http/problem.ts';
import { sendBody } from '../http/send.ts';
import { acceptReadings, OutOfScope, type WriteStats } from '../ingest/accept.ts';
import type { ReadingInput } from '../ingest/batch.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { recordIngest, recordWrite } from '../metrics/recorders.ts';
import { senderOf } from './authenticate.ts';

/** What every way in needs. */
export type IngestDeps = {
  writes: QueryPool;
  clock: Clock;
  metrics: Metrics | undefined;
  /** How long a body may take to arrive. */
  bodyMs: number;
};

type IngestBatch = Pick<IngestDeps, 'writes' | 'metrics'> & { readings: readonly ReadingInput[]; now: Date };

export async function ingestBatch(
  req: Request,
  res: Response,
  { writes, metrics, readings, now }: IngestBatch,
): Promise<void> {
  const { name, scope } = senderOf(res);
  const onWrite = metrics && ((written: WriteStats) => recordWrite(metrics, written));
  const options = { now, source: name, scope, onWrite };
  const outcome = await acceptReadings(writes, readings, options).catch((error: unknown) => {
    throw error instanceof OutOfScope ? forbidden(error) : error;
  });
  if (metrics !== undefined) recordIngest(metrics, scope.provider, outcome);
  const { received, accepted, unchanged, quarantined, leftOut } = outcome;
  const full = leftOut > 0 ? { left_out_of_quarantine: leftOut } : {};
  res.set('Cache-Control', 'no-store');
  sendBody(req, res, 200, Buffer.from(JSON.stringify({ received, accepted, unchanged, quarantined, ...full })));
}

/** A batch may name thousands; a few of them show what is wrong. */
const NAMED = 20;

function forbidden({ sensors }: OutOfScope): Problem {
  const all = sensors.split(', ');
  const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : '';
  const named = `${all.length === 1 ? 'sensor' : 'sensors'} ${all.slice(0, NAMED).join(', ')}${more}`;
  return new Problem(403, `This token may not send for ${named}. Nothing of this request was stored.`);
}
