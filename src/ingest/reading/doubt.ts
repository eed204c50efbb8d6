/** Doubts about a source, and refusals of it. */
import type { InputError } from '../../base/inputError.ts';

/**
 * A doubt: something that a source does not say, and that nobody may guess. A file, a push and a
 * polled document stop at it before anything is stored; a short push gets it as a hint.
 */
export type Doubt = {
  /** A clause that says what is in doubt, with the input that raises it. */
  what: string;
  /** A sentence that says what to declare. */
  remedy: string;
  /**
   * `always`: however small its source is. `never`: it is a hint, because few values may be an
   * exception, such as a hot afternoon. Absent: files, and pushes of 20 readings and more.
   */
  stops?: 'always' | 'never';
};

/** Readings that are enough for a doubt: fewer may be an exception. */
const ENOUGH = 20;

/** A refusal of a source, as one of the doubts that a plan asks about at once. */
export const asDoubt = ({ problem, remedy }: InputError): Doubt => ({ what: problem, remedy });

/** How a refusal begins. `stored`: what became of the readings. */
export const asRefusal = ({ what }: Doubt, stored = NOTHING_STORED): string => `${what}; ${stored}`;

const NOTHING_STORED = 'nothing of it was stored';

/** The doubt at which a source of as many rows stops; a file does however few they are. */
export const stoppingDoubt = (doubts: readonly Doubt[], rows = ENOUGH): Doubt | undefined =>
  doubts.find(({ stops }) => stops === 'always' || (stops === undefined && rows >= ENOUGH));
