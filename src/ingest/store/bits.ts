/** Parameters as a set: the sum of their bits in SQL ($bit in its templates). */
import { READING_COLUMNS, type ReadingColumn } from '../../contract/parameters.ts';

const BITS = new Map(READING_COLUMNS.map(({ name }, index) => [name, 2 ** index]));

export const bitsOf = (names: readonly ReadingColumn[]): number =>
  names.reduce((sum, name) => sum | (BITS.get(name) ?? 0), 0);
