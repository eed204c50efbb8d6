/** What every command is given and what it returns. Commands get everything they use from here, so tests can run them in-process. */
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Role, Sql } from '../database/client.ts';
import type { Installation } from '../database/migrate.ts';
import type { Database } from '../database/open.ts';
import type { Log } from '../log.ts';

/** The command line makes no sense as typed; nothing was done. Exit 2. */
export class UsageError extends Error {}

export type Context = {
  config: Config;
  clock: Clock;
  log: Log;
  /** Whether stderr is a terminal, where progress can be drawn on one line. */
  terminal: boolean;
  database: Database;
  installation: Installation;
  /** Runs `work` in a role, on a connection that is closed afterwards. */
  as<T>(role: Role, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The instant that a time option means. Without an offset it is a time of the network's zone, which only the database knows. */
  instant(text: string | undefined): Promise<Date | undefined>;
};

/** What goes to stdout as JSON (keys in snake_case), and whether all is well: if not, exit 1. */
export type Outcome = { result: unknown; ok: boolean };

export type Work = (context: Context) => Promise<Outcome>;

/**
 * Called by the action of a command once its arguments are valid: says what to do. `check` is called with the configuration before a
 * database is opened, and throws UsageError if the arguments do not fit it.
 */
export type Run = (work: Work, check?: (config: Config) => void) => void;
