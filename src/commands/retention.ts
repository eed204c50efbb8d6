/** The command about readings that are too old: what would go, that it goes, and taking older ones in again. */
import { countReadingsBefore, currentCutoff, deleteExpired, lowerCutoff, planRetention } from '../rollups/retention.ts';
import { type Context, type Outcome, UsageError } from './context.ts';

type Options = { apply?: boolean | undefined; cutoff?: string | undefined };

export async function retentionCommand(context: Context, { apply = false, cutoff }: Options): Promise<Outcome> {
  const { config, database, installation, as, clock, instant, log } = context;
  const keep = config.rawRetention;
  const since = await instant('cutoff', cutoff);
  if (apply && since !== undefined) throw new UsageError('--apply and --cutoff are two commands');
  if (apply && keep === undefined)
    throw new UsageError('--apply needs RAW_RETENTION: nothing says how long readings are kept');
  if (apply && keep !== undefined) {
    await deleteExpired(database.target, clock(), keep, { log, timeZone: installation.timeZone, apply });
  }
  return await as('airseries_owner', async (sql) => {
    if (since !== undefined) await lowerCutoff(sql, since);
    const { cutoff: now, retainedFrom } = await currentCutoff(sql);
    const known = { retention: keep ?? null, cutoff: finite(now), retained_from: finite(retainedFrom) };
    if (keep === undefined) return { result: known, ok: true };
    const plan = await planRetention(sql, clock(), keep);
    const due = {
      sensors: plan.sensors,
      counted_from: plan.countedFrom,
      cutoff_wanted: finite(plan.wanted),
      months: plan.months,
      readings: plan.months === 0 ? 0 : await countReadingsBefore(sql, plan.wanted),
      needs_apply: plan.isRefused,
    };
    return { result: { ...known, ...due }, ok: true };
  });
}

const finite = (instant: string) => (instant === '-infinity' ? null : instant);
