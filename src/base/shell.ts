/** Commands as messages show them, to be typed in a shell. */

/**
 * The command `airseries`, in the folder of the checkout. The name alone would make `npx` fetch a
 * package of that name elsewhere.
 */
export const AIRSERIES = 'node src/airseries.js';

/** As a shell takes it for one word. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
