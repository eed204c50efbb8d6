/** The command line: all commands, and parsing of arguments into the work to do. */
import { createRequire } from 'node:module';
import { Command, CommanderError, Option } from 'commander';
import { distance } from 'fastest-levenshtein';
import { AIRSERIES, shellWord } from '../base/shell.ts';
import type { ReadingFormats } from '../ingest/formats.ts';
import type { ProviderKeys, SourceForms } from '../network/schema.ts';
import { auditCommand, digestCommand, migrateCommand, refreshCommand } from './aggregates.ts';
import {
  checkPeriod,
  type Precaution,
  type Run,
  type RunOptions,
  type Settings,
  UsageError,
  type Work,
} from './context.ts';
import { HELP, helpWidth, paragraph } from './help.ts';
import { importsCommand } from './imports.ts';
import { importNetworkCommand, networkCommand, screenCommand } from './network.ts';
import { quarantineCommand } from './quarantine.ts';
import { deleteReadingsCommand, importReadingsCommand, retentionCommand } from './readings.ts';
import { type ProviderFacts, statusCommand } from './status.ts';
import { facts } from './table.ts';
import { tokenCommand } from './tokens.ts';

const { version: VERSION } = createRequire(import.meta.url)('../../package.json') as {
  version: string;
};

const NOTES =
  'COMMAND --help describes one command. Results are printed to stdout, as a table on a terminal and as JSON elsewhere, everything else to stderr. Exit status: 0 on success, 1 on failure, 2 on bad usage. Configuration comes from the environment: DATABASE_URL, DATA_DIR, TIME_ZONE and others; start --help lists them.';

/** Help text of commands with time options. */
const TIMES =
  'Times are ISO 8601, such as 2026-11-20T12:00:00+04:00. Without an offset (2026-11-20T12:00, 2026-11-20) they are local to the network.';

/**
 * A variable of the environment, its default as text ('' if there is none), and its meaning in
 * Markdown.
 */
type Variable = { name: string; defaultsTo: string; meaning: string };

/** Additions of the composition: the extras, which the core doesn't know, and the configuration. */
export type Additions = {
  extend: (line: CommandLine) => void;
  /** The forms in which readings come. */
  formats: ReadingFormats;
  /** Keys of a provider in the network file that other rooms read. */
  providerKeys: ProviderKeys;
  /** Declarations that it accepts by name; undefined: it accepts none. */
  sources: SourceForms | undefined;
  /** Facts that `status` shows of providers beside its own. */
  providerFacts: readonly ProviderFacts[];
  /** Sentences about the settings that `status` shows. */
  remarks: () => readonly string[];
  configuration: readonly Variable[];
};

/** The command line for who extends it. */
export type CommandLine = {
  program: Command;
  run: Run;
  /** A command by its names, such as `import`, `network`. Throws on an unknown name. */
  command(...names: string[]): Command;
  /** Has a command wait for a precaution. */
  before(command: Command, precaution: Precaution): void;
};

/** Starts the service. Its help lists the variables of the environment that configure it. */
function startCommand(start: () => void, configuration: readonly Variable[]): Command {
  const variables = configuration.map(({ name, defaultsTo, meaning }) => {
    const byDefault = defaultsTo === '' ? '' : ` (default: ${defaultsTo})`;
    return [`  ${name}`, meaning.replaceAll('`', '') + byDefault] as const;
  });
  return new Command('start')
    .description(
      'start the service: the public API, the ingestion and admin ports, and the jobs. Ctrl-C stops it',
    )
    .addHelpText(
      'after',
      () => `\nEnvironment variables (.env.example):\n${facts(variables, helpWidth())}`,
    )
    .action(start);
}

