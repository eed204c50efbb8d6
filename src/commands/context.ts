/**
 * Every command receives and returns these types, and these are the options that several commands
 * share. Commands get everything they use from their context, so tests can run them in-process.
 */
import { InvalidArgumentError, Option } from 'commander';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Database } from '../database/address.ts';
import type { Sql } from '../database/client.ts';
import type { Role } from '../database/session.ts';
import { readInstant } from '../ingest/reading/instants.ts';
import type { Installation } from '../schema/migrate.ts';

/** Invalid arguments; nothing was done. Exit 2. */
export class UsageError extends Error {
  /** The help of the command, where no command was given. */
  readonly help: string;

  constructor(message: string, help = '') {
    super(message);
    this.help = help;
  }
}

/** The part of the configuration that the core's commands read. */
export type Settings = {
  databaseUrl?: string | undefined;
  rawRetention?: string | undefined;
  undoDays?: number;
  readerDatabaseUrl?: string | undefined;
};

export type Context = {
  config: Settings;
  clock: Clock;
  log: Log;
  /** True if stderr is a terminal, where progress can be redrawn on one line. */
  terminal: boolean;
  /** Asks on the terminal; undefined: nobody is there to answer. */
  ask?: ((question: string) => Promise<boolean>) | undefined;
  database: Database;
  installation: Installation;
  /** Runs `work` in a role, on a connection that is closed afterwards. */
  as<T>(role: Role, work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * The instant of a time option. Without an offset it is local to the network, whose zone only the
   * database knows.
   */
  instant(text: string | undefined): Promise<Date | undefined>;
};

/**
 * `result` is printed to stdout as JSON, with keys in snake_case, or as a table; unless `ok`, the
 * exit code is 1. `table`: its own layout for lines of a width; null: the result is a file, which
 * is always JSON.
 */
export type Outcome = { result: unknown; ok: boolean; table?: ((width: number) => string) | null };

/** The work of a command. */
export type Work = (context: Context) => Promise<Outcome>;

export type RunOptions = {
  /**
   * Called with the configuration before the database is opened; throws UsageError if the arguments
   * are not valid with it.
   */
  check?: (config: Settings) => void;
  /** True: a missing database is created; default: the command is refused. */
  makesDatabase?: boolean;
  /** Resolves to the time zone of a database that the command makes; default: as configured. */
  zoneOfNew?: () => Promise<string>;
};

/** Steps of another room before a command works. Each rejects, with a remedy, to refuse it. */
export type Precaution = {
  /**
   * Called while no other process can migrate the database, as the connecting user. `zone` resolves
   * to the time zone of a new database, where the command knows it.
   */
  beforeMigrations?(sql: Sql, zone: (() => Promise<string>) | undefined): Promise<void>;
  beforeWork?(context: Context): Promise<void>;
};

/** Called by the action of a command with valid arguments. `work` runs later. */
export type Run = (work: Work, options?: RunOptions) => void;

/** As typed; half-open. */
export type PeriodOptions = { from?: string | undefined; to?: string | undefined };

/**
 * An option for a time. The value is checked but kept as typed, since the network's zone is not
 * known yet (see `Context.instant`).
 */
export function timeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string) => {
    if (readInstant(text) !== undefined) return text;
    throw new InvalidArgumentError(
      'It is not an instant such as 2026-11-20T12:00:00+04:00 or 2026-11-20.',
    );
  });
}

/**
 * Throws UsageError unless `from` is before `to`, where that can be decided without the network's
 * zone.
 */
export function checkPeriod({ from, to }: PeriodOptions): void {
  if (from === undefined || to === undefined) return;
  const start = readInstant(from);
  const end = readInstant(to);
  if (start === undefined || end === undefined || start.local !== end.local) return;
  if (start.microseconds >= end.microseconds) throw new UsageError(REVERSED);
}

/**
 * The period as half-open instants; a missing end is unbounded. Rejects with UsageError unless
 * `from` is before `to`.
 */
export async function readPeriod({ instant }: Context, options: PeriodOptions, defaultFrom?: Date) {
  const from = (await instant(options.from)) ?? defaultFrom;
  const to = await instant(options.to);
  if (from !== undefined && to !== undefined && from >= to) throw new UsageError(REVERSED);
  return { from, to };
}

/** Throws UsageError for a period that begins in the future. */
export function checkBegun(from: Date | undefined, now: Date): void {
  if (from !== undefined && from > now) throw new UsageError('--from must not be in the future');
}

const REVERSED = '--from must be before --to';

/** The largest id of a sensor or station, in the network file and the database. */
export const LARGEST_ID = 2_147_483_647;

/** An argument parser for whole numbers from 1 to `largest`. */
export function wholeNumber(largest: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^[1-9]\d*$/.test(text) && number <= largest) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${largest}.`);
  };
}
