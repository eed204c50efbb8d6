/** Runs an operator's command in this process, from its command line. */
import type { Context, Outcome } from '../../src/commands/context.ts';
import { chooseCommand } from '../../src/commands/program.ts';

/** Rejects with UsageError if the command line is invalid. */
export async function runCommand(context: Context, ...words: string[]): Promise<Outcome> {
  const choice = chooseCommand(words);
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
