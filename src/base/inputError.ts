/**
 * An input that cannot be used at all. The message names it, the problem and the remedy; commands
 * show it without a stack.
 */
export class InputError extends Error {
  /** A file (perhaps with a line number), an option, or an address. */
  readonly input: string;
  readonly problem: string;
  readonly remedy: string;

  constructor(input: string, problem: string, remedy: string) {
    super(`${input}: ${problem}. ${remedy}`);
    this.name = 'InputError';
    this.input = input;
    this.problem = problem;
    this.remedy = remedy;
  }
}
