/**
 * Entry point of the command `airseries`. Results go to stdout, all else to stderr. Exits 0 on
 * success, 1 on failure, 2 on bad usage.
 */
import { createInterface } from 'node:readline/promises';
import { makeClock } from './base/clock.ts';
import { type Done, type Log, makeLog, quietLog, terminalText } from './base/log.ts';
import { printable } from './base/printable.ts';
import { describeProgress } from './base/progress.ts';
import { type Outcome, UsageError } from './commands/context.ts';
import { type Chosen, chooseCommand, type Format } from './commands/program.ts';
import { resultTable, UNLIMITED } from './commands/table.ts';
import { CONFIGURATION, type Config, checkPorts, environmentHints, readConfig } from './config.ts';
import { onConnection, type Sql, waitAsCommand } from './database/client.ts';
import { errorCode } from './database/errors.ts';
import { openDatabase } from './database/open.ts';
import { describeUncaughtError, explainConnection, isDriverError } from './database/remedies.ts';
import type { Role } from './database/session.ts';
import { additionsOf, bundledDatabase } from './extras/extra.ts';
import { EXTRAS } from './extras.ts';
import { migrate } from './schema/migrate.ts';

/**
 * Opens and migrates the database, which must exist unless the command makes one, runs the command,
 * and closes the database.
 */
async function runOn(
  config: Config,
  chosen: Chosen,
  onProgress: (done: Done) => void,
): Promise<Outcome> {
  waitAsCommand();
  const { run, makesDatabase } = chosen;
  const log: Log = { ...commandLog(config), onProgress };
  const clock = makeClock(config.fixedNow);
  const terminal = process.stderr.isTTY === true;
  const mustExist = !makesDatabase;
  const bundled = bundledDatabase(
    EXTRAS.map((extra) => ({ extra })),
    { settings: config, log: quietLog(log), mustExist },
  );
  const database = await openDatabase(config.databaseUrl, bundled?.open);
  try {
    const zoneOfNew = agreedZone(chosen, config.timeZone);
    const installation = await migrate(database.target, {
      timeZone: config.timeZone,
      epoch: config.epoch,
      now: clock(),
      log,
      mustExist,
      zoneOfNew,
      first: (sql) => chosen.beforeMigrations(sql, zoneOfNew),
    });
    const as = <T>(role: Role, inRole: (sql: Sql) => Promise<T>) =>
      onConnection(database.target, { role, timeZone: installation.timeZone, max: 2 }, inRole);
    const instant = async (text: string | undefined) => {
      if (text === undefined) return undefined;
      const [row] = await as(
        'airseries_owner',
        (sql) => sql<{ at: string }[]>`select (${text}::text)::timestamptz as at`,
      );
      return new Date(row?.at as string);
    };
    const ask = terminal && process.stdin.isTTY ? askOnTerminal : undefined;
    return await run({ config, clock, log, terminal, ask, database, installation, as, instant });
  } catch (error) {
    throw explainConnection(error, 'DATABASE_URL', config.databaseUrl);
  } finally {
    await database.close();
  }
}

/** The zone of a new database. One that is configured must be the one that the command knows. */
function agreedZone(
  { zoneOfNew }: Chosen,
  configured: string | undefined,
): (() => Promise<string>) | undefined {
  if (zoneOfNew === undefined) return undefined;
  return async () => {
    const zone = await zoneOfNew();
    if (configured === undefined || configured === zone) return zone;
    throw new Error(
      `TIME_ZONE is ${configured}, but this network is in ${zone}, and a new database is made for one time zone. Unset TIME_ZONE, or correct the file.`,
    );
  };
}

/** Lines for people, wherever they go: only the log of a service is JSON. */
const commandLog = ({ logLevel }: Config): Log => makeLog(logLevel, true);

/** True for an answer that begins with y. */
async function askOnTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^\s*y/i.test(await terminal.question(`${question} [y/N] `));
  } finally {
    terminal.close();
  }
}

/** As a table on a terminal, unless `format` says how. */
function shown({ result, table }: Outcome, format: Format): string {
  const isTable =
    table !== null && (format ?? (process.stdout.isTTY ? 'table' : 'json')) === 'table';
  if (!isTable) return printable(JSON.stringify(result, null, 1));
  const width = process.stdout.columns ?? UNLIMITED;
  return table === undefined ? resultTable(result, width) : table(width);
}

