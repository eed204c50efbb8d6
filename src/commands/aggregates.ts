/** Commands for the schema and the aggregates: migrate, refresh, digest, audit. */
import { Command } from 'commander';
import { type Audit, audit } from '../aggregate/audit.ts';
import { makeDigest } from '../aggregate/digest.ts';
import { AUDITED_DAYS } from '../aggregate/jobs.ts';
import { rebuild, refresh } from '../aggregate/refresh.ts';
import { serverVersions } from '../schema/engine.ts';
import {
  type Context,
  checkBegun,
  type Outcome,
  type PeriodOptions,
  type Run,
  readPeriod,
  timeOption,
  UsageError,
} from './context.ts';
import { paragraph } from './help.ts';

/** Every command migrates the database first; this one does nothing else. */
export function migrateCommand(run: Run): Command {
  return new Command('migrate')
    .description('migrate the database to this version, or create its schema')
    .action(() =>
      run(
        async ({ as, installation: { timeZone, epoch, engine, applied } }) => {
          const versions = await as('airseries_owner', serverVersions);
          return { result: { time_zone: timeZone, epoch, engine, applied, versions }, ok: true };
        },
        { makesDatabase: true },
      ),
    );
}

/** Without a period it refreshes what changed; with one it recomputes all buckets of the period. */
export function refreshCommand(run: Run): Command {
  return new Command('refresh')
    .description('bring the aggregates up to date, or recompute a period from scratch')
    .addOption(timeOption('--from <time>', 'start of the period to recompute'))
    .addOption(timeOption('--to <time>', 'end of the period to recompute'))
    .action((options: PeriodOptions) => run((context) => refreshAggregates(context, options)));
}

async function refreshAggregates(context: Context, options: PeriodOptions): Promise<Outcome> {
  const { database, clock } = context;
  const { from, to } = await readPeriod(context, options);
  if (from === undefined && to === undefined) await refresh(database.target, clock, context);
  else await rebuild(database.target, clock, { from, to }, context);
  return { result: { refreshed: true }, ok: true };
}

/** Prints the time of the digest. */
export function digestCommand(run: Run): Command {
  return new Command('digest')
    .description("record the regions' current values now instead of waiting for the service")
    .action(() =>
      run(async ({ database, clock }) => {
        const madeAt = await makeDigest(database.target, clock());
        return { result: { made_at: madeAt.toISOString() }, ok: true };
      }),
    );
}

type AuditOptions = PeriodOptions & { repair?: boolean; deleteSurplus?: boolean };

/** Prints the differences; with --repair those found and those remaining. */
export function auditCommand(run: Run): Command {
  return new Command('audit')
    .description(
      'recompute aggregates from the raw readings and report any difference; exits 1 if there is one',
    )
    .addOption(
      timeOption('--from <time>', `start of the period (default: ${AUDITED_DAYS} days ago)`),
    )
    .addOption(timeOption('--to <time>', 'end of the period (default: none)'))
    .option('--repair', 'recompute the buckets that differ; exits 1 only if some still do')
    .option(
      '--delete-surplus',
      'with --repair, also delete buckets without readings: look at the list first',
    )
    .addHelpText('after', () =>
      paragraph(
        'The audit covers whole days: all that overlap the period, and their months, whose other days are taken as stored.',
      ),
    )
    .action((options: AuditOptions) => {
      if (options.deleteSurplus && !options.repair)
        throw new UsageError('--delete-surplus needs --repair');
      run((context) => auditAggregates(context, options));
    });
}

async function auditAggregates(context: Context, options: AuditOptions): Promise<Outcome> {
  const { repair = false, deleteSurplus = false, ...typed } = options;
  const { database, clock, installation, log } = context;
  const now = clock();
  const start = new Date(now.getTime() - AUDITED_DAYS * 86_400_000);
  const { from = start, to } = await readPeriod(context, typed, start);
  checkBegun(from, now);
  const period = { clock, from, to, timeZone: installation.timeZone };
  const { found, foundCount, remaining, remainingCount, kept, compared } = await audit(
    database.target,
    {
      ...period,
      repair,
      deleteSurplus,
      watcher: context,
    },
  );
  const counts = repair
    ? `${foundCount} buckets differed, ${remainingCount} still do`
    : `${foundCount} buckets differ`;
  log.info(
    compared === null
      ? 'nothing to audit: no readings and no buckets'
      : `${counts}: ${inWords(compared)}`,
  );
  const unlisted = foundCount - found.length;
  if (unlisted > 0) log.info(`the first ${found.length} are listed, and ${unlisted} more differ`);
  if (kept > 0) {
    log.warn(
      { kept },
      'surplus buckets have no readings, so they and their days were kept: import the lost readings from a backup, or delete the buckets with "audit --repair --delete-surplus"',
    );
  }
  return { result: repair ? { found, remaining } : found, ok: remainingCount === 0 };
}

/** How far back the audit looked. */
function inWords({ first, last, earlier }: NonNullable<Audit['compared']>): string {
  const days = first === last ? `${first} and its month` : `${first} to ${last} and their months`;
  const rest = earlier === null ? '' : `; not the days from ${earlier} on: --from ${earlier}`;
  return `compared ${days}${rest}`;
}
