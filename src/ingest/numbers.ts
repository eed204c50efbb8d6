/** The one reader of numbers: how a source may write a value, in files, pushes and feeds alike. */

/**
 * Everything that `Number` accepts beyond this (blanks, hexadecimal, the empty string) is a mistake
 * rather than a measurement. No digit can be matched in two ways, so matching takes time linear in
 * the length.
 */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Words for no value, as loggers and spreadsheets write them. */
const NO_VALUE = /^(?:-+|\*+|\?+|n\/?a|nan|null|none)$/i;

/**
 * The number that a source wrote; null: none, in a word for that; undefined: it cannot be read. A
 * minus sign of typography and spaces that do not break are read as what they look like.
 */
export function readNumber(given: unknown): number | null | undefined {
  if (given === undefined || given === null || given === '') return null;
  if (typeof given !== 'string') return typeof given === 'number' ? given : undefined;
  if (NUMBER.test(given)) return Number(given);
  const plain = given.replace(/[\u00a0\u2009\u202f]/g, '').replace(/^[\u2212\u2013]/, '-');
  if (plain === '' || NO_VALUE.test(plain)) return null;
  return plain !== given && NUMBER.test(plain) ? Number(plain) : undefined;
}

/** The mean of what two channels measured, or what one did where the other has no number. */
export function meanOf(one: unknown, other: unknown): unknown {
  const a = readNumber(one);
  const b = readNumber(other);
  if (typeof a === 'number' && typeof b === 'number') return (a + b) / 2;
  return typeof a !== 'number' && typeof b === 'number' ? other : one;
}
