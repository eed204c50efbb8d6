/** The parameters in the order used everywhere, as pages show them. */
import { PARAMETERS, type Parameter } from '../contract/parameters.ts';
import type { Quantity } from './format.ts';

/** As the API names them: its keys have a dot. */
const keyOf = (name: string) => name.replace('pm25', 'pm2.5');

export const QUANTITIES: readonly Quantity[] = PARAMETERS.map(({ name, unit, digits, floor }: Parameter) => ({
  key: keyOf(name),
  unit,
  digits,
  ...(floor && { isFloored: floor }),
}));
