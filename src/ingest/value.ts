/** One value as it came becomes the number to store, or the reason why it cannot be one (S1). */
import type { Parameter } from '../contract/parameters.ts';
import type { VALUE_REASONS } from './summary.ts';

/**
 * What `Number` takes beyond this (blanks, hexadecimal, the empty string) is a mistake rather than a measurement. No digit can be
 * matched in two ways, so the time it takes is linear in the length.
 */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Null: nothing was given. Bounds are compared as given; the number is then what single precision makes of it, which for one too
 * small for that is 0.
 */
export function readValue(given: unknown, parameter: Parameter): number | null | keyof typeof VALUE_REASONS {
  if (given === undefined || given === null || given === '') return null;
  const value = typeof given === 'string' && NUMBER.test(given) ? Number(given) : given;
  if (typeof value !== 'number' || Number.isNaN(value)) return 'unreadable';
  if (parameter.kind === 'vector') return readDirection(value);
  if (!(value >= parameter.low && value <= parameter.high)) return 'out_of_bounds';
  return Math.fround(value);
}

/** 360 is north, which is 0; so is what single precision would round up to 360. */
function readDirection(value: number): number | 'out_of_bounds' {
  if (!(value >= 0 && value <= 360)) return 'out_of_bounds';
  return Math.fround(value) % 360;
}
