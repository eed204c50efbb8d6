/** Runs an operator's command in this process, from its command line. */
import { expect } from 'vitest';
import { makeClock } from '../../src/base/clock.ts';
import type { Context, Outcome } from '../../src/commands/context.ts';
import { chooseCommand } from '../../src/commands/program.ts';
import { CONFIGURATION, type Config, readConfig } from '../../src/config.ts';
import { onConnection } from '../../src/database/client.ts';
import { additionsOf } from '../../src/extras/extra.ts';
import { EXTRAS } from '../../src/extras.ts';
import { type Installation, migrate } from '../../src/schema/migrate.ts';
import type { TestDatabase } from './database.ts';
import { keepingLog } from './keepingLog.ts';

/** Throws UsageError if the command line is invalid. */
export const choose = (words: readonly string[], config: Partial<Config> = {}) =>
  chooseCommand(words, {
    ...additionsOf(EXTRAS, () => config),
    configuration: CONFIGURATION,
  });

/** What a command prints: its result as JSON, and its log. `table`: the result as people see it. */
export type Printed = {
  ok: boolean;
  result: ReturnType<typeof JSON.parse>;
  table: Outcome['table'] | undefined;
  log: string;
};

/** The words of a command line, such as `audit --from 2026-01-01`. */
export const wordsOf = (line: string): string[] => (line === '' ? [] : line.split(' '));

/**
 * Runs command lines over the database of a test, as src/cli.ts does: with the variables of an
 * environment, such as FIXED_NOW. Rejects as the command does.
 */
export function commandsOn({ target }: TestDatabase) {
  let migrated: Promise<Installation> | undefined;
  return async (
    line: string,
    environment: Record<string, string> = {},
    { terminal = false, embedded = false } = {},
  ): Promise<Printed> => {
    const config = readConfig(environment);
    const clock = makeClock(config.fixedNow);
    const log = keepingLog();
    migrated ??= migrate(target, { now: clock(), log });
    const installation = await migrated;
    const as: Context['as'] = (role, work) =>
      onConnection(target, { role, timeZone: installation.timeZone, max: 2 }, work);
    const context: Context = {
      ...{ config, clock, log, terminal, installation, as },
      database: { target, embedded, close: async () => undefined },
      instant: async (text) => {
        if (text === undefined) return undefined;
        const [row] = await as(
          'airseries_owner',
          (sql) => sql<{ at: string }[]>`select (${text}::text)::timestamptz as at`,
        );
        return new Date(row?.at ?? '');
      },
    };
    const choice = choose(wordsOf(line), config);
    if (!('run' in choice)) throw new Error(`not a command that runs: ${line}`);
    choice.check(config);
    const { result, ok, table } = await choice.run(context);
    const json = JSON.stringify(result);
    expect(json).not.toMatch(/"\w*[A-Z]\w*":/); // keys are in snake_case
    const lines = log.lines.map(({ message, fields }) => JSON.stringify({ ...fields, message }));
    return { ok, result: JSON.parse(json), table, log: lines.join('\n') };
  };
}
