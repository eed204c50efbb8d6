/** Commands for readings that could not be used: list, retry and drop them. */
import { Command } from 'commander';
import { distance } from 'fastest-levenshtein';
import { refreshAndDigest } from '../aggregate/digest.ts';
import type { Sql } from '../database/client.ts';
import type { ReadingFormats } from '../ingest/formats.ts';
import { countByReason, dropQuarantined, listQuarantine } from '../ingest/quarantine/list.ts';
import { retryQuarantined } from '../ingest/quarantine/retry.ts';
import { ALL_REASONS, READING_REASONS, VALUE_REASONS } from '../ingest/store/validate.ts';
import {
  type Context,
  type Outcome,
  type Run,
  timeOption,
  UsageError,
  wholeNumber,
} from './context.ts';

type Filter = { reason?: string; source?: string; provider?: string };
type DropOptions = Filter & { before?: string; all?: boolean };

/** `quarantine list`, `quarantine retry` and `quarantine drop`, with common filters. */
export function quarantineCommand(run: Run, formats: ReadingFormats): Command {
  return new Command('quarantine')
    .description('list, retry or drop readings that could not be used')
    .addCommand(
      withFilter('list', 'list quarantined input and its reasons, newest first')
        .option('--limit <n>', 'number of lines to show', wholeNumber(999_999), 50)
        .action(({ limit, ...filter }: Filter & { limit: number }) =>
          run(async (context) => ({
            result: await filtered(context, filter, (sql) =>
              listQuarantine(sql, filter, limit, formats),
            ),
            ok: true,
          })),
        ),
    )
    .addCommand(
      withFilter(
        'retry',
        'retry quarantined readings once the cause is fixed; fills gaps, never replaces stored values',
      ).action((filter: Filter) => run((context) => retry(context, filter, formats))),
    )
    .addCommand(
      withFilter('drop', 'permanently delete quarantined input')
        .addOption(timeOption('--before <time>', 'only what was recorded before this time'))
        .option('--all', 'everything; cannot be combined with a filter')
        .action((options: DropOptions) => {
          checkDrop(options);
          run((context) => drop(context, options));
        }),
    );
}

function withFilter(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--reason <reason>', 'only this reason, such as unknown_sensor')
    .option('--source <source>', 'only this source, such as a file name')
    .option('--provider <id>', 'only this provider; empty: imported by hand');
}

/** Runs one of the three commands, once its filter is checked. */
async function filtered<T>(
  { as }: Context,
  filter: Filter,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return await as('airseries_owner', async (sql) => {
    await checkReason(sql, filter);
    return await work(sql);
  });
}

/**
 * Rejects with UsageError for a reason that there is not. Lines of another version may have reasons
 * that this one does not know.
 */
async function checkReason(sql: Sql, { reason }: Filter): Promise<void> {
  if (reason === undefined || ALL_REASONS.includes(reason)) return;
  if ((await countByReason(sql, { reason })).length > 0) return;
  const [near] = ALL_REASONS.filter((one) => one.includes(reason) || distance(one, reason) <= 2);
  const remedy =
    near === undefined
      ? `The reasons are ${Object.keys(READING_REASONS).join(', ')}, and of single values ${Object.keys(VALUE_REASONS).join(', ')}, as in out_of_bounds:pm25`
      : `Did you mean ${near}?`;
  throw new UsageError(`--reason: there is no reason ${reason}. ${remedy}`);
}

async function retry(context: Context, filter: Filter, formats: ReadingFormats): Promise<Outcome> {
  const { database, clock, log, terminal } = context;
  const options = { ...filter, now: clock(), log, terminal, formats };
  const result = await filtered(context, filter, (sql) => retryQuarantined(sql, options));
  await refreshAndDigest(database.target, clock, { log, terminal });
  return { result, ok: true };
}

/** Deleting everything requires --all. Throws UsageError. */
function checkDrop({ all = false, ...filter }: DropOptions): void {
  if (all !== Object.keys(filter).length > 0) return;
  throw new UsageError(
    'quarantine drop needs --reason, --source, --provider or --before; or --all alone',
  );
}

async function drop(
  context: Context,
  { all: _, before, ...filter }: DropOptions,
): Promise<Outcome> {
  const instant = await context.instant(before);
  const dropped = await filtered(context, filter, (sql) =>
    dropQuarantined(sql, { ...filter, before: instant }),
  );
  return { result: { dropped }, ok: true };
}
