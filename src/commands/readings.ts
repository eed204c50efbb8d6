/** Commands for readings: import, delete, and apply retention. */
import { Command, Option } from 'commander';
import { refreshAndDigest } from '../aggregate/digest.ts';
import { refresh } from '../aggregate/refresh.ts';
import {
  countReadingsBefore,
  currentCutoff,
  deleteExpired,
  lowerCutoff,
  planRetention,
} from '../aggregate/retention.ts';
import { InputError } from '../base/inputError.ts';
import type { Sql } from '../database/client.ts';
import { type DeclaringOption, OWN_FORMAT, type ReadingFormats } from '../ingest/formats.ts';
import { type Confirm, importReadings } from '../ingest/importReadings.ts';
import type { ImportSummary } from '../ingest/importReport.ts';
import type { Plan } from '../ingest/plan.ts';
import type { Declarations } from '../ingest/reading/declarations.ts';
import type { Transitions } from '../ingest/reading/zone.ts';
import { deleteReadings } from '../ingest/store/deleteReadings.ts';
import { sourceNamed } from '../ingest/store/sources.ts';
import {
  type Context,
  LARGEST_ID,
  type Outcome,
  type Run,
  readPeriod,
  type Settings,
  timeOption,
  UsageError,
  wholeNumber,
} from './context.ts';
import { planText, storingCommand } from './plan.ts';
import { resultTable } from './table.ts';

type ImportOptions = {
  format?: string;
  unit?: string[];
  column?: string[];
  zone?: string;
  shift?: string;
  round?: string;
  only?: string[];
  dateFormat?: string;
  sensor?: number;
  device?: string;
  source?: string;
  dryRun?: boolean;
  yes?: boolean;
};

const collect = (text: string, before: string[]): string[] => [...before, text];

/** Prints how many readings were accepted, unchanged and quarantined. */
export function importReadingsCommand(run: Run, formats: ReadingFormats): Command {
  const command = new Command('readings')
    .description(
      'import readings from CSV with a header, NDJSON or JSON, plain or gzip; safe to repeat',
    )
    .argument('<files...>', 'files of readings; - for standard input')
    .option('--dry-run', 'store nothing: show how each file is read, and what it would do')
    .option('--yes', 'do not ask before a new kind of file is stored');
  for (const option of formats.options) command.addOption(declaringOption(option));
  return command.action((files: string[], options: ImportOptions) =>
    run((context) => importFiles(context, files, options, formats), {
      check: () => {
        try {
          formats.checkDeclarations({ ...declaredBy(options), transitions: NOT_ASKED });
        } catch (error) {
          throw asUsage(error);
        }
      },
    }),
  );
}

function declaringOption({ flags, description, choices, is }: DeclaringOption): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices(choices);
  if (is === 'id') option.argParser(wholeNumber(LARGEST_ID));
  return is === 'list' ? option.default([]).argParser(collect) : option;
}

/** The rules of a zone, which only the server knows. */
const NOT_ASKED: Transitions = [{ since: 0, offset: 0 }];

const declaredBy = ({
  format: name,
  unit: units,
  column: columns,
  source: _,
  dryRun: __,
  yes: ___,
  ...others
}: ImportOptions): Declarations => ({ name, units, columns, ...others });

/** An option that cannot be followed is bad usage, whether or not the database was asked. */
const asUsage = (error: unknown): unknown =>
  error instanceof InputError && DECLARATIONS.includes(error.input)
    ? new UsageError(error.message)
    : error;

const DECLARATIONS = ['--column', '--unit', '--zone', '--shift', '--only', '--source'];

async function importFiles(
  context: Context,
  files: string[],
  options: ImportOptions,
  formats: ReadingFormats,
): Promise<Outcome> {
  const { database, as, clock, log, terminal, installation } = context;
  const undoable = context.config.undoDays !== 0;
  const plans: Plan[] = [];
  const confirm = options.dryRun === true ? onlyPlans(plans) : confirmBy(context, options);
  const settings = { now: clock(), log, terminal, formats, undoable, confirm };
  const summary = await as('airseries_ingest', async (sql) => {
    try {
      const declared = await declaredWith(sql, options, formats);
      const format = { ...declared, timeZone: installation.timeZone };
      return await importReadings(sql, files, { ...settings, format });
    } catch (error) {
      throw asUsage(error);
    }
  });
  if (options.dryRun === true) return planned(plans, summary, files, options);
  await refreshAndDigest(database.target, clock, context);
  const logged = terminal ? ['failures', 'hints', 'examples'] : [];
  const said = Object.fromEntries(
    Object.entries(summary).filter(
      ([name, value]) => name === 'accepted' || !(isNothing(value) || logged.includes(name)),
    ),
  );
  return { result: summary, ok: !summary.failed, table: (width) => resultTable(said, width) };
}

