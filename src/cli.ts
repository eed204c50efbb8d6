/** The operator's commands. Results go to stdout, everything else to stderr; exit 0 on success, 1 on failure, 2 on bad usage. */
import { parseArgs } from 'node:util';
import { makeClock } from './clock.ts';
import { auditCommand, digestCommand, refreshCommand } from './commands/aggregates.ts';
import { type Command, type Outcome, UsageError } from './commands/context.ts';
import { demoCommand, networkCommand } from './commands/network.ts';
import { deleteCommand, readingsCommand } from './commands/readings.ts';
import { readConfig } from './config.ts';
import { onConnection, type Role, type Sql } from './database/connect.ts';
import { migrate } from './database/migrate.ts';
import { openDatabase } from './database/open.ts';
import { readInstant } from './ingest/instant.ts';
import { makeLog } from './log.ts';

const USAGE = `usage: npm run -s cli -- COMMAND

  migrate                                  bring the database to this version
  import network FILE                      stations, sensors, regions and their periods (JSON)
  import readings FILE…                    CSV or NDJSON, plain or gzip; - is standard input
  refresh [--from T --to T]                bring the aggregates up to date, or compute a period anew
  digest                                   record the regions' current values now
  audit [--from T --to T] [--repair]       compare aggregates with readings; exit 1 if any bucket differs
  delete readings --sensor N --from T --to T
  demo [--remove]                          put the demo network into an empty database, or take it out

T is an instant such as 2026-11-20T12:00:00+04:00, or a local date or time such as 2026-11-20 in the network's zone.
Configuration is environment: DATABASE_URL, DATA_DIR, TIME_ZONE, … (README.md).`;

const period = { from: { type: 'string' }, to: { type: 'string' } } as const;

function chooseCommand(words: readonly string[]): Command {
  const options = {
    ...period,
    sensor: { type: 'string' },
    repair: { type: 'boolean' },
    remove: { type: 'boolean' },
  } as const;
  const { values, positionals } = parsed(() => parseArgs({ args: [...words], options, allowPositionals: true }));
  const given = Object.keys(values);
  const [verb = '', noun = '', ...files] = positionals;
  const only = (...allowed: string[]) => {
    const strange = given.find((name) => !allowed.includes(name));
    if (strange !== undefined) throw new UsageError(`--${strange} means nothing here`);
  };
  const alone = (command: Command, ...allowed: string[]) => {
    only(...allowed);
    if (positionals.length > 1) throw new UsageError(`${verb} takes no ${noun}`);
    return command;
  };
  switch (verb) {
    case 'migrate':
      return alone(async ({ installation }) => ({ result: installation, ok: true }));
    case 'refresh':
      return alone((context) => refreshCommand(context, values), 'from', 'to');
    case 'digest':
      return alone(digestCommand);
    case 'audit':
      return alone((context) => auditCommand(context, values), 'from', 'to', 'repair');
    case 'demo':
      return alone((context) => demoCommand(context, values.remove === true), 'remove');
    case 'import':
      only();
      if (noun === 'network' && files.length === 1) return (context) => networkCommand(context, files[0] as string);
      if (noun === 'readings' && files.length > 0) return (context) => readingsCommand(context, files);
      throw new UsageError('import network FILE, or import readings FILE…');
    case 'delete':
      only('sensor', 'from', 'to');
      if (noun !== 'readings' || files.length > 0 || given.length !== 3) {
        throw new UsageError('delete readings needs --sensor, --from and --to');
      }
      return (context) => deleteCommand(context, values);
    default:
      throw new UsageError(verb === '' ? 'which command?' : `there is no command ${verb}`);
  }
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

async function run(words: readonly string[]): Promise<Outcome> {
  const command = chooseCommand(words);
  const config = readConfig(process.env);
  const log = makeLog(config.logLevel);
  const clock = makeClock(config.fixedNow);
  const terminal = process.stderr.isTTY === true;
  const database = await openDatabase(config, log);
  try {
    const installation = await migrate(database.target, { timeZone: config.timeZone, now: clock(), log });
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
