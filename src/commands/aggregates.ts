/** Commands about what the readings add up to. */

import { makeDigest } from '../rollups/digest.ts';
import { audit, rebuild, refresh } from '../rollups/refresh.ts';
import { AUDITED_DAYS } from '../worker/jobs.ts';
import { type Context, type Options, type Outcome, pickFields } from './context.ts';

export async function refreshCommand({ database, clock, instant }: Context, { from, to }: Options): Promise<Outcome> {
  const [since, until] = pickFields(await instant('from', from), await instant('to', to));
  if (since === undefined && until === undefined) await refresh(database.target, clock());
  else await rebuild(database.target, clock(), { from: since, to: until });
  return { result: { refreshed: true }, ok: true };
}

export async function digestCommand({ database, clock }: Context): Promise<Outcome> {
  const madeAt = await makeDigest(database.target, clock());
  return { result: { made_at: madeAt.toISOString() }, ok: true };
}

export async function auditCommand(
  { database, clock, instant, installation, log }: Context,
  options: Options,
): Promise<Outcome> {
  const now = clock();
  const start = (await instant('from', options.from)) ?? new Date(now.getTime() - AUDITED_DAYS * 86_400_000);
  const [from = start, to] = pickFields(start, await instant('to', options.to));
  const repair = options.repair === true;
  const { found, left } = await audit(database.target, { now, from, to, repair, timeZone: installation.timeZone });
  const told = repair ? `${found.length} buckets differed, ${left.length} still do` : `${found.length} buckets differ`;
  log.info(`${told} (aggregates of the months from ${from.toISOString()} on)`);
  return { result: repair ? { found, left } : found, ok: left.length === 0 };
}
