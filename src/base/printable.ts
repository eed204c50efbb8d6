/**
 * Text that came from a sender, a file or the database, for a terminal: none of it may move the
 * cursor, set a title or forge a line.
 */

/** Control characters, and characters that end or reorder a line. */
const OBEYED = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

const escaped = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One line: characters that a terminal would obey are escaped as in JSON, line breaks too. */
export function printableLine(text: string): string {
  return text.replace(OBEYED, escaped);
}

/**
 * The same of each line. JSON stays JSON of the same values, since it has such characters in
 * strings only.
 */
export function printable(text: string): string {
  return text.split('\n').map(printableLine).join('\n');
}
