/**
 * Text that came from a sender, a file or the database, for a terminal: none of it may move the
 * cursor, set a title or forge a line.
 */

/**
 * Control characters, characters that end or reorder a line, and those that nobody sees: zero-width
 * ones, tags, fillers, variation selectors, and code points that are unassigned or half a character.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A character beyond U+FFFF has two halves. */
const escaped = (character: string) =>
  character.replace(/[\s\S]/g, (half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * One line: characters that a terminal would obey, or would not show, are escaped as in JSON, line
 * breaks too.
 */
export function printableLine(text: string): string {
  return text.replace(UNPRINTABLE, escaped);
}

/**
 * The same of each line. JSON stays JSON of the same values, since it has such characters in
 * strings only.
 */
export function printable(text: string): string {
  return text.split('\n').map(printableLine).join('\n');
}

/**
 * A line broken at spaces, with `indent` before all but the first; a word that is longer than a
 * line stays whole.
 */
export function wrapped(line: string, width: number, indent: number): string {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? '';
    const longer = last === '' ? word : `${last} ${word}`;
    if (longer.length > width && last !== '') lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/** Client input to repeat in a message, cut after 80 characters. */
export function truncate(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
