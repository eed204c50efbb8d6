/** The one reader of numbers: how a source may write a value, in files, pushes and feeds alike. */
import type { Parameter } from '../contract/parameters.ts';

/**
 * Everything that `Number` accepts beyond this (blanks, hexadecimal, the empty string) is a mistake
 * rather than a measurement. No digit can be matched in two ways, so matching takes time linear in
 * the length.
 */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Words for no value, as loggers and spreadsheets write them. */
const NO_VALUE = /^(?:[-\u2014]+|\*+|\?+|n\/?a|nan|null|none)$/i;

/** Spaces that do not break, as people group thousands with them. */
const FIXED_SPACES = /[\u00a0\u2009\u202f]/g;

/**
 * The number that a source wrote; null: none, in a word for that; undefined: it cannot be read. A
 * minus sign of typography and spaces that do not break are read as what they look like.
 */
export function readNumber(given: unknown): number | null | undefined {
  if (given === undefined || given === null || given === '') return null;
  if (typeof given !== 'string') return typeof given === 'number' ? given : undefined;
  if (NUMBER.test(given)) return Number(given);
  const plain = given.replace(FIXED_SPACES, '').replace(/^[\u2212\u2013]/, '-');
  if (plain === '' || NO_VALUE.test(plain)) return null;
  return plain !== given && NUMBER.test(plain) ? Number(plain) : undefined;
}

/** `<5`, `< 0,5`, `<LOD`, `>= 1000`. */
const LIMIT = /^([<>\u2264\u2265])=? ?(?:(\d+(?:[.,]\d+)?)|LO?[DQ]|M?DL)?$/i;
const ONE_COMMA = /^([-+\u2212\u2013]?\d*),(\d+)$/;
const GROUPED = /^([-+\u2212\u2013]?)(\d[\d.,' \u2019]*)$/;

/**
 * Says what to write instead of a text that is not a number, because it may be two; undefined: that
 * is not known.
 */
export function writeInstead(text: string): string | undefined {
  const [, side, limit] = LIMIT.exec(text) ?? [];
  if (side !== undefined) return beyond(text, side, limit);
  const [, whole, fraction] = ONE_COMMA.exec(text) ?? [];
  if (fraction !== undefined) {
    const thousands = fraction.length === 3 ? ` or ${whole}${fraction}` : '';
    return `${text} has a comma: write ${whole || '0'}.${fraction}${thousands}, or a table with ; between its fields, where a comma is a decimal one`;
  }
  const [, sign, digits = ''] = GROUPED.exec(text) ?? [];
  const plain = withoutGroups(digits);
  return plain && `${text} has its thousands set apart: write ${sign}${plain}`;
}

/** `1234.5` of `1.234,5`, digits in groups of three and perhaps a fraction behind another sign. */
function withoutGroups(digits: string): string | undefined {
  const groups = digits.split(/[.,' \u2019]/);
  const marks = digits.replaceAll(/\d/g, '');
  const hasFraction = marks.length > 1 && !marks.endsWith(marks[0] as string);
  const fraction = hasFraction ? groups.pop() : undefined;
  const [first = '', ...others] = groups;
  const isGrouped =
    first.length <= 3 &&
    others.length > 0 &&
    others.every(({ length }) => length === 3) &&
    new Set(hasFraction ? marks.slice(0, -1) : marks).size === 1;
  return isGrouped ? groups.join('') + (fraction === undefined ? '' : `.${fraction}`) : undefined;
}

/** Half the limit stands for it in Europe: dd.eionet.europa.eu/vocabulary/aq/observationvalidity/3. */
function beyond(text: string, side: string, limit: string | undefined): string {
  if (/[>\u2265]/.test(side))
    return `${text} says only that there is more than could be measured: leave the field empty`;
  const half = limit === undefined ? '' : ` (${Number(limit.replace(',', '.')) / 2})`;
  return `${text} is below the detection limit, so its value is not known: write half the limit${half}, as agencies in Europe report it, or leave the field empty, which raises means`;
}

/**
 * The number to store, null if no value was given, or why it cannot be used (S1). Bounds are checked
 * before rounding to single precision, which turns a number too small for it into 0.
 */
export function readWithinBounds(
  given: unknown,
  parameter: Parameter,
): number | null | 'unreadable' | 'out_of_bounds' {
  let value = readNumber(given);
  if (value === undefined && parameter.kind === 'vector') value = readCompass(given);
  if (value === null) return null;
  if (value === undefined || Number.isNaN(value)) return 'unreadable';
  if (parameter.kind === 'vector') return readDirection(value);
  const { low, high, tolerance } = parameter;
  if (value >= low && value <= high) return Math.fround(value);
  if (value < low && value >= low - (tolerance?.below ?? 0)) return low;
  if (value > high && value <= high + (tolerance?.above ?? 0)) return high;
  return 'out_of_bounds';
}

const COMPASS = 'N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW'.split(' ');

/** The degrees of a compass word, of 16. */
function readCompass(given: unknown): number | undefined {
  const point = typeof given === 'string' ? COMPASS.indexOf(given.trim().toUpperCase()) : -1;
  return point < 0 ? undefined : point * 22.5;
}

/**
 * 360 degrees is north, stored as 0; so is a direction that single precision would round up to 360.
 */
function readDirection(value: number): number | 'out_of_bounds' {
  if (!(value >= 0 && value <= 360)) return 'out_of_bounds';
  return Math.fround(value) % 360;
}

export function numberOf(given: unknown): number | undefined {
  const value = readNumber(given);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