function makeProgram(
  run: Run,
  start: () => void,
  before: CommandLine['before'],
  additions: Additions,
): Command {
  const program = new Command('airseries')
    .description(
      'Runs the service of an airseries network, and operates its database. Commands can run beside the service.',
    )
    .usage('COMMAND')
    .version(VERSION, '-V, --version', 'print the version')
    .addOption(new Option('--table', 'print the result as a table').conflicts('json'))
    .option('--json', 'print the result as JSON')
    .addCommand(startCommand(start, additions.configuration))
    .addCommand(statusCommand(run, VERSION, additions))
    .addCommand(migrateCommand(run))
    .addCommand(
      new Command('import')
        .description('import a network, or readings')
        .addCommand(importNetworkCommand(run, additions))
        .addCommand(importReadingsCommand(run, additions.formats)),
    )
    .addCommand(importsCommand(run))
    .addCommand(networkCommand(run))
    .addCommand(tokenCommand(run))
    .addCommand(quarantineCommand(run, additions.formats))
    .addCommand(refreshCommand(run))
    .addCommand(digestCommand(run))
    .addCommand(auditCommand(run))
    .addCommand(screenCommand(run))
    .addCommand(
      new Command('delete')
        .description('permanently delete readings')
        .addCommand(deleteReadingsCommand(run)),
    )
    .addCommand(retentionCommand(run))
    .addHelpText('after', () => paragraph(NOTES));
  additions.extend({ program, run, before, command: (...names) => find(program, names) });
  return program;
}

/** Throws if there is no such command. */
function find(program: Command, names: readonly string[]): Command {
  return names.reduce((group, name) => {
    const command = group.commands.find((one) => one.name() === name);
    if (command === undefined) throw new Error(`there is no command ${names.join(' ')}`);
    return command;
  }, program);
}

/** How a result is printed; undefined: as a table on a terminal, as JSON elsewhere. */
export type Format = 'table' | 'json' | undefined;

export type Chosen = {
  run: Work;
  check: (config: Settings) => void;
  makesDatabase: boolean;
  zoneOfNew: (() => Promise<string>) | undefined;
  beforeMigrations: NonNullable<Precaution['beforeMigrations']>;
  format: Format;
};

/**
 * A text to print (help or the version), the service to start, or work to do; call `check` with the configuration before `run`.
 */
type Choice = { text: string } | { starts: true } | Chosen;

/**
 * Parses the arguments of the command line. Throws UsageError on bad usage, and so do the returned functions.
 */
