/** Runs an operator's command in this process, from its command line. */
import type { Context, Outcome } from '../../src/commands/context.ts';
import { chooseCommand } from '../../src/commands/program.ts';
import { CONFIGURATION, type Config } from '../../src/config.ts';
import { additionsOf } from '../../src/extras/extra.ts';
import { EXTRAS } from '../../src/extras.ts';

/** Throws UsageError if the command line is invalid. */
export const choose = (words: readonly string[], config: Partial<Config> = {}) =>
  chooseCommand(words, {
    ...additionsOf(EXTRAS, () => config),
    configuration: CONFIGURATION,
  });

/** Rejects with UsageError if the command line is invalid. */
export async function runCommand(context: Context, ...words: string[]): Promise<Outcome> {
  const choice = choose(words, context.config);
  if (!('run' in choice)) throw new Error(`not a command that runs: ${words.join(' ')}`);
  choice.check(context.config);
  return await choice.run(context);
}

/** Options as command-line arguments; true is a flag. */
export function optionWords(options: Record<string, string | true>): string[] {
  return Object.entries(options).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, value],
  );
}
