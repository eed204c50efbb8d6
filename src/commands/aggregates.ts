/** Commands about the schema and what is computed in it: migrate, refresh, digest, audit. */
import { Command } from 'commander';
import { audit, makeDigest, rebuild, refresh } from '../rollups/refresh.ts';
import { AUDITED_DAYS } from '../worker/jobs.ts';
import {
  type Context,
  checkPeriod,
  type Outcome,
  type PeriodOptions,
  type Run,
  readPeriod,
  TIMES,
  timeOption,
} from './context.ts';

/** Every command migrates the database before it does anything else; this one does nothing more. */
export function migrateCommand(run: Run): Command {
  return new Command('migrate').description('migrate the database to this version, or create its schema').action(() =>
    run(async ({ installation: { timeZone, epoch, engine, applied } }) => ({
      result: { time_zone: timeZone, epoch, engine, applied },
      ok: true,
    })),
  );
}

export function refreshCommand(run: Run): Command {
  return new Command('refresh')
    .description('bring the aggregates up to date, or recompute a period from scratch')
    .addOption(timeOption('--from <time>', 'recompute from here on'))
    .addOption(timeOption('--to <time>', 'recompute up to here'))
    .addHelpText('after', TIMES)
    .action((options: PeriodOptions) => {
      checkPeriod(options);
      run((context) => refreshAggregates(context, options));
    });
}

async function refreshAggregates(context: Context, options: PeriodOptions): Promise<Outcome> {
  const { database, clock } = context;
  const { from, to } = await readPeriod(context, options);
  if (from === undefined && to === undefined) await refresh(database.target, clock());
  else await rebuild(database.target, clock(), { from, to });
  return { result: { refreshed: true }, ok: true };
}

export function digestCommand(run: Run): Command {
  return new Command('digest')
    .description("record the regions' current values now, without waiting for the service to do it")
    .action(() =>
      run(async ({ database, clock }) => {
        const madeAt = await makeDigest(database.target, clock());
        return { result: { made_at: madeAt.toISOString() }, ok: true };
      }),
    );
}

type AuditOptions = PeriodOptions & { repair?: boolean };

export function auditCommand(run: Run): Command {
  return new Command('audit')
    .description('recompute aggregates from the raw readings and report any difference; exit 1 if there is one')
    .addOption(timeOption('--from <time>', `start of the period (default: ${AUDITED_DAYS} days ago)`))
    .addOption(timeOption('--to <time>', 'end of the period (default: open)'))
    .option('--repair', 'recompute the aggregates that differ; exit 1 only if some still do')
    .addHelpText('after', `\nWhole months are audited: all those that the period touches.\n${TIMES}`)
    .action((options: AuditOptions) => {
      checkPeriod(options);
      run((context) => auditAggregates(context, options));
    });
}

async function auditAggregates(context: Context, { repair = false, ...options }: AuditOptions): Promise<Outcome> {
  const { database, clock, installation, log } = context;
  const now = clock();
  const start = new Date(now.getTime() - AUDITED_DAYS * 86_400_000);
  const { from = start, to } = await readPeriod(context, options, { from: start });
  const { found, left } = await audit(database.target, { now, from, to, repair, timeZone: installation.timeZone });
  const counts = repair
    ? `${found.length} buckets differed, ${left.length} still do`
    : `${found.length} buckets differ`;
  log.info(`${counts} (aggregates of the months from ${from.toISOString()} on)`);
  return { result: repair ? { found, left } : found, ok: left.length === 0 };
}
