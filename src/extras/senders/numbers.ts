/** Numbers as others write them: with a decimal comma, from two channels, in a unit that a median tells. */
import { readNumber } from '../../ingest/numbers.ts';
import type { Names } from '../../ingest/rows/row.ts';

const DECIMAL_COMMA = /^[-+\u2212\u2013]?[\d\u00a0\u2009\u202f]*,\d+(?:[eE][-+]?\d+)?$/;

/**
 * The value of a table whose fields are not delimited by commas, with a point for its decimal
 * comma; anything else stays as it came.
 */
export const withPoint = (given: string, names: Names): string =>
  names.isTable && names.delimiter !== ',' && DECIMAL_COMMA.test(given)
    ? given.replace(',', '.')
    : given;

/** The mean of what two channels measured, or what one did where the other has no number. */
export function meanOf(one: unknown, other: unknown): unknown {
  const a = readNumber(one);
  const b = readNumber(other);
  if (typeof a === 'number' && typeof b === 'number') return (a + b) / 2;
  return typeof a !== 'number' && typeof b === 'number' ? other : one;
}

/** Values that are enough for a doubt, as in the core: fewer may be an exception. */
export const ENOUGH = 20;

/** The median of values, which are sorted in place; undefined without values. */
export function medianOf(values: number[]): number | undefined {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