export function chooseCommand([first, ...others]: readonly string[], additions: Additions): Choice {
  let text = '';
  let starts = false;
  let chosen: ({ work: Work } & RunOptions) | undefined;
  const precautions: { command: Command; precaution: Precaution }[] = [];
  const program = makeProgram(
    (work, options) => {
      chosen = { work, ...options };
    },
    () => {
      starts = true;
    },
    (command, precaution) => void precautions.push({ command, precaution }),
    additions,
  );
  let selected = program;
  const output = {
    writeOut: (more: string) => {
      text += more;
    },
    writeErr: () => undefined, // the error has the message
  };
  for (const command of allCommands(program)) {
    command.helpCommand(false).configureOutput(output).configureHelp(HELP);
    if (command.options.some(({ flags }) => flags.endsWith('<time>')))
      command.addHelpText('after', () => paragraph(TIMES));
    command.exitOverride((error) => {
      selected = command;
      throw error;
    });
  }
  program.hook('preAction', (_, command) => {
    selected = command;
    checkPeriod(command.opts());
  });
  const rethrow = (error: unknown): never => {
    const message = messageOf(error, selected);
    if (message === undefined) throw error;
    if (error instanceof CommanderError && error.code === 'commander.help')
      throw new UsageError(message, selected.helpInformation());
    throw new UsageError(message);
  };
  try {
    if (first === 'help') program.parse([...others, '--help'], { from: 'user' });
    else program.parse(first === undefined ? [] : [first, ...others], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return { text };
    return rethrow(error);
  }
  if (starts) return { starts };
  const { work, check, zoneOfNew, makesDatabase = false } = chosen as NonNullable<typeof chosen>; // every command has an action
  const own = precautions
    .filter(({ command }) => command === selected)
    .map(({ precaution }) => precaution);
  const { table, json } = program.opts<{ table?: true; json?: true }>();
  return {
    makesDatabase,
    zoneOfNew,
    format: table ? 'table' : json && 'json',
    async beforeMigrations(...database) {
      for (const precaution of own) await precaution.beforeMigrations?.(...database);
    },
    async run(context) {
      for (const precaution of own) await precaution.beforeWork?.(context);
      return await work(context).catch(rethrow);
    },
    check: (config) => {
      try {
        check?.(config);
      } catch (error) {
        rethrow(error);
      }
    },
  };
}

/**
 * Says in a line what is wrong with the arguments, and where to read on; undefined for any other
 * error.
 */
function messageOf(error: unknown, command: Command): string | undefined {
  const { args, registeredArguments } = command;
  const seeHelp = `See ${[AIRSERIES, ...namesOf(command)].join(' ')} --help`;
  if (error instanceof UsageError) return sentences(error.message, seeHelp);
  if (!(error instanceof CommanderError)) return undefined;
  const { code, message } = error;
  if (code === 'commander.help') return 'no command given';
  if (code === 'commander.excessArguments') {
    const more = args.slice(registeredArguments.length).join(' ');
    return sentences(`unexpected argument: ${more}`, seeHelp);
  }
  const text = message.replace('error: ', '').replace(/\n(?=\(Did you mean)/, ' ');
  if (!code.startsWith('commander.unknown')) return sentences(text, seeHelp);
  const plain = text.replaceAll("'", '');
  if (code !== 'commander.unknownCommand') return sentences(plain, seeHelp);
  const [unknown = ''] = args;
  const meant = meantImport(command) ?? meantOrder(command);
  if (meant !== undefined) return sentences(`unknown command ${unknown}`, meant);
  return sentences(isNearHelp(unknown) ? `${plain} (Did you mean help?)` : plain, seeHelp);
}

/** As in `hlep`: help is no command of its own, so no other message offers it. */
const isNearHelp = (word: string): boolean => /^h/.test(word) && distance(word, 'help') <= 2;

/** Where a command and its group were exchanged, as in `readings delete`: the right order. */
function meantOrder(command: Command): string | undefined {
  const [second = '', first = ''] = wordsOf(command);
  let root = command;
  while (root.parent !== null) root = root.parent;
  const group = root.commands.find((one) => one.name() === first);
  return group?.commands.some((one) => one.name() === second) === true
    ? `See ${AIRSERIES} ${first} ${second} --help`
    : undefined;
}

const sentences = (first: string, second: string) =>
  `${/[.?]$/.test(first) ? first : `${first}.`} ${second}`;

/** The names of a command and those that it belongs to, without the program's. */
const namesOf = (command: Command): string[] =>
  command.parent === null ? [] : [...namesOf(command.parent), command.name()];

/** A command's names and its arguments. */
const wordsOf = (command: Command): string[] => [...namesOf(command), ...command.args];

const FILE = /\.(csv|tsv|txt|json|ndjson|jsonl|geojson)(\.gz)?$/i;

/** Where the arguments name a file to import, or begin in the middle: the command that is meant. */
function meantImport(command: Command): string | undefined {
  const words = wordsOf(command);
  const [first = '', second] = words.filter((word, at) => at > 1 || word !== 'import');
  const isKind = first === 'readings' || first === 'network';
  const isTurned = isKind && words[1] === 'import';
  const file = isKind ? second : first;
  if (file === undefined ? first !== 'readings' && !isTurned : !FILE.test(file)) return undefined;
  const kinds = isKind
    ? [first]
    : /\.json(\.gz)?$/i.test(file ?? '')
      ? ['network', 'readings']
      : ['readings'];
  const commands = kinds.map(
    (kind) => `${AIRSERIES} import ${kind} ${file === undefined ? 'FILE' : shellWord(file)}`,
  );
  return `To import it: ${commands.join(', or ')}`;
}

function allCommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
