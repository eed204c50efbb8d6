/** The command for old readings shows what retention would delete, deletes it, or accepts older readings again. */
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { countReadingsBefore, currentCutoff, deleteExpired, lowerCutoff, planRetention } from '../rollups/retention.ts';
import { type Context, type Outcome, type Run, timeOption, UsageError } from './context.ts';

type Options = { apply?: boolean; cutoff?: string };

/** Prints the cutoffs and, with RAW_RETENTION, what is due for deletion. */
export function retentionCommand(run: Run): Command {
  return new Command('retention')
    .description('show which readings RAW_RETENTION would delete; changes nothing without an option')
    .option('--apply', 'delete all of them now; the service deletes one month a night')
    .addOption(timeOption('--cutoff <time>', 'accept readings measured from this time on again').conflicts('apply'))
    .action((options: Options) =>
      run((context) => retention(context, options), { check: (config) => checkApply(config, options) }),
    );
}

function checkApply({ rawRetention }: Config, { apply = false }: Options): void {
  if (apply && rawRetention === undefined) {
    throw new UsageError('--apply needs RAW_RETENTION: it says how long readings are kept');
  }
}

async function retention(context: Context, { apply = false, cutoff }: Options): Promise<Outcome> {
  const { config, database, installation, as, clock, instant, log } = context;
  const keep = config.rawRetention;
  const since = await instant(cutoff);
  if (apply && keep !== undefined) {
    await deleteExpired(database.target, clock(), keep, { log, timeZone: installation.timeZone, apply });
  }
  return await as('airseries_owner', async (sql) => {
    if (since !== undefined) await lowerCutoff(sql, since);
    const current = await currentCutoff(sql);
    const state = {
      retention: keep ?? null,
      cutoff: finite(current.cutoff),
      retained_from: finite(current.retained_from),
    };
    if (keep === undefined) return { result: state, ok: true };
    const plan = await planRetention(sql, clock(), keep);
    const due = {
      counted_from: plan.counted_from,
      cutoff_wanted: finite(plan.wanted),
      months: plan.months,
      readings: plan.months === 0 ? 0 : await countReadingsBefore(sql, plan.wanted),
    };
    return { result: { ...state, ...due }, ok: true };
  });
}

/** Null for no cutoff. */
const finite = (instant: string) => (instant === '-infinity' ? null : instant);
