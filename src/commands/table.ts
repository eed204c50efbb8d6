/** All commands: how each is written, what it does, which options it takes. The usage text and the choice both come from here. */
import { parseArgs } from 'node:util';
import { auditCommand, digestCommand, refreshCommand } from './aggregates.ts';
import { type Command, type Context, type Outcome, UsageError } from './context.ts';
import { demoCommand, networkCommand } from './network.ts';
import { exportCommand } from './openData.ts';
import { screenCommand } from './quality.ts';
import { quarantineDropCommand, quarantineListCommand, quarantineRetryCommand } from './quarantine.ts';
import { deleteCommand, readingsCommand } from './readings.ts';
import { retentionCommand } from './retention.ts';
import { tokenAddCommand, tokenListCommand, tokenRevokeCommand } from './token.ts';

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  before: { type: 'string' },
  sensor: { type: 'string' },
  provider: { type: 'string' },
  stations: { type: 'string' },
  reason: { type: 'string' },
  source: { type: 'string' },
  limit: { type: 'string' },
  format: { type: 'string' },
  repair: { type: 'boolean' },
  remove: { type: 'boolean' },
  all: { type: 'boolean' },
  apply: { type: 'boolean' },
  cutoff: { type: 'string' },
} as const;

type Values = ReturnType<typeof parse>['values'];

type Entry = {
  /** Words, then what is to be filled in (in capitals; `…` for one or more), then options. */
  usage: string;
  does: string;
  /** `first` is the first of `names`, or empty where the command takes none. */
  run(context: Context, values: Values, first: string, names: string[]): Promise<Outcome>;
};

const FILTER = '[--reason R] [--source S] [--provider P]';

const TABLE: readonly Entry[] = [
  {
    usage: 'migrate',
    does: 'bring the database to this version',
    run: async ({ installation }) => ({ result: installation, ok: true }),
  },
  {
    usage: 'import network FILE',
    does: 'stations, sensors, regions and their periods (JSON)',
    run: (context, _, file) => networkCommand(context, file),
  },
  {
    usage: 'import readings FILE… [--format F]',
    does: 'CSV or NDJSON, plain or gzip; - is standard input. F: airquality-am',
    run: (context, { format }, _, files) => readingsCommand(context, files, format),
  },
  {
    usage: 'export FOLDER [--from T] [--to T]',
    does: 'hours and days of stations and cities as open data (CSV)',
    run: (context, values, folder) => exportCommand(context, folder, values),
  },
  {
    usage: 'token add NAME --provider P [--stations 1,2]',
    does: 'let somebody send readings; the token is shown once',
    run: (context, values, name) => tokenAddCommand(context, name, values),
  },
  { usage: 'token list', does: 'who may send, and when they last did', run: (context) => tokenListCommand(context) },
  {
    usage: 'token revoke NAME',
    does: 'and who may no longer',
    run: (context, _, name) => tokenRevokeCommand(context, name),
  },
  {
    usage: `quarantine list ${FILTER} [--limit N]`,
    does: 'what could not be used, and why',
    run: (context, values) => quarantineListCommand(context, values),
  },
  {
    usage: `quarantine retry ${FILTER}`,
    does: 'another try, after the reason was mended',
    run: (context, values) => quarantineRetryCommand(context, values),
  },
  {
    usage: `quarantine drop ${FILTER} [--before T] [--all]`,
    does: 'out with it',
    run: (context, values) => quarantineDropCommand(context, values),
  },
  {
    usage: 'refresh [--from T] [--to T]',
    does: 'bring the aggregates up to date, or compute a period anew',
    run: (context, values) => refreshCommand(context, values),
  },
  { usage: 'digest', does: "record the regions' current values now", run: (context) => digestCommand(context) },
  {
    usage: 'audit [--from T] [--to T] [--repair]',
    does: 'compare aggregates with readings; exit 1 if any bucket differs',
    run: (context, values) => auditCommand(context, values),
  },
  {
    usage: 'screen [--from T]',
    does: 'look for implausible weather further back than the service does, and tell what is flagged',
    run: (context, values) => screenCommand(context, values),
  },
  {
    usage: 'delete readings --sensor N --from T --to T',
    does: 'for good',
    run: (context, values) => deleteCommand(context, values),
  },
  {
    usage: 'retention [--apply] [--cutoff T]',
    does: 'what RAW_RETENTION would delete; have it go; take readings in again from T on',
    run: (context, values) => retentionCommand(context, values),
  },
  {
    usage: 'demo [--remove]',
    does: 'put the demo network into an empty database, or take it out',
    run: (context, values) => demoCommand(context, values.remove === true),
  },
];

const WIDTH = 44;

export const USAGE = `usage: npm run -s cli -- COMMAND

${TABLE.map(({ usage, does }) => `  ${usage.padEnd(WIDTH)}${usage.length < WIDTH ? '' : `\n${' '.repeat(WIDTH + 2)}`}${does}`).join('\n')}

T is an instant such as 2026-11-20T12:00:00+04:00, or a local date or time such as 2026-11-20 in the network's zone.
Configuration is environment: DATABASE_URL, DATA_DIR, TIME_ZONE, … (README.md).`;

/** What was typed, as the command to run; throws UsageError where it is none. */
export function chooseCommand(typed: readonly string[]): Command {
  const { values, positionals } = parse(typed);
  const entry = TABLE.find(({ usage }) => wordsOf(usage).every((word, index) => positionals[index] === word));
  if (entry === undefined) {
    const asked = positionals.join(' ');
    throw new UsageError(asked === '' ? 'which command?' : `there is no command ${asked}`);
  }
  const { usage, run } = entry;
  const strange = Object.keys(values).find((name) => !optionsOf(usage).includes(name));
  if (strange !== undefined) throw new UsageError(`--${strange} means nothing here: ${usage}`);
  const missing = optionsOf(usage.replace(/\[.*?\]/g, '')).filter((name) => !(name in values));
  if (missing.length > 0) throw new UsageError(`it needs ${missing.map((name) => `--${name}`).join(', ')}: ${usage}`);
  const names = positionals.slice(wordsOf(usage).length);
  const [, wanted, many] = / ([A-Z]+)(…?)/.exec(usage.replace(/ -.*| \[.*/, '')) ?? [];
  if (wanted === undefined && names.length > 0) throw new UsageError(`${usage} takes no ${names.join(' ')}`);
  if (wanted !== undefined && (many === '…' ? names.length === 0 : names.length !== 1)) {
    throw new UsageError(`it needs ${wanted}${many}: ${usage}`);
  }
  return (context) => run(context, values, names[0] ?? '', names);
}

function optionsOf(usage: string): string[] {
  return [...usage.matchAll(/--(\w+)/g)].map(([, name = '']) => name);
}

function wordsOf(usage: string): string[] {
  return (/^[a-z ]+\b/.exec(usage)?.[0] ?? '').trim().split(' ');
}

function parse(typed: readonly string[]) {
  try {
    return parseArgs({ args: [...typed], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
