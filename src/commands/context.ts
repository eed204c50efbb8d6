/** What every command of the operator is given, and what it gives back. */
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Role, Sql } from '../database/client.ts';
import type { Installation } from '../database/migrate.ts';
import type { Database } from '../database/open.ts';
import type { Log } from '../log.ts';

/** What was typed makes no sense; nothing was done. */
export class UsageError extends Error {}

export type Context = {
  config: Config;
  clock: Clock;
  log: Log;
  terminal: boolean;
  database: Database;
  installation: Installation;
  /** Works in a role on a connection that is closed afterwards. */
  as<T>(role: Role, work: (sql: Sql) => Promise<T>): Promise<T>;
  /** An instant as the operator wrote it. */
  instant(option: string, text: string | undefined): Promise<Date | undefined>;
};

/** What a command found to say on stdout, and whether all is well. */
export type Outcome = { result: unknown; ok: boolean };
export type Command = (context: Context) => Promise<Outcome>;

export type Options = {
  from?: string | undefined;
  to?: string | undefined;
  sensor?: string | undefined;
  repair?: boolean | undefined;
};

/** A period must not end before it begins. */
export function pickFields(from: Date | undefined, to: Date | undefined): [Date | undefined, Date | undefined] {
  if (from !== undefined && to !== undefined && from >= to) throw new UsageError('--from must be before --to');
  return [from, to];
}
