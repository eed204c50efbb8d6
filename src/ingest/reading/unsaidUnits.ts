/**
 * Units that a source leaves open: something stands in the place of a unit and is not known, or a gas
 * of a foreign column has no unit at all, which may be ppb or µg/m³ (S9).
 */
import type { ParameterName } from '../../contract/parameters.ts';
import { ownUnitOf, unitsOf } from '../units.ts';
import type { Doubt } from './doubt.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A field whose unit is open. */
export type UnsaidUnit = {
  parameter: ParameterName;
  field: string;
  /** The text in the place of its unit; undefined: there is no text. */
  said: string | undefined;
};

/** A bound for memory: rows may say new ones. */
const MOST_UNSAID = 20;

export function noteUnsaidUnit(unsaid: Map<string, UnsaidUnit>, one: UnsaidUnit): void {
  const key = `${one.field} ${one.said ?? ''}`;
  if (unsaid.size < MOST_UNSAID && !unsaid.has(key)) unsaid.set(key, one);
}

/** A gas that is given in ppb may be 2.7 times as much in µg/m³, and no value tells which it is. */
export const unsaidUnits = (
  { unsaid }: { unsaid: ReadonlyMap<string, UnsaidUnit> },
  say: Vocabulary,
): Doubt[] =>
  [...unsaid.values()].map(({ parameter, field, said }) => {
    const own = ownUnitOf(parameter);
    const other = own === 'ppb' ? 'ug/m3' : 'ppb';
    const declare = (unit: string) => say.option('unit', `${parameter}=${unit}`);
    return said === undefined
      ? {
          what: `nothing says the unit of ${field}, and ${parameter} comes in ${own} or in ${other}`,
          remedy: `Add ${declare(own)} or ${declare(other)}.`,
          stops: 'always',
        }
      : {
          what: `"${said}" stands where ${field} says its unit, and is no unit of ${parameter}`,
          remedy: `Say its unit, as in ${declare(own)}; ${parameter} may come in ${unitsOf(parameter).join(', ')}.`,
          stops: 'always',
        };
  });