const writeError = (message: string) =>
  void process.stderr.write(`${terminalText(printable(message), 'error')}\n`);

/**
 * Every command is safe to interrupt and to repeat; people who press Ctrl-C don't know that. Returns
 * a function that is to be told what is done.
 */
function reportOnInterrupt(): (done: Done) => void {
  let latest: Done | undefined;
  process.once('SIGINT', () => {
    const done = latest === undefined ? '' : ` ${describeProgress(latest)}`;
    process.stderr.write(
      `\ninterrupted${done}. What is stored stays, and nothing is left half done: ` +
        'the same command again does the rest.\n',
    );
    // without this handler it ends as any interrupted program, even in mid-read
    process.kill(process.pid, 'SIGINT');
  });
  return (done) => {
    latest = done;
  };
}

/** True for an error whose message was written for the operator, and not in a library. */
const isExplained = (error: unknown): error is Error =>
  error instanceof Error &&
  /^(Error|InputError)$/.test(error.name) &&
  (error.cause !== undefined || errorCode(error) === '');

/** Resolves to the first signal to stop. A second one ends the process at once. */
function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: string) => {
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  });
}

/**
 * Runs the service. Resolves to the exit code once it has stopped; rejects with an Error if its
 * configuration cannot be used.
 */
async function runService(): Promise<number> {
  const signalled = firstSignal();
  const { start } = await import('./service.ts'); // no other command needs it
  const config = readConfig(process.env);
  checkPorts(config);
  const log = makeLog(config.logLevel);
  for (const hint of environmentHints(process.env)) log.warn(hint);
  process
    .removeAllListeners('warning')
    .on('warning', (warning) => log.warn({ err: warning }, 'warning from Node'));
  let isStopping = false;
  process.on('uncaughtException', (error) => {
    // a stop ends connections that are in use, and what they do is repeated
    if (isStopping && isDriverError(error)) return;
    // an orderly stop would wait forever for outcomes that never come
    log.error({ err: error }, describeUncaughtError(error));
    process.exit(1);
  });
  const service = start(config, { clock: makeClock(config.fixedNow), log });
  try {
    const failed = service.ready.then(() => new Promise<never>(() => undefined));
    const signal = await Promise.race([failed, signalled]);
    isStopping = true;
    log.info({ signal, drain_seconds: config.drainSeconds }, 'stopping');
    await service.stop(config.drainSeconds);
    return 0;
  } catch (error) {
    // as with the configuration, a line says it; a stack tells something of faults only
    if (isExplained(error)) writeError(error.message);
    else log.error({ err: error }, (error as Error).message);
    await service.stop(0);
    return 1;
  }
}

/** `airseries status | head -1`: who reads has read enough, and what is left to say goes nowhere. */
function ignoreClosedOutput(): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  let config: Config | undefined;
  const configured = () => (config ??= readConfig(process.env));
  const choice = chooseCommand(args, {
    ...additionsOf(EXTRAS, configured), // `help` must not need the configuration
    configuration: CONFIGURATION,
  });
  if ('text' in choice) {
    process.stdout.write(choice.text);
    return 0;
  }
  if ('starts' in choice) {
    process.exit(await runService());
  }
  const onProgress = reportOnInterrupt();
  process.on('uncaughtException', (error) => {
    writeError(describeUncaughtError(error));
    process.exit(1);
  });
  config = configured();
  if (config.databaseUrl === undefined && config.readerDatabaseUrl !== undefined) {
    throw new Error('Commands need DATABASE_URL: the login of READER_DATABASE_URL is read-only.');
  }
  for (const hint of environmentHints(process.env)) commandLog(config).warn(hint);
  choice.check(config);
  const outcome = await runOn(config, choice, onProgress);
  process.stdout.write(`${shown(outcome, choice.format)}\n`);
  return outcome.ok ? 0 : 1;
}

ignoreClosedOutput();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  if (isUsage && error.help !== '') process.stderr.write(`${error.help}\n`);
  writeError((error as Error).message);
  process.exitCode = isUsage ? 2 : 1;
}
