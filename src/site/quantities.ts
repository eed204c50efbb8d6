/** The parameters in the order used everywhere, as pages show them. */
import { keyOf, PARAMETERS, type Parameter } from '../contract/parameters.ts';
import type { Quantity } from './format.ts';

export const QUANTITIES: readonly Quantity[] = PARAMETERS.map(({ name, unit, digits, floor }: Parameter) => ({
  key: keyOf(name),
  unit,
  digits,
  ...(floor && { isFloored: floor }),
}));