/** The options, and the source that they name. Rejects with InputError for an unknown one. */
async function declaredWith(
  sql: Sql,
  options: ImportOptions,
  { sources }: ReadingFormats,
): Promise<Declarations> {
  const declared = declaredBy(options);
  if (options.source === undefined || sources === undefined) return declared;
  const source = await sourceNamed(sql, options.source, '--source');
  return { ...sources.declaredBy(source, declared), sourceName: options.source };
}

/** Keeps the plan of each file, and stores none. */
const onlyPlans = (plans: Plan[]): Confirm => ({
  isWanted: () => true,
  async decide(plan) {
    plans.push(plan);
    return false;
  },
});

/**
 * On a terminal, a file whose columns are mapped, or the first one of a foreign format, is shown and
 * asked about. One that leaves a question open is refused with it afterwards.
 */
function confirmBy({ ask, log }: Context, { yes, column }: ImportOptions): Confirm | undefined {
  if (ask === undefined || yes === true) return undefined;
  return {
    isWanted: ({ format, isNew }) => (column?.length ?? 0) > 0 || (isNew && format !== OWN_FORMAT),
    async decide(plan) {
      log.info(`\n${planText(plan, process.stderr.columns ?? 80)}\n`);
      return plan.doubts.length > 0 || (await ask('Store it?'));
    },
  };
}

function planned(
  plans: Plan[],
  { failures }: ImportSummary,
  files: string[],
  { dryRun: _, yes: __, ...options }: ImportOptions,
): Outcome {
  const store = storingCommand(files, wordsOf(options));
  const isOpen = plans.some(({ doubts, failure }) => doubts.length > 0 || failure !== undefined);
  const text = (width: number) =>
    [
      ...plans.map((plan) => planText(plan, width)),
      ...(plans.length === 0
        ? ['Nothing was stored.']
        : [`Nothing was stored. This stores it:\n${store}`]),
      ...plans
        .slice(0, 1)
        .map(
          ({ entry }) =>
            `The same for good, in "sources" of the network file:\n${JSON.stringify({ NAME: entry })}`,
        ),
    ].join('\n\n');
  return {
    result: { dry_run: true, plans, failures, store },
    ok: !isOpen && failures.length === 0,
    table: text,
  };
}

/** Options as they may be typed again. */
const wordsOf = (options: object): string[] =>
  Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [value].flat().flatMap((one) => (one === undefined ? [] : [flag, String(one)]));
  });

/** People are shown what is not zero, and what the log has not shown them before. */
const isNothing = (value: unknown) =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0);

type DeleteOptions = { sensor: number; from: string; to: string };

/** Prints how many readings were deleted. */
export function deleteReadingsCommand(run: Run): Command {
  return new Command('readings')
    .description(
      'permanently delete the readings of one sensor in a period, and recompute the aggregates',
    )
    .requiredOption('--sensor <id>', 'id of the sensor', wholeNumber(LARGEST_ID))
    .addOption(timeOption('--from <time>', 'start of the period (inclusive)').makeOptionMandatory())
    .addOption(timeOption('--to <time>', 'end of the period (exclusive)').makeOptionMandatory())
    .action((options: DeleteOptions) => run((context) => deletePeriod(context, options)));
}

async function deletePeriod(
  context: Context,
  { sensor, ...period }: DeleteOptions,
): Promise<Outcome> {
  const { database, as, clock } = context;
  const { from, to } = await readPeriod(context, period);
  if (from === undefined || to === undefined)
    throw new UsageError('delete readings needs --from and --to');
  const deleted = await as('airseries_owner', (sql) => deleteReadings(sql, { sensor, from, to }));
  await refresh(database.target, clock, context);
  return { result: { deleted }, ok: true };
}

type RetentionOptions = { apply?: boolean; cutoff?: string };

/** Prints the cutoffs and, with RAW_RETENTION, what is due for deletion. */
export function retentionCommand(run: Run): Command {
  return new Command('retention')
    .description(
      'show which readings RAW_RETENTION would delete; changes nothing without an option',
    )
    .option('--apply', 'delete all of them now; the service deletes one month a night')
    .addOption(
      timeOption('--cutoff <time>', 'accept readings measured from this time on again').conflicts(
        'apply',
      ),
    )
    .action((options: RetentionOptions) =>
      run((context) => retention(context, options), {
        check: (config) => checkApply(config, options),
      }),
    );
}

function checkApply({ rawRetention }: Settings, { apply = false }: RetentionOptions): void {
  if (apply && rawRetention === undefined) {
    throw new UsageError('--apply needs RAW_RETENTION: it says how long readings are kept');
  }
}

async function retention(
  context: Context,
  { apply = false, cutoff }: RetentionOptions,
): Promise<Outcome> {
  const { config, database, installation, as, clock, instant, log } = context;
  const keep = config.rawRetention;
  const since = await instant(cutoff);
  if (apply && keep !== undefined) {
    await deleteExpired(database.target, clock, keep, {
      log,
      timeZone: installation.timeZone,
      apply,
    });
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
