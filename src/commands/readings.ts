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
import { FORMAT_NAMES } from '../ingest/formats/formats.ts';
import { importReadings } from '../ingest/importReadings.ts';
import { checkDeclarations } from '../ingest/reading/collect.ts';
import type { Declarations } from '../ingest/reading/declarations.ts';
import type { Transitions } from '../ingest/reading/localTime.ts';
import { DATE_FORMATS, SHORT_DATE_FORMATS } from '../ingest/reading/times.ts';
import { deleteReadings } from '../ingest/store/deleteReadings.ts';
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
import { resultTable } from './table.ts';

type ImportOptions = {
  format?: string;
  unit: string[];
  column: string[];
  zone?: string;
  shift?: string;
  round?: string;
  only: string[];
  dateFormat?: string;
  sensor?: number;
  device?: string;
};

const collect = (text: string, before: string[]): string[] => [...before, text];

/** Prints how many readings were accepted, unchanged and quarantined. */
export function importReadingsCommand(run: Run): Command {
  return new Command('readings')
    .description(
      'import readings from CSV with a header, NDJSON or JSON, plain or gzip; safe to repeat',
    )
    .argument('<files...>', 'files of readings; - for standard input')
    .addOption(
      new Option('--format <format>', 'layout of the files; by default it is recognized').choices(
        FORMAT_NAMES,
      ),
    )
    .option(
      '--unit <ours=unit>',
      'unit of a parameter, as in no2=ug/m3; can be repeated',
      collect,
      [],
    )
    .option(
      '--column <ours=theirs>',
      'what a column means, as in pm25=pm2_5_mean; can be repeated',
      collect,
      [],
    )
    .option(
      '--zone <zone>',
      'time zone of times without an offset, such as Europe/Berlin, or +01:00 for winter time all year',
    )
    .addOption(
      new Option(
        '--date-format <format>',
        'order of dates such as 05/06/2026, where no day is above 12',
      ).choices([...DATE_FORMATS, ...SHORT_DATE_FORMATS]),
    )
    .option(
      '--shift <time>',
      'is added to every time: -1h where stamps name the end of an hour, 0min where they are right',
    )
    .option(
      '--round <unit>',
      'round every time: minute, where a spreadsheet made it a second too early',
    )
    .option(
      '--only <column=values>',
      'leave out rows in which a column has another value, as in Validity=1,2,3; can be repeated',
      collect,
      [],
    )
    .option('--sensor <id>', 'the sensor of all readings that name none', wholeNumber(LARGEST_ID))
    .option('--device <name>', 'the device of all readings that name none')
    .action((files: string[], options: ImportOptions) =>
      run((context) => importFiles(context, files, options), {
        check: () => {
          try {
            checkDeclarations({ ...declaredBy(options), transitions: NOT_ASKED });
          } catch (error) {
            throw asUsage(error);
          }
        },
      }),
    );
}

/** The rules of a zone, which only the server knows. */
const NOT_ASKED: Transitions = [{ since: 0, offset: 0 }];

const declaredBy = ({
  format: name,
  unit: units,
  column: columns,
  ...others
}: ImportOptions): Declarations => ({ name, units, columns, ...others });

/** An option that cannot be followed is bad usage, whether or not the database was asked. */
const asUsage = (error: unknown): unknown =>
  error instanceof InputError && DECLARATIONS.includes(error.input)
    ? new UsageError(error.message)
    : error;

const DECLARATIONS = ['--column', '--unit', '--zone', '--shift', '--only'];

async function importFiles(
  context: Context,
  files: string[],
  options: ImportOptions,
): Promise<Outcome> {
  const { database, as, clock, log, terminal, installation } = context;
  const format = { ...declaredBy(options), timeZone: installation.timeZone };
  const settings = { now: clock(), log, terminal, format };
  const summary = await as('airseries_ingest', (sql) =>
    importReadings(sql, files, settings).catch((error: unknown) => {
      throw asUsage(error);
    }),
  );
  await refreshAndDigest(database.target, clock, context);
  const logged = terminal ? ['failures', 'hints', 'examples'] : [];
  const said = Object.fromEntries(
    Object.entries(summary).filter(
      ([name, value]) => name === 'accepted' || !(isNothing(value) || logged.includes(name)),
    ),
  );
  return { result: summary, ok: !summary.failed, table: (width) => resultTable(said, width) };
}

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
