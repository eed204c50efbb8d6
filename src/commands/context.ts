/** What every command is given and what it returns. Commands get everything they use from here, so tests can run them in-process. */

import { InvalidArgumentError, Option } from 'commander';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Role, Sql } from '../database/client.ts';
import type { Installation } from '../database/migrate.ts';
import type { Database } from '../database/open.ts';
import { readInstant } from '../ingest/validate.ts';
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

/** Options and arguments that several commands share: instants, periods and whole numbers, checked before anything is opened. */

export type PeriodOptions = { from?: string | undefined; to?: string | undefined };

/** An option whose value is a time, kept as it was typed: what it means is known once the network's zone is (`Context.instant`). */
export function timeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string) => {
    if (readInstant(text) !== undefined) return text;
    throw new InvalidArgumentError('It is not an instant such as 2026-11-20T12:00:00+04:00 or 2026-11-20.');
  });
}

/** For the end of a command's help. */
export const TIMES = `
Times are ISO 8601, such as 2026-11-20T12:00:00+04:00. Without an offset (2026-11-20T12:00, 2026-11-20) they are
local times of the network.`;

/** Throws UsageError if a period ends before it begins, as far as that can be told without the network's zone. */
export function checkPeriod({ from, to }: PeriodOptions): void {
  if (from === undefined || to === undefined) return;
  const [start, end] = [readInstant(from), readInstant(to)];
  if (start === undefined || end === undefined || start.local !== end.local) return;
  if (start.microseconds >= end.microseconds) throw new UsageError(REVERSED);
}

/** The period as instants, half-open; a missing end is open. Throws UsageError if it ends before it begins. */
export async function readPeriod(
  { instant }: Context,
  options: PeriodOptions,
  { from: defaultFrom }: { from?: Date } = {},
): Promise<{ from: Date | undefined; to: Date | undefined }> {
  const from = (await instant(options.from)) ?? defaultFrom;
  const to = await instant(options.to);
  if (from !== undefined && to !== undefined && from >= to) throw new UsageError(REVERSED);
  return { from, to };
}

const REVERSED = '--from must be before --to';

/** A parser of whole numbers from 1 up, of at most so many digits. */
export function wholeNumber(digits: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^[1-9]\d*$/.test(text) && text.length <= digits) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${'9'.repeat(digits)}.`);
  };
}
