/** The operator's commands. Results go to stdout, everything else to stderr; exit 0 on success, 1 on failure, 2 on bad usage. */
import { makeClock } from './clock.ts';
import { type Outcome, UsageError } from './commands/context.ts';
import { chooseCommand, USAGE } from './commands/table.ts';
import { readConfig } from './config.ts';
import { onConnection, type Role, type Sql } from './database/client.ts';
import { migrate } from './database/migrate.ts';
import { openDatabase } from './database/open.ts';
import { readInstant } from './ingest/time.ts';
import { makeLog } from './log.ts';

async function run(words: readonly string[]): Promise<Outcome> {
  const command = chooseCommand(words);
  const config = readConfig(process.env);
  if (config.databaseUrl === undefined && config.readerDatabaseUrl !== undefined) {
    throw new Error('Commands need DATABASE_URL: the login of READER_DATABASE_URL may only read.');
  }
  const log = makeLog(config.logLevel);
  const clock = makeClock(config.fixedNow);
  const terminal = process.stderr.isTTY === true;
  const database = await openDatabase(config, log);
  try {
    const installation = await migrate(database.target, {
      timeZone: config.timeZone,
      epoch: config.epoch,
      now: clock(),
      log,
    });
    const as = <T>(role: Role, work: (sql: Sql) => Promise<T>) =>
      onConnection(database.target, { role, timeZone: installation.timeZone, max: 2 }, work);
    const instant = async (option: string, text: string | undefined) => {
      if (text === undefined) return undefined;
      if (readInstant(text) === undefined) {
        throw new UsageError(`--${option} ${text}: not an instant such as 2026-11-20T12:00:00+04:00 or 2026-11-20`);
      }
      const [row] = await as(
        'airseries_owner',
        (sql) => sql<{ at: string }[]>`select (${text}::text)::timestamptz as at`,
      );
      return new Date(row?.at as string);
    };
    return await command({ config, clock, log, terminal, database, installation, as, instant });
  } finally {
    await database.close();
  }
}

try {
  const { result, ok } = await run(process.argv.slice(2));
  process.stdout.write(`${JSON.stringify(result, null, 1)}\n`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  const usage = error instanceof UsageError;
  process.stderr.write(usage ? `${error.message}\n\n${USAGE}\n` : `error: ${(error as Error).message}\n`);
  process.exitCode = usage ? 2 : 1;
}
