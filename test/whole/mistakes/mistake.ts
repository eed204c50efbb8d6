/**
 * A mistake is one row of a table. The tables of this folder are named after what a person did:
 * set a variable, typed a command, wrote a network file, imported a file of readings, sent a push,
 * or ran the program in surroundings that do not fit it. To add one, add a row to its table:
 *
 *     ['a port that is a word', { PORT: 'abc' }, 'PORT=abc: must be a whole number'],
 *
 * and run the file, as with npx vitest run test/whole/mistakes/settings.test.ts.
 */
import { expect } from 'vitest';
import { checkPorts, readConfig } from '../../../src/config.ts';
import { runProgram } from '../../support/program.ts';
import { isRoot, unprivilegedUser } from '../../support/users.ts';

/**
 * The mistake in a few words, what was typed or sent, and what is said. `outcome`: the exit code of
 * a command, or the status of an answer, where it is not the usual one of the table.
 */
export type Mistake<Sent> = [mistake: string, sent: Sent, said: Said, outcome?: number];

/** Text that the message contains, or a pattern that it matches; a list if there are several. */
export type Said = string | RegExp | readonly (string | RegExp)[];

/** A part of every password and key in the tables, which no message may repeat. */
export const SECRET = 's3kr1t';

export function expectSaid(message: string, said: Said): void {
  for (const part of [said].flat())
    if (typeof part === 'string') expect(message).toContain(part);
    else expect(message).toMatch(part);
  expect(message).not.toContain(SECRET);
}

/** The error that this ends with. Rejects if it succeeds. */
export async function errorOf(work: () => unknown): Promise<Error> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('nothing was refused: it was accepted');
}

/** Variables of the environment that are refused, as the program reads them when it starts. */
export async function expectRefusedSettings(
  settings: Record<string, string>,
  said: Said,
): Promise<void> {
  const { message } = await errorOf(() => checkPorts(readConfig(settings)));
  expectSaid(message, said);
}

/**
 * Runs a line as typed in a shell, variables first, in a folder and as an ordinary user: root may
 * do everything.
 */
export function type(line: string, folder: string) {
  const [variables = '', words = ''] = line.split(/ ?airseries ?/);
  const environment = Object.fromEntries(
    variables.split(' ').flatMap((one) => (one === '' ? [] : [one.split(/=(.*)/s, 2)])),
  );
  const program = new URL('../../../dist/cli.js', import.meta.url).pathname;
  return runProgram([process.execPath, program, ...words.split(' ')], {
    ...{ environment, folder },
    ...(isRoot() ? { user: unprivilegedUser() } : {}),
  }).finished;
}
